"""Attention trained on n sequences: exact where it is ridge regression, else published bands."""

from dataclasses import dataclass
from typing import Any, ClassVar

import jax.numpy as jnp
import numpy as np
import pytest

from soloc.learning import erm_curve, linear_curve
from soloc.predictors.normalised import CosineReweighted, Softmax
from soloc.predictors.pointwise import Erf
from soloc.risk.overlaps import Overlaps
from soloc.risk.population import population_risk
from soloc.tasks.single_location import SingleLocation


def task_of(L, gamma=1.0, signal=2.0, eps=0.3):
    return SingleLocation(L=L, gamma=gamma, eps=eps, signal=signal)


@dataclass(frozen=True)
class Ones:
    """Weight one on every token: attention is then linear regression on the sum of tokens."""

    lam: Any = 1.0
    position_free: ClassVar[bool] = True

    def __call__(self, scores, present=None):
        return jnp.ones_like(scores)


@pytest.mark.parametrize("L", [1, 3])
def test_weights_that_do_not_look_are_ridge_regression(L):
    rho, ratios = 0.4, [0.7, 3.0]
    rows = erm_curve(task_of(L), Ones(), ratios, rho, points=2048)
    for row in rows.itertuples():
        ridge = rho / (L * row.samples_per_dimension)
        expected = linear_curve(task_of(L), row.samples_per_dimension, ridge=ridge).risk[0]
        assert row.risk == pytest.approx(expected, abs=2e-3)
        assert row.mass == 1.0 and row.m_k == pytest.approx(0.0, abs=1e-6)
    assert rows.settled.all()


def test_one_token_gets_all_attention():
    row = erm_curve(task_of(1), Softmax(2.0), 2.0, (0.3, 0.5), points=1024).iloc[0]
    expected = linear_curve(task_of(1), 2.0, ridge=0.25).risk[0]
    assert row.risk == pytest.approx(expected, abs=2e-3)
    assert row.ridge_k == 0.3 and row.ridge_v == 0.5


def test_its_risk_is_the_population_risk_at_its_overlaps():
    task = task_of(2)
    row = erm_curve(task, Erf(5.0), 4.0, 0.3, points=1024).iloc[0]
    lam, size = np.sqrt(row.q_k), np.sqrt(row.q_v)
    kappa, nu = row.m_k / lam, row.m_v / size

    def risk(alignment):
        overlaps = Overlaps(float(kappa), float(alignment))
        return float(population_risk(task, Erf(float(lam)), overlaps))

    # the risk is eps^2 + 1 - 2 |v| E[T c] + |v|^2 E[T^2], and E[T c] is linear in nu
    square = risk(0.0) - 1.09
    product = -0.5 * (risk(nu) - risk(0.0))
    assert row.risk == pytest.approx(
        1.09 - 2.0 * size * product + size**2 * square, abs=4 * row.error + 2e-3
    )


def test_a_published_value():
    row = erm_curve(task_of(2), Softmax(1.0), 4.0, 0.1, points=1024).iloc[0]
    found = row[["m_k", "m_v", "q_k", "q_v", "risk", "training"]].astype(float)
    theory = np.array([0.840, 1.070, 1.283, 1.219, 0.358, 0.092])
    assert np.all(np.abs(found - theory) < [0.03, 0.02, 0.06, 0.02, 0.006, 0.004])


#: L, gamma, rho, n/d; simulated mean and error (d = 500) of m_k, m_v, q_k, q_v, R where published
SIMULATED = {
    (2, 1.0, 0.1, 1.0): dict(m_k=(0.222, 0.019), m_v=(0.666, 0.029), risk=(0.854, 0.034)),
    (2, 1.0, 0.1, 4.0): dict(
        m_k=(0.8405, 0.007),
        m_v=(1.068, 0.006),
        q_k=(1.282, 0.024),
        q_v=(1.214, 0.012),
        risk=(0.358, 0.001),
    ),
    (2, 1.0, 0.1, 8.0): dict(m_k=(1.199, 0.008), q_k=(2.143, 0.024), risk=(0.2922, 0.0017)),
    (3, 0.6, 0.2, 4.0): dict(m_k=(0.765, 0.015), risk=(0.3076, 0.0044)),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", SIMULATED)
def test_bands_of_the_simulation(case):
    """4 errors + .02 on overlaps, 4 errors + .01 on the risk."""
    L, gamma, rho, ratio = case
    row = erm_curve(task_of(L, gamma), Softmax(1.0), ratio, rho, points=8192).iloc[0]
    for name, (mean, error) in SIMULATED[case].items():
        band = 4 * error + (0.01 if name == "risk" else 0.02)
        assert abs(row[name] - mean) < band, (case, name, row[name], mean)


def test_the_best_ridge_is_better_than_others():
    best = erm_curve(task_of(2), Softmax(1.0), 3.0, "best", points=1024).iloc[0]
    for rho in (0.02, 2.0):
        other = erm_curve(task_of(2), Softmax(1.0), 3.0, rho, points=1024).iloc[0]
        assert best.risk < other.risk


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: erm_curve(task_of(9), Softmax(1.0), 1.0), "`L` must be at most 8"),
        (lambda: erm_curve(task_of(2), CosineReweighted(1.0), 1.0), "must not depend on the posit"),
        (lambda: erm_curve(task_of(2), Softmax(1.0), 0.0), "`ratios` must be positive"),
        (lambda: erm_curve(task_of(2), Softmax(1.0), 1.0, "least"), "`ridge` must be a number, a"),
        (lambda: erm_curve(task_of(2), Softmax(1.0), 1.0, 0.0), "`ridge` must be a positive"),
        (lambda: erm_curve(task_of(2), Softmax(1.0), 1.0, (1, 2, 3)), "or a pair"),
    ],
)
def test_refusals(call, words):
    with pytest.raises(ValueError, match=words):
        call()
