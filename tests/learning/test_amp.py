"""AMP against state evolution, with what it knows and with what it learns by EM."""

import numpy as np
import pytest
from tests.oracles.learning_draws import amp_data

from soloc.learning import amp, bayes_curve
from soloc.learning.regime import Regime
from soloc.learning.state_evolution import step
from soloc.tasks.single_location import SingleLocation

TABLE = [
    (2, 1.0, 0.5, 2.0),
    (3, 2.0, 0.3, 0.5),
    (3, 2.0, 0.3, 1.0),
    (3, 2.0, 0.3, 2.0),
    (3, 2.0, 0.3, 4.0),
    (8, 2.5, 0.3, 2.0),
]
#: settings of other lengths, signals and noises; long sequences of weak signal cost minutes
RANDOM = [
    (6, 1.8, 0.45, 3.0),
    (2, 2.6, 0.25, 1.2),
    (5, 1.4, 0.55, 5.5),
    (4, 1.1, 0.35, 4.2),
    (5, 2.9, 0.6, 0.8),
    (10, 2.2, 0.2, 3.4),
]


def true_risk(found, k, v, L, signal, noise, rng, samples=100_000):
    """Risk of softmax(m X k^)' X v^ on new sequences; their three projections are all it sees."""
    directions = np.stack([found.key, found.value, v])
    root = np.linalg.cholesky(directions @ directions.T)
    seen = rng.standard_normal((samples, L, 3)) @ root.T
    seen[:, 0] += signal * directions @ k
    weights = np.exp(found.signal * (seen[..., 0] - seen[..., 0].max(axis=1, keepdims=True)))
    answer = (weights * seen[..., 1]).sum(axis=1) / weights.sum(axis=1)
    return noise**2 + np.mean((seen[:, 0, 2] - answer) ** 2)


def runs(L, signal, noise, ratio, d, sets, known=True):
    """q_k, q_v by overlap, predicted and true risk of AMP on some data sets."""
    rows = []
    for seed in range(sets):
        rng = np.random.default_rng([seed, L, d])
        tokens, y, k, v = amp_data(rng, round(ratio * d), L, d, signal, noise)
        found = amp(tokens, y, signal, noise) if known else amp(tokens, y)
        rows.append([found.key @ k, found.value @ v, found.risk,
                     true_risk(found, k, v, L, signal, noise, rng)])  # fmt: skip
    return np.array(rows)


def check(case, d, sets, known=True):
    L, signal, noise, ratio = case
    found = runs(*case, d, sets, known)
    row = bayes_curve(SingleLocation(L=L, gamma=1.0, eps=noise, signal=signal), ratio).iloc[0]
    error = found.std(axis=0, ddof=1) / np.sqrt(sets)
    gap = np.abs(found.mean(axis=0) - [row.q_k, row.q_v, row.risk, row.risk])
    assert gap[3] < 4 * error[3] + 0.005, (case, gap, error)
    assert np.all(gap[:2] < 4 * error[:2] + 0.02), (case, gap, error)


@pytest.mark.parametrize("case", [TABLE[3], TABLE[0]])
def test_amp_reaches_state_evolution(case):
    check(case, d=400, sets=8)


@pytest.mark.slow
@pytest.mark.parametrize("case", TABLE + RANDOM)
def test_amp_reaches_state_evolution_at_a_thousand_dimensions(case):
    check(case, d=1000, sets=6)


def test_em_needs_no_signal_and_no_noise():
    case = TABLE[3]
    check(case, d=400, sets=8, known=False)
    tokens, y, _, _ = amp_data(np.random.default_rng(5), 1600, 3, 400, 2.0, 0.3)
    found = amp(tokens, y)
    assert found.converged
    assert found.signal == pytest.approx(2.0, abs=0.15)
    assert found.noise == pytest.approx(0.3, abs=0.06)


def test_it_does_not_diverge_with_nearly_no_noise():
    """On the second of these sets |v^| would grow to 2e6.

    It never settles there, and last bits of the data decide where the steps end: one set of eight
    may end below .6 on one processor and above .9 on another, half of them may not.
    """
    rng = np.random.default_rng(4)
    found = []
    for tokens, y, _, v in [amp_data(rng, 600, 3, 300, 1.0, 0.01) for _ in range(8)]:
        value = amp(tokens, y, 1.0, 0.01).value
        assert np.linalg.norm(value) <= 1.0 + 1e-12
        found.append(value @ v)
    assert np.median(found) > 0.9


def test_its_running_prediction_follows_state_evolution_step_by_step():
    tokens, y, _, _ = amp_data(np.random.default_rng(2), 2000, 3, 500, 2.0, 0.3)
    history = amp(tokens, y, 2.0, 0.3).history
    x = np.zeros(2)
    for row in history.head(8).itertuples():
        x = step(Regime(2.0, 3, 1.0, 0.3), 4.0, x)
        np.testing.assert_allclose([row.q_k, row.q_v], -np.expm1(-x), rtol=0, atol=0.06)


def test_a_list_of_sequences_is_the_same_data_and_lengths_may_differ():
    tokens, y, k, v = amp_data(np.random.default_rng(1), 400, 4, 60, 2.5, 0.2)
    whole, parts = amp(tokens, y, 2.5, 0.2), amp(list(tokens), y, 2.5, 0.2)
    np.testing.assert_allclose(whole.key, parts.key, rtol=0, atol=1e-10)
    rng = np.random.default_rng(3)
    longer = [np.concatenate([t, rng.standard_normal((i % 3, 60))]) for i, t in enumerate(tokens)]
    found = amp(longer, y, 2.5, 0.2)
    assert found.key @ k > 0.85 and found.value @ v > 0.85
    assert found.risk > whole.risk


@pytest.mark.parametrize(
    "tokens, labels, words",
    [
        (np.zeros((3, 2)), np.zeros(3), "`tokens` must be"),
        ([], [], "`tokens` must be"),
        ([np.zeros((2, 3)), np.zeros((2, 4))], [0.0, 0.0], "must all have one dimension"),
        (np.zeros((3, 2, 4)), np.zeros(2), "`labels` must hold one number per sequence"),
        (np.full((3, 2, 4), np.nan), np.zeros(3), "must be finite"),
    ],
)
def test_refusals(tokens, labels, words):
    with pytest.raises(ValueError, match=words):
        amp(tokens, labels)
    with pytest.raises(ValueError, match="`noise` must be"):
        amp(np.zeros((3, 2, 4)), np.zeros(3), 1.0, -0.1)
