"""Learning curves: published fixed points and baselines, limits, both starts, the way back."""

import numpy as np
import pytest
from tests.oracles.learning_draws import amp_data

from soloc.learning import (
    bayes_curve,
    known_location_curve,
    linear_curve,
    moment_start_curve,
    samples_for,
    tails,
)
from soloc.learning.regime import regime_of
from soloc.learning.state_evolution import free_entropy, informed, step, uninformed
from soloc.risk.baselines import bayes_risk, linear_risk
from soloc.tasks.single_location import LengthLaw, SingleLocation

#: (L, signal, eps, n/d): q_k, q_v, R and the digits that are published
FIXED_POINTS = {
    (2, 1.0, 0.5, 2.0): (0.5932939162, 0.7154819863, 0.8083019996, 1e-7),
    (3, 2.0, 0.3, 0.5): (0.58807, 0.30485, 0.88167, 5e-6),
    (3, 2.0, 0.3, 1.0): (0.7625865905, 0.6139617782, 0.6337152648, 1e-7),
    (3, 2.0, 0.3, 2.0): (0.87514, 0.89305, 0.39768, 5e-6),
    (3, 2.0, 0.3, 4.0): (0.9353552037, 0.9646651894, 0.3273313731, 1e-7),
    (8, 2.5, 0.3, 2.0): (0.9119793801, 0.8790113520, 0.4479734135, 1e-7),
}


def task_of(L, signal, eps, gamma=1.0):
    return SingleLocation(L=L, gamma=gamma, eps=eps, signal=signal)


@pytest.mark.parametrize("case", FIXED_POINTS)
def test_published_fixed_points(case):
    *task, ratio = case
    *expected, tolerance = FIXED_POINTS[case]
    rows = bayes_curve(task_of(*task), ratio)
    assert list(rows.start) == ["uninformed"]
    found = rows[["q_k", "q_v", "risk"]].to_numpy()[0]
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance)


@pytest.mark.parametrize(
    "L, signal, eps", [(2, 1.0, 0.2), (3, 2.0, 0.3), (50, 3.0, 0.0), (10**6, 5.0, 0.5)]
)
def test_no_data_and_all_data(L, signal, eps):
    task = task_of(L, signal, eps)
    rows = bayes_curve(task, [0.0, np.inf])
    assert rows.risk[0] == pytest.approx(eps**2 + 1.0, abs=1e-9)
    assert rows.mass[0] == pytest.approx(1.0 / L, abs=1e-9)
    assert rows.risk[1] == pytest.approx(float(bayes_risk(task)), abs=1e-9)
    assert (rows.q_k[1], rows.q_v[1]) == (1.0, 1.0)


@pytest.mark.parametrize("ratio", [0.4, 1.1, 3.0, 40.0])
@pytest.mark.parametrize("eps", [0.0, 0.4])
def test_a_single_token_has_a_known_location(ratio, eps):
    task = task_of(1, 1.5, eps)
    risk = bayes_curve(task, ratio).risk.iloc[-1]
    assert risk == pytest.approx(known_location_curve(task, ratio).risk[0], abs=1e-7)


@pytest.mark.parametrize(
    "L, signal, eps, ratio",
    [(8, 0.8, 0.01, 2.6), (2, 3.0, 0.1, 1.25), (1000, 2.8, 0.01, 3.9), (3, 1.0, 0.01, 1.15)],
)
def test_lengthened_steps_end_where_plain_ones_do(L, signal, eps, ratio):
    regime = regime_of(task_of(L, signal, eps))
    for settle, start in [
        (uninformed, np.zeros(2)),
        (informed, np.log1p(ratio * np.array([signal**2, eps**-2]))),
    ]:
        x = start
        for _ in range(2000):
            x, last = step(regime, ratio, x), x
            if np.abs(x - last).max() < 1e-9:
                break
        np.testing.assert_allclose(settle(regime, ratio).log_lost, x, rtol=0, atol=1e-6)


def test_both_starts_are_reported_where_they_differ():
    rows = bayes_curve(task_of(3, 1.0, 0.01), [1.0, 1.15, 1.3, 1.6])
    assert list(rows.start) == ["uninformed"] * 4 + ["informed"] * 2
    assert list(rows.samples_per_dimension) == [1.0, 1.15, 1.3, 1.6, 1.15, 1.3]
    # the free entropy prefers the informed one from 1.22 on
    assert list(rows.optimal) == [True, True, False, True, False, True]
    assert rows.risk[5] < rows.risk[2] - 0.1


def test_the_order_and_the_company_of_ratios_do_not_matter():
    task = task_of(3, 1.0, 0.01)
    together = bayes_curve(task, [1.6, 1.0, 1.3, 1.3])
    for ratio in (1.0, 1.3, 1.6):
        alone = bayes_curve(task, ratio)
        rows = together[together.samples_per_dimension == ratio].drop_duplicates()
        np.testing.assert_allclose(rows.q_v, alone.q_v, rtol=0, atol=1e-9)


def test_the_free_entropy_is_stationary_at_the_fixed_point():
    regime = regime_of(task_of(5, 1.5, 0.2))
    point = uninformed(regime, 1.7)
    value = free_entropy(regime, point)
    for shift in ([1e-3, 0.0], [0.0, 1e-3]):
        up, down = (
            free_entropy(regime, point._replace(log_lost=point.log_lost + side * np.array(shift)))
            for side in (1.0, -1.0)
        )
        assert abs(up - down) / 2e-3 < 1e-6
        assert max(abs(up - value), abs(down - value)) < 1e-5


def test_without_noise_the_value_is_found_exactly_from_one_sample_per_dimension():
    rows = bayes_curve(task_of(3, 1.0, 0.0), [0.8, 1.2])
    assert list(rows.start) == ["uninformed", "uninformed", "informed"]
    assert rows.q_v[2] == 1.0 and rows.optimal[2] and not rows.optimal[1]


@pytest.mark.parametrize("L, signal, eps", [(3, 2.0, 0.3), (100, 3.0, 0.2), (2, 1.0, 0.0)])
def test_tails_are_those_of_the_curve(L, signal, eps):
    task = task_of(L, signal, eps)
    law, ratio = tails(task), 2e4
    row = bayes_curve(task, ratio).iloc[-1]
    limit = float(bayes_risk(task))
    assert (1.0 - row.q_k) * ratio == pytest.approx(law.key, rel=1e-3)
    assert (1.0 - row.q_v) * ratio == pytest.approx(law.value, rel=1e-3, abs=1e-3)
    assert (row.risk - limit) * ratio == pytest.approx(law.risk, rel=1e-3)


@pytest.mark.parametrize(
    "L, signal, eps, risk, start",
    [
        (8, 2.5, 0.3, 0.45, "uninformed"),
        (3, 2.0, 0.3, 1.05, "informed"),
        (3, 2.0, 0.01, 0.3, "uninformed"),
        (8, 1.0, 0.01, 0.83, "informed"),
    ],
)
def test_samples_for_undoes_the_curve(L, signal, eps, risk, start):
    task = task_of(L, signal, eps)
    ratio = samples_for(task, risk, start)
    before, after = (bayes_curve(task, ratio * (1.0 + side)) for side in (-2e-5, 2e-5))
    row = 0 if start == "uninformed" else -1
    assert after.risk.iloc[row] <= risk <= before.risk.iloc[row]


@pytest.mark.parametrize("gamma", [0.6, 1.4])
def test_norms_tell_the_location_unless_gamma_is_one(gamma):
    task = task_of(4, 2.0, 0.3, gamma)
    rows = bayes_curve(task, [0.5, 2.0])
    assert list(rows.start) == ["known location"] * 2
    np.testing.assert_array_equal(rows.risk, known_location_curve(task, [0.5, 2.0]).risk)
    for ratio, risk in zip(rows.samples_per_dimension, rows.risk, strict=True):
        assert samples_for(task, risk) == pytest.approx(ratio, rel=1e-12)
    assert (1.0 - bayes_curve(task, 1e6).q_k[0]) * 1e6 == pytest.approx(tails(task).key, rel=1e-5)
    assert (bayes_curve(task, 1e6).risk[0] - 0.09) * 1e6 == pytest.approx(
        tails(task).risk, rel=1e-5
    )


def test_published_baselines():
    task = task_of(3, 2.0, 0.3)
    known = known_location_curve(task, [1.0, 2.0]).risk
    np.testing.assert_allclose(known, [0.348356226242, 0.167113333726], rtol=0, atol=1e-9)
    for features, expected in {
        "sum": [1.007108597902, 0.890109823803, 0.828823141458],
        "concatenation": [1.058329264308, 0.986465799459, 0.916029084857],
    }.items():
        found = linear_curve(task, [1.0, 4.0, 9.0], features).risk
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)
    penalised = linear_curve(task, 1.0, ridge=0.1).risk[0]
    assert penalised == pytest.approx(1.671191792168, abs=1e-9)


@pytest.mark.parametrize("features", ["sum", "concatenation"])
def test_linear_limits(features):
    task = task_of(4, 1.0, 0.2)
    rows = linear_curve(task, [0.0, np.inf], features)
    np.testing.assert_allclose(rows.risk, [1.04, float(linear_risk(task))], rtol=0, atol=1e-12)
    best = linear_curve(task, [0.7, 3.0], features).risk
    for ridge in (0.0, 0.3, 2.0, 20.0):
        assert np.all(best <= linear_curve(task, [0.7, 3.0], features, ridge).risk)


def test_baselines_agree_with_simulation():
    """Least squares on d = 150: the risk of every fit is known exactly given its coefficients."""
    L, d, noise, ridge = 3, 150, 0.3, 0.1
    task = task_of(L, 1.2, noise)
    risks = {"sum": [], "concatenation": []}
    for seed in range(16):
        tokens, y, _, v = amp_data(np.random.default_rng(seed), 2 * d, L, d, 1.2, noise)
        total = tokens.sum(axis=1) / np.sqrt(L)
        for name, x, truth in [
            ("sum", total, v / np.sqrt(L)),
            ("concatenation", tokens.reshape(len(y), -1), np.tile(v, L) / L),
        ]:
            x = x - x.mean(axis=0)
            fit = np.linalg.solve(
                x.T @ x / len(y) + ridge * np.eye(x.shape[1]), x.T @ (y - y.mean()) / len(y)
            )
            # tokens are centred; the mean along k* of a new one is that of the old ones
            risks[name].append(1.0 + noise**2 - truth @ truth + np.sum((fit - truth) ** 2))
    for name in ("sum", "concatenation"):
        expected = linear_curve(task, 2.0, name, ridge).risk[0]
        found = np.array(risks[name])
        assert abs(found.mean() - expected) < 4 * found.std(ddof=1) / 4 + 0.02


@pytest.mark.parametrize("gamma", [1.0, 0.5])
def test_moment_starts_agree_with_simulation(gamma):
    L, d, noise, signal, ratio = 5, 300, 0.4, 1.5, 3.0
    cosines = []
    for seed in range(12):
        rng = np.random.default_rng([seed, 1])
        k, v = np.linalg.qr(rng.standard_normal((d, 2)))[0].T
        n = int(ratio * d)
        tokens = rng.standard_normal((n, L, d))
        tokens[:, 0] = signal * k + gamma * tokens[:, 0]
        y = tokens[:, 0] @ v + noise * rng.standard_normal(n)
        total = tokens.sum(axis=1)
        key, value = total.sum(axis=0), y @ total
        cosines.append([key @ k / np.linalg.norm(key), value @ v / np.linalg.norm(value)])
    found = np.array(cosines)
    row = moment_start_curve(task_of(L, signal, noise, gamma), ratio).iloc[0]
    error = found.std(axis=0, ddof=1) / np.sqrt(len(found))
    assert np.all(np.abs(found.mean(axis=0) - row[["cos_k", "cos_v"]]) < 4 * error + 0.01)


def test_the_moment_start_is_the_first_step():
    task = task_of(6, 1.3, 0.4)
    q = -np.expm1(-step(regime_of(task), 2.5, np.zeros(2)))
    row = moment_start_curve(task, 2.5).iloc[0]
    np.testing.assert_allclose(row[["cos_k", "cos_v"]] ** 2, q, rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    "call, error, words",
    [
        (lambda: bayes_curve(SingleLocation(gamma=1.0), 1.0), ValueError, "`signal` must be given"),
        (lambda: bayes_curve("task", 1.0), TypeError, "`task` must be a SingleLocation"),
        (
            lambda: bayes_curve(SingleLocation(signal=1.0, lengths=LengthLaw.uniform(1, 3)), 1.0),
            ValueError,
            "`lengths` must be left out",
        ),
        (
            lambda: bayes_curve(SingleLocation(signal=np.ones(2)), 1.0),
            TypeError,
            "`signal` must be one number",
        ),
        (lambda: bayes_curve(task_of(2, 1.0, 0.1), -1.0), ValueError, "`ratios` must be numbers"),
        (lambda: bayes_curve(task_of(2, 1.0, 0.1), np.nan), ValueError, "`ratios` must be numbers"),
        (lambda: bayes_curve(task_of(2, 1.0, 0.1), []), ValueError, "`ratios` must be one number"),
        (lambda: samples_for(task_of(2, 1.0, 0.1), 0.01), ValueError, "`risk` must lie between"),
        (lambda: samples_for(task_of(2, 1.0, 0.1), 0.8, "both"), ValueError, "`start` must be"),
        (lambda: linear_curve(task_of(2, 1.0, 0.1, 0.5), 1.0), ValueError, "`gamma` must be 1"),
        (lambda: linear_curve(task_of(2, 1.0, 0.1), 1.0, "mean"), ValueError, "`features` must be"),
        (
            lambda: linear_curve(task_of(2, 1.0, 0.1), 1.0, ridge="least"),
            ValueError,
            "`ridge` must be a number",
        ),
        (lambda: tails(task_of(2, 0.0, 0.1)), ValueError, "`signal` must be positive"),
    ],
)
def test_refusals(call, error, words):
    with pytest.raises(error, match=words):
        call()
