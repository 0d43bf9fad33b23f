"""E[r_J] and E[r_J xi^2]: published values, draws, a dense sum, Bayes' own identities."""

import numpy as np
import pytest
from tests.oracles.learning_draws import drawn, two_tokens

from soloc.learning.responsibility import attention_on_decisive, mean_log_sum, responsibility
from soloc.risk.baselines import bayes_risk
from soloc.tasks.single_location import SingleLocation

VALUES = {
    (2.0, 0.5, 2): (0.80586380840, 0.78136877078),
    (4.0, 3.0, 3): (0.87864366853, 0.83190615852),
    (1.0, 20.0, 3): (0.84498194169, 0.77000622781),
    (9.0, 100.0, 8): (0.97831874778, 0.96277119394),
    (3.0, 1.5, 50): (0.25169773829, 0.20601186372),
}
#: weak and strong scores, vague and sharp answers, both sides of every switch between rules
PAIRS = [
    (0.0, 0.0),
    (0.01, 2.0),
    (0.14, 0.002),
    (0.5, 0.003),
    (2.0, 0.15),
    (6.0, 30.0),
    (60.0, 1.0),
]


@pytest.mark.parametrize("case", VALUES)
def test_published_values(case):
    np.testing.assert_allclose(responsibility(*case), VALUES[case], rtol=0, atol=1e-8)


@pytest.mark.parametrize("a2, s2", PAIRS)
def test_two_tokens_agree_with_a_dense_sum(a2, s2):
    found = responsibility(a2, s2, 2)
    assert found.mean == pytest.approx(two_tokens(a2, s2, lambda r, xi2, miss2: r), abs=1e-9)
    with_square = two_tokens(a2, s2, lambda r, xi2, miss2: r * xi2)
    assert found.with_square == pytest.approx(with_square, abs=1e-9)


@pytest.mark.parametrize("a2, s2", PAIRS)
def test_bayes_identities_at_two_tokens(a2, s2):
    """E[r_J] = E[sum r^2], and E[sum r^2 (Y - z)^2] = tau E[r_J xi^2]."""
    found = responsibility(a2, s2, 2)
    squares = two_tokens(a2, s2, lambda r, xi2, miss2: r**2 + (1.0 - r) ** 2)
    assert found.mean == pytest.approx(squares, abs=1e-9)
    misses = two_tokens(a2, s2, lambda r, xi2, miss2: r**2 * xi2 + (1.0 - r) ** 2 * miss2)
    assert found.with_square == pytest.approx(misses, abs=1e-9)


@pytest.mark.parametrize(
    "a2, s2, L", [(1.0, 8.0, 3), (4.0, 0.05, 8), (0.2, 400.0, 40), (9.0, 0.6, 200), (0.0, 3.0, 5)]
)
def test_longer_sequences_agree_with_draws(a2, s2, L):
    found = responsibility(a2, s2, L)
    r, miss2 = drawn(a2, s2, L, n=1_500_000 // L, seed=[3, L])
    log_sum = mean_log_sum(a2, s2, L)
    for draws, expected in [
        (r[:, 0], found.mean),
        (r[:, 0] * miss2[:, 0], found.with_square),
        ((r**2).sum(axis=1), found.mean),
        ((r**2 * miss2).sum(axis=1), found.with_square),
    ]:
        assert abs(draws.mean() - expected) < 4 * draws.std() / np.sqrt(len(draws))
    # log S = x_J - log r_J, and E[x_J] = a^2 - 1/2
    logs = -0.5 * miss2[:, 0] - np.log(np.maximum(r[:, 0], 1e-300)) + a2
    spread = np.sqrt(logs.var() + a2)  # a g_J is left out: its mean is 0
    assert abs(logs.mean() - log_sum) < 4 * spread / np.sqrt(len(logs))


@pytest.mark.parametrize("L", [2, 3, 50, 1000, 10**6])
@pytest.mark.parametrize("signal", [0.3, 1.0, 2.5, 5.0])
def test_without_an_answer_it_is_softmax_attention(signal, L):
    task = SingleLocation(d=10, L=L, gamma=1.0, eps=0.3, signal=signal)
    mass = attention_on_decisive(signal**2, L)
    assert responsibility(signal**2, 0.0, L).mean == pytest.approx(mass, abs=1e-9)
    assert 1.09 - mass == pytest.approx(float(bayes_risk(task)), abs=1e-9)


@pytest.mark.parametrize("a2, s2, L", [(1.0, 8.0, 3), (5.0, 0.4, 1000), (0.3, 90.0, 20)])
def test_answers_tell_as_much_as_scores(a2, s2, L):
    """d E[log Z]/d a^2 = F1/2, and its derivative in q_v at fixed tau + q_v is F2/(2 tau)."""
    found = responsibility(a2, s2, L)
    by_scores = _slope(lambda h: mean_log_sum(a2 + h, s2, L) - 0.5 * (a2 + h), 0.02 * a2)
    assert by_scores == pytest.approx(0.5 * found.mean, abs=1e-7)
    total = 1.3
    q = total * s2 / (1.0 + s2)

    def log_z(h):
        tau = total - q - h
        return mean_log_sum(a2, (q + h) / tau, L) - 0.5 * np.log(tau)

    tau = total - q
    assert _slope(log_z, 0.02 * tau) == pytest.approx(0.5 * found.with_square / tau, rel=1e-6)


def _slope(f, h):
    """Derivative at 0 by differences of sixth order."""
    pairs = [f(j * h) - f(-j * h) for j in (1, 2, 3)]
    return (45.0 * pairs[0] - 9.0 * pairs[1] + pairs[2]) / (60.0 * h)


@pytest.mark.parametrize("a2, s2", PAIRS)
def test_one_token_is_always_found(a2, s2):
    np.testing.assert_allclose(responsibility(a2, s2, 1), (1.0, 1.0), rtol=0, atol=1e-9)


@pytest.mark.parametrize("L", [3, 10**6])
def test_a_strong_signal_leaves_no_doubt(L):
    """On both sides of the switch to certainty, a^2 = 500."""
    for a2 in (499.0, 501.0, 1e12):
        np.testing.assert_allclose(responsibility(a2, 2.0, L), (1.0, 1.0), rtol=0, atol=1e-9)
        assert attention_on_decisive(a2, L) == pytest.approx(1.0, abs=1e-9)
        assert mean_log_sum(a2, 2.0, L) == pytest.approx(a2 - 0.5, abs=1e-7)
