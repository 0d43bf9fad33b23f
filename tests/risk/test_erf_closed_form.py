"""The erf risk against 30-digit integration, over the whole range that the closed form promises."""

import math

import mpmath
import numpy as np
import pytest
from tests.oracles.erf_mpmath import erf_excess as oracle_excess
from tests.oracles.erf_mpmath import log_excess_at_the_right_value
from tests.risk_draws import PLACES, draw

from soloc import Erf, Overlaps, SingleLocation, excess_risk, log_excess_risk, population_risk

TOLERANCE = 1e-11
CHECK_POINT = {
    "kappa": 0.3140269198845797,
    "nu": 0.19343829630061127,
    "theta": 0.25900668092192336,
    "eta": -0.23536921637297303,
    "rho": -0.055331243452185756,
}


def relative_error(point):
    """Error of the closed form against the oracle, in logarithms below 1e-290."""
    task, weight, overlaps = (
        SingleLocation(point.d, point.L, point.gamma),
        Erf(point.lam),
        Overlaps(**point.overlaps),
    )
    at_right_value = point.L == 1 and point.overlaps["nu"] == 1.0
    log_ours = float(log_excess_risk(task, weight, overlaps))
    # where 50 digits of a difference would not be enough
    if at_right_value and log_ours < math.log(1e-20):
        assert point.overlaps["kappa"] > 0, "the excess is of order one where kappa is negative"
        rest = {name: point.overlaps.get(name, 0.0) for name in ("kappa", "rho")}
        log_true = log_excess_at_the_right_value(task.m, point.gamma, point.lam, **rest)
        if log_true < math.log(1e-290):
            return abs(log_ours / float(log_true) - 1.0)
        true = mpmath.exp(log_true)
        return abs(float((float(excess_risk(task, weight, overlaps)) - true) / true))
    five = {name: point.overlaps.get(name, 0.0) for name in CHECK_POINT}
    true = oracle_excess(task.m, point.gamma, point.L, point.lam, **five)
    ours = excess_risk(task, weight, overlaps)
    assert abs(log_ours - math.log(float(ours))) < 1e-9 * max(1.0, abs(log_ours))
    return abs(float((float(ours) - true) / true))


def test_the_check_point_of_the_paper_setting():
    risk = population_risk(
        SingleLocation(20, 6, math.sqrt(0.5), 0.1), Erf(0.6), Overlaps(**CHECK_POINT)
    )
    assert float(risk) == pytest.approx(2.20894179490998, rel=1e-14)


@pytest.mark.parametrize("place", PLACES)
def test_equals_thirty_digit_integration(place):
    rng = np.random.default_rng(PLACES.index(place))
    assert max(relative_error(draw(rng, place)) for _ in range(3)) < TOLERANCE


@pytest.mark.parametrize(
    "d, gamma, lam, rho", [(4000, 0.7, 1.0, 0.0), (10**6, 0.01, 30.0, 0.3), (10**9, 2.0, 0.02, 0.1)]
)
def test_logarithm_equals_thirty_digit_integration_where_the_risk_underflows(d, gamma, lam, rho):
    kappa = math.sqrt(1.0 - rho**2)
    task = SingleLocation(d, 1, gamma)
    ours = float(log_excess_risk(task, Erf(lam), Overlaps(kappa, 1.0, 0.0, rho, rho)))
    true = float(log_excess_at_the_right_value(task.m, gamma, lam, kappa, rho))
    assert ours < math.log(1e-290)
    assert ours == pytest.approx(true, rel=TOLERANCE)


@pytest.mark.slow
@pytest.mark.parametrize("place", PLACES)
def test_sixty_draws_of_every_place_equal_thirty_digit_integration(place):
    rng = np.random.default_rng([7, PLACES.index(place)])
    errors = [relative_error(draw(rng, place)) for _ in range(60)]
    assert max(errors) < TOLERANCE


def test_no_draw_is_nan_infinite_or_negative_and_every_logarithm_is_finite():
    """10,000 draws, batched: every number of the task, the weight and the overlaps is an array."""
    rng = np.random.default_rng(1)
    points = [draw(rng, place) for place in PLACES for _ in range(2000)]
    task = SingleLocation(*(np.array([float(point[i]) for point in points]) for i in (0, 1, 3)))
    weight = Erf(np.array([point.lam for point in points]))
    given = ([point.overlaps.get(name, 0.0) for point in points] for name in CHECK_POINT)
    overlaps = Overlaps(*map(np.array, given))
    excess, logs = (np.asarray(f(task, weight, overlaps)) for f in (excess_risk, log_excess_risk))
    assert excess.shape == (10_000,)
    assert np.all(np.isfinite(excess)) and np.all(excess >= 0)
    assert np.all(np.isfinite(logs))
    visible = excess > 1e-280
    assert np.max(np.abs(logs[visible] - np.log(excess[visible]))) < 1e-9
