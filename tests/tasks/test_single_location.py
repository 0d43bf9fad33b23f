"""The law of a sample, and the posterior of the location."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from soloc import Erf, LengthLaw, Overlaps, SingleLocation, monte_carlo_bayes_risk, monte_carlo_risk
from soloc.predictors.attention import softmax_predictor
from soloc.predictors.key_query import SoftmaxAttention
from soloc.tasks.single_location import Truth

N = 20_000
BACKGROUND = np.linspace(-1.0, 1.0, 5)
TASKS = {
    "plain": SingleLocation(5, 4, 0.6, 0.3),
    "strong": SingleLocation(5, 3, 1.5, signal=2.5),
    "prior": SingleLocation(5, 3, 0.7, prior=(0.2, 0.5, 0.3)),
    "lengths": SingleLocation(5, gamma=0.8, lengths=LengthLaw((1, 2, 4), (0.2, 0.3, 0.5))),
    "background": SingleLocation(5, 3, 0.7, background=BACKGROUND),
}
tasks = pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)


def drawn(task, n=N):
    with jax.enable_x64(True):
        truth = task.truth(jax.random.key(1))
        return truth, jax.tree.map(np.asarray, task.sample(truth, jax.random.key(2), n))


def assert_z(values, mean, axis=0):
    """Every entry of the average of `values` is within 4.5 standard errors of `mean`."""
    z = (values.mean(axis) - mean) / (values.std(axis, ddof=1) / math.sqrt(values.shape[axis]))
    assert np.max(np.abs(z)) < 4.5


def test_truth_is_an_orthonormal_pair_in_every_direction():
    with jax.enable_x64(True):
        pairs = [TASKS["plain"].truth(key) for key in jax.random.split(jax.random.key(0), 200)]
    k, v = (np.array([getattr(pair, name) for pair in pairs]) for name in "kv")
    assert np.sum(k * k, -1) == pytest.approx(np.ones(200)) and np.sum(v * v, -1) == pytest.approx(
        np.ones(200)
    )
    assert np.sum(k * v, -1) == pytest.approx(np.zeros(200), abs=1e-12)
    assert_z(np.abs(k), np.mean(np.abs(k)))
    assert_z(k**2, 0.2)


@tasks
def test_tokens_have_the_means_and_covariances_of_the_law(task):
    truth, sample = drawn(task)
    rows = np.arange(N)
    signal = sample.tokens[rows, sample.location]
    assert_z(signal, task.m * np.asarray(truth.k))
    centred = signal - task.m * np.asarray(truth.k)
    assert_z(
        (centred[:, :, None] * centred[:, None, :]).reshape(N, -1),
        (task.gamma**2 * np.eye(5)).ravel(),
    )
    other = (sample.location + 1) % np.maximum(sample.lengths, 2)
    background = sample.tokens[rows, other][sample.lengths > 1]
    centre = 0.0 if task.background is None else BACKGROUND
    assert_z(background - centre, 0.0)
    centred = background - centre
    assert_z(
        (centred[:, :, None] * centred[:, None, :]).reshape(len(centred), -1), np.eye(5).ravel()
    )
    assert stats.kstest(centred[:, 0], "norm").pvalue > 1e-4


@tasks
def test_answers_are_the_decisive_token_along_the_value_direction_plus_noise(task):
    truth, sample = drawn(task)
    residual = sample.answers - sample.tokens[np.arange(N), sample.location] @ np.asarray(truth.v)
    if task.eps == 0:
        assert residual == pytest.approx(np.zeros(N), abs=1e-12)
    else:
        assert_z(residual[:, None], 0.0)
        assert_z(residual[:, None] ** 2, task.eps**2)


@tasks
def test_locations_and_lengths_follow_their_laws(task):
    _, sample = drawn(task)
    if task.lengths is not None:
        counts = [np.sum(sample.lengths == value) for value in task.lengths.values]
        assert stats.chisquare(counts, N * np.array(task.lengths.probabilities)).pvalue > 1e-4
    for length in sorted(set(sample.lengths) - {1}):
        here = sample.location[sample.lengths == length]
        chances = np.full(length, 1.0 / length) if task.prior is None else np.array(task.prior)
        assert (
            stats.chisquare(np.bincount(here, minlength=length), len(here) * chances).pvalue > 1e-4
        )
    absent = np.arange(task.L) >= sample.lengths[:, None]
    assert not sample.tokens[absent].any()


@tasks
def test_posterior_sums_to_one_and_is_calibrated(task):
    """Nishimori: on average the true location is as probable as a draw from the posterior."""
    with jax.enable_x64(True):
        truth, sample = drawn(task)
        posterior = np.asarray(
            task.posterior(truth, jnp.asarray(sample.tokens), jnp.asarray(sample.lengths))
        )
    assert posterior.sum(-1) == pytest.approx(np.ones(N))
    rows = np.arange(N)
    assert not posterior[np.arange(task.L) >= sample.lengths[:, None]].any()
    assert_z((posterior[rows, sample.location] - np.sum(posterior**2, -1))[:, None], 0.0)
    for position in range(task.L):
        assert_z(((sample.location == position) - posterior[:, position])[:, None], 0.0)


def test_posterior_is_the_ratio_of_the_densities():
    task = TASKS["background"]
    with jax.enable_x64(True):
        truth, sample = drawn(task, 5)
        posterior = np.asarray(task.posterior(truth, jnp.asarray(sample.tokens)))
    signal = stats.multivariate_normal(task.m * np.asarray(truth.k), task.gamma**2 * np.eye(5)).pdf(
        sample.tokens
    )
    other = stats.multivariate_normal(BACKGROUND, np.eye(5)).pdf(sample.tokens)
    assert posterior == pytest.approx(
        (signal / other) / (signal / other).sum(-1, keepdims=True), rel=1e-9
    )


def test_bayes_is_softmax_attention_when_gamma_is_one():
    task = SingleLocation(6, 5, 1.0)
    with jax.enable_x64(True):
        truth, sample = drawn(task, 50)
        tokens = jnp.asarray(sample.tokens)
        softmax = softmax_predictor(truth.k, truth.v, task.m, tokens)
        assert np.asarray(task.bayes(truth, tokens)) == pytest.approx(
            np.asarray(softmax), abs=1e-12
        )


def test_attention_with_query_k_star_is_bayes_when_gamma_is_one():
    task = SingleLocation(d=5, L=20, gamma=1.0)
    truth = Truth(np.array([0.6, 0.8, 0, 0, 0]), np.array([-0.8, 0.6, 0, 0, 0]))
    keys, _, query = task.view(truth, task.sample(truth, jax.random.key(3), 40).tokens)
    softmax = SoftmaxAttention(1 / task.m).weights(keys, query)
    np.testing.assert_allclose(softmax, task.bayes_weights(keys, query), atol=1e-12)


@tasks
def test_a_truth_of_numpy_arrays_draws_the_same_law_by_numpy(task):
    truth, theirs = drawn(task)
    truth = jax.tree.map(np.asarray, truth)
    ours = task.sample(truth, jax.random.key(4), N)
    assert isinstance(ours.tokens, np.ndarray) and ours.tokens.dtype == np.float64
    rows = np.arange(N)

    def statistics(sample):
        decisive = sample.tokens[rows, sample.location]
        other = sample.tokens[rows, (sample.location + 1) % sample.lengths]
        parts = [decisive, decisive**2, other, other**2, sample.answers[:, None] * decisive]
        facts = [sample.answers**2, sample.location, sample.location**2, sample.lengths]
        return np.concatenate([*parts, *(np.asarray(fact)[:, None] for fact in facts)], axis=1)

    a, b = statistics(ours), statistics(theirs)
    moves = a.std(0) > 0
    z = (a.mean(0) - b.mean(0))[moves] / np.sqrt((a.var(0) + b.var(0))[moves] / N)
    assert np.max(np.abs(z)) < 4.5
    np.testing.assert_array_equal(a.mean(0)[~moves], b.mean(0)[~moves])
    absent = np.arange(task.L) >= ours.lengths[:, None]
    assert not ours.tokens[absent].any()


def test_tokens_of_random_lengths_are_no_keys():
    truth, sample = drawn(TASKS["lengths"], 3)
    with pytest.raises(ValueError, match="`lengths` must be left out"):
        TASKS["lengths"].view(truth, sample.tokens)


def test_no_predictor_beats_bayes():
    task = TASKS["background"]
    bayes = monte_carlo_bayes_risk(task, jax.random.key(3), N)
    for lam in (0.3, 1.0):
        other = monte_carlo_risk(task, Erf(lam), Overlaps(1.0, 1.0), jax.random.key(4), N)
        assert bayes.value + 4 * bayes.error < other.value


def test_length_and_signal_have_their_defaults():
    assert SingleLocation().L == 10 and SingleLocation(d=50).m == 5.0
    assert SingleLocation(lengths=LengthLaw.uniform(2, 7)).L == 7
    assert sum(LengthLaw.uniform(2, 7).probabilities) == pytest.approx(1.0)


REFUSED = {
    "d": ({"d": 3}, ValueError),
    "L": ({"L": 0}, ValueError),
    "gamma": ({"gamma": -0.5}, ValueError),
    "eps": ({"eps": math.nan}, ValueError),
    "signal": ({"signal": "strong"}, TypeError),
    "prior": ({"L": 3, "prior": (0.5, 0.5)}, ValueError),
    "prior` must be non-negative": ({"L": 2, "prior": (0.5, 0.6)}, ValueError),
    "background": ({"d": 5, "background": np.zeros(4)}, ValueError),
    "lengths": ({"lengths": LengthLaw((1, 2), (1.0,))}, ValueError),
    "lengths.values": ({"lengths": LengthLaw((0, 2), (0.5, 0.5))}, ValueError),
    "lengths.probabilities": ({"lengths": LengthLaw((1, 2), (0.5, 0.6))}, ValueError),
    "L` must be the longest": ({"L": 9, "lengths": LengthLaw((1, 2), (0.5, 0.5))}, ValueError),
    "prior` and `lengths": (
        {"prior": (0.5, 0.5), "lengths": LengthLaw((1, 2), (0.5, 0.5))},
        ValueError,
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_bad_task_is_refused_in_a_sentence_that_names_the_parameter(name):
    arguments, kind = REFUSED[name]
    with pytest.raises(kind, match=f"`{name}"):
        SingleLocation(**arguments)


def test_a_sample_of_nothing_is_refused():
    with pytest.raises(ValueError, match="`n` must be an integer >= 1, got 0"):
        TASKS["plain"].sample(TASKS["plain"].truth(jax.random.key(0)), jax.random.key(0), 0)
    with pytest.raises(ValueError, match="`shortest` and `longest`"):
        LengthLaw.uniform(3, 2)
