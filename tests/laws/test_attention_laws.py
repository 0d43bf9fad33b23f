"""Laws of every task whose Bayes answer is an attention, and of every attention over keys."""

from dataclasses import replace

import jax
import numpy as np
import pytest

from soloc.maths.harmonics import Coordinates
from soloc.predictors.kernel_mean import FeatureKernel, GaussianKernel, KernelMeanAttention
from soloc.predictors.key_query import (
    BayesAttention,
    LinearAttention,
    PowerLaw,
    SoftmaxAttention,
    UniformAttention,
)
from soloc.risk.monte_carlo import monte_carlo_risk
from soloc.tasks.protocol import attend
from tests.laws.laws import bayes_of, drawn, rows, truth_of, z_score
from tests.laws.tasks import ATTENDED

ATTENTIONS = {
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
EXCHANGEABLE = {name: task for name, task in ATTENDED.items() if task.exchangeable != "no"}
every_task = pytest.mark.parametrize("task", ATTENDED.values(), ids=ATTENDED)
every_exchangeable_task = pytest.mark.parametrize("task", EXCHANGEABLE.values(), ids=EXCHANGEABLE)
every_attention = pytest.mark.parametrize("make", ATTENTIONS.values(), ids=ATTENTIONS)


def seen(task, seed, n):
    """Sequences and their view."""
    sample = drawn(task, seed, n)
    return sample, task.view(truth_of(task), sample.tokens)


@every_exchangeable_task
@every_attention
def test_weights_follow_their_tokens_through_a_permutation(task, make):
    _, view = seen(task, 1, 20)
    order = np.random.default_rng(0).permutation(task.L)
    weights = make(task).weights(view.keys, view.query)
    assert weights.shape == (20, task.L)
    np.testing.assert_allclose(
        make(task).weights(view.keys[:, order], view.query), weights[:, order], atol=1e-11
    )


@every_task
def test_the_bayes_answer_is_the_attention_with_the_bayes_weights(task):
    sample, view = seen(task, 2, 50)
    answer = attend(task.bayes_weights(view.keys, view.query), view.values)
    np.testing.assert_allclose(answer, rows(bayes_of(task, sample)), atol=1e-12)


@every_task
def test_bayes_is_calibrated(task):
    sample = drawn(task, 3, 4000)
    squares = np.mean((rows(sample.answers) - rows(bayes_of(task, sample))) ** 2, -1)
    assert abs(z_score(squares - task.bayes_variance(truth_of(task), sample.tokens))) < 4


@every_task
@every_attention
def test_bayes_residuals_are_orthogonal_to_any_attention_output(task, make):
    sample, view = seen(task, 4, 3000)
    residual = rows(sample.answers) - rows(bayes_of(task, sample))
    output = attend(make(task).weights(view.keys, view.query), view.values)
    assert abs(z_score(np.mean(residual * output, -1))) < 4


@every_task
@every_attention
def test_no_attention_beats_bayes(task, make):
    sample, view = seen(task, 5, 3000)
    output = attend(make(task).weights(view.keys, view.query), view.values)
    squares = [
        np.mean((answer - rows(sample.answers)) ** 2, -1)
        for answer in (output, rows(bayes_of(task, sample)))
    ]
    excess = squares[0] - squares[1]
    assert np.max(np.abs(excess)) < 1e-9 or z_score(excess) > -3.5


@every_task
def test_simulation_serves_every_pair_of_task_and_attention(task):
    sample, view = seen(task, 6, 3000)
    attention = SoftmaxAttention(0.4)
    output = attend(attention.weights(view.keys, view.query), view.values)
    squares = np.mean((output - rows(sample.answers)) ** 2, -1)
    estimate = monte_carlo_risk(task, attention, None, jax.random.key(7), 1500)
    error = np.hypot(estimate.error, squares.std() / np.sqrt(3000))
    assert abs(estimate.value - squares.mean()) < 4.2 * error


@every_exchangeable_task
def test_risk_falls_with_length_if_infinitely_exchangeable_and_rises_if_finitely(task):
    short, long = (
        task.bayes_variance(truth_of(task), drawn(replace(task, L=L), 8, 2000).tokens)
        for L in (4, 64)
    )
    z = (long.mean() - short.mean()) / np.hypot(long.std(), short.std()) * np.sqrt(2000)
    assert z < -10 if task.exchangeable == "infinite" else z > 10
