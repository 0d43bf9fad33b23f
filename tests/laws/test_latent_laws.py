"""Laws of every task with a latent and every attention, without knowing either: one line joins them
all.
"""

import jax
import numpy as np
import pytest

from soloc.maths.harmonics import Coordinates, Harmonics
from soloc.predictors.kernel_mean import FeatureKernel, GaussianKernel, KernelMeanAttention
from soloc.predictors.key_query import (
    BayesAttention,
    LinearAttention,
    PowerLaw,
    SoftmaxAttention,
    UniformAttention,
)
from soloc.tasks.exchangeable_latent import ExchangeableLatent
from soloc.tasks.key_laws import GaussianKeys, SphereKeys
from soloc.tasks.located import LocatedTruth
from soloc.tasks.noisy_recall import NoisyRecall
from soloc.tasks.protocol import attend, posterior_of_position
from soloc.tasks.single_location import SingleLocation, Truth

AXES = Truth(np.eye(8)[2], np.eye(8)[5])
TASKS = {
    "exchangeable": ExchangeableLatent(dv=2),
    "exchangeable, noisy, degree 1 in four dimensions": ExchangeableLatent(
        Harmonics(4, (1.0, 0.0)), SphereKeys(4), sigma=0.8, lam=2.0, noisy_target=True
    ),
    "exchangeable, Gaussian keys": ExchangeableLatent(Coordinates(), GaussianKeys((1.0, 0.3, 0.1))),
    "recall": NoisyRecall(),
    "recall of pairs, blurred more": NoisyRecall(d=5, tau=0.3, dv=2),
    "single location, gamma = 1": LocatedTruth(SingleLocation(d=8, gamma=1.0, eps=0.3), AXES),
    "single location, gamma^2 = 1/2": LocatedTruth(SingleLocation(d=8, gamma=0.5**0.5), AXES),
    "single location on a background": LocatedTruth(
        SingleLocation(d=8, gamma=1.2, background=tuple(0.3 * np.ones(8))), AXES
    ),
}
PREDICTORS = {
    "Bayes": BayesAttention,
    "softmax": lambda task: SoftmaxAttention(0.4),
    "softmax cooled": lambda task: SoftmaxAttention(PowerLaw(0.9, -1 / 3)),
    "linear": lambda task: LinearAttention(gamma=2.0),
    "uniform": lambda task: UniformAttention(),
    "CME, Gaussian kernel": lambda task: KernelMeanAttention(GaussianKernel(0.8), 0.3),
    "CME, coordinates": lambda task: KernelMeanAttention(
        FeatureKernel(Coordinates()), PowerLaw(0.5, 0.25)
    ),
}
every_task = pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
every_predictor = pytest.mark.parametrize("make", PREDICTORS.values(), ids=PREDICTORS)


def z_score(draws):
    return float(np.mean(draws) / (np.std(draws, ddof=1) / np.sqrt(len(draws))))


@every_task
@every_predictor
def test_weights_follow_their_tokens_through_a_permutation(task, make):
    batch = task.sample(jax.random.key(1), 20, 13)
    order = np.random.default_rng(0).permutation(13)
    weights = make(task).weights(batch.keys, batch.query)
    assert weights.shape == (20, 13)
    np.testing.assert_allclose(
        make(task).weights(batch.keys[:, order], batch.query), weights[:, order], atol=1e-11
    )


@every_task
def test_bayes_is_calibrated(task):
    batch = task.sample(jax.random.key(2), 4000, 9)
    squares = np.mean((batch.target - attend(task.bayes_weights(batch), batch.values)) ** 2, -1)
    assert abs(z_score(squares - task.bayes_var(batch))) < 4


@every_task
@every_predictor
def test_bayes_residuals_are_orthogonal_to_any_attention_output(task, make):
    batch = task.sample(jax.random.key(3), 3000, 8)
    residual = batch.target - attend(task.bayes_weights(batch), batch.values)
    output = attend(make(task).weights(batch.keys, batch.query), batch.values)
    assert abs(z_score(np.mean(residual * output, -1))) < 4


@every_task
@every_predictor
def test_no_attention_beats_bayes(task, make):
    batch = task.sample(jax.random.key(4), 3000, 8)
    answers = [w.weights(batch.keys, batch.query) for w in (make(task), BayesAttention(task))]
    squares = [np.mean((attend(w, batch.values) - batch.target) ** 2, -1) for w in answers]
    excess = squares[0] - squares[1]
    assert np.max(np.abs(excess)) < 1e-9 or z_score(excess) > -3.5


@every_task
def test_the_posterior_of_a_position_is_on_average_as_sure_as_it_is_right(task):
    batch = task.sample(jax.random.key(5), 4000, 7)
    scores = task.log_score(batch)
    if scores is None:
        assert task.exchangeable == "infinite"
        return
    p = posterior_of_position(scores)
    hit = p[np.arange(len(p)), batch.latent]
    assert abs(z_score(hit - np.sum(p**2, -1))) < 4
    np.testing.assert_allclose(task.bayes_weights(batch), p, atol=1e-14)


@every_task
def test_risk_falls_with_length_if_infinitely_exchangeable_and_rises_if_finitely(task):
    short, long = (task.bayes_var(task.sample(jax.random.key(6), 2000, L)) for L in (4, 64))
    z = (long.mean() - short.mean()) / np.hypot(long.std(), short.std()) * np.sqrt(2000)
    assert z < -10 if task.exchangeable == "infinite" else z > 10


@every_task
def test_equal_keys_give_equal_batches_and_other_keys_others(task):
    first, same, other = (task.sample(jax.random.key(seed), 3, 5) for seed in (7, 7, 8))
    assert all(np.array_equal(a, b) for a, b in zip(first, same, strict=True))
    assert not np.array_equal(first.keys, other.keys)
    assert first.keys.dtype == np.float64


@every_task
@pytest.mark.parametrize(("n", "L"), [(0, 3), (3, 0), (2, 2.5)])
def test_an_empty_batch_is_refused(task, n, L):
    with pytest.raises(ValueError, match="whole number >= 1"):
        task.sample(jax.random.key(0), n, L)
