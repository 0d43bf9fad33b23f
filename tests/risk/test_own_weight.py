"""A user's weight that jumps or bends: exact where its places are named, else refused, never wrong.

Oracles: the closed form of a step, 30 digits elsewhere.
"""

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from mpmath import mp
from scipy.stats import norm
from tests.oracles import pointwise_plain as oracle

from soloc import (
    MaxLocation,
    Overlaps,
    Pointwise,
    SingleLocation,
    excess_risk,
    log_excess_risk,
    population_path,
)
from soloc.maths.engine import engine_of
from soloc.risk.risk_map import risk_map
from soloc.weights import ReLU

TASK, O = SingleLocation(20, 6, 0.8), Overlaps(0.7, 0.6, 0.1, -0.2, 0.15)
ON = Overlaps(0.7, 0.6)


def step(x):
    return jnp.where(x > 1.0, 1.0, 0.0)


def ramp(x):
    return jnp.clip(x, -0.5, 2.0)


def band(x):
    return jnp.where((x > 0.5) & (x < 1.5), x * x, -0.3)


def step_risk(lam, task=TASK, o=ON):
    """On the manifold: gamma^2 (1 + (1 - 2 nu) P(x_J > 1)) + (L - 1) P(x > 1)."""
    inside = norm.cdf((lam * task.m * o.kappa - 1.0) / (lam * task.gamma))
    return task.gamma**2 * (1 + (1 - 2 * o.nu) * inside) + (task.L - 1) * norm.cdf(-1.0 / lam)


@pytest.mark.parametrize("lam", [0.05, 0.3, 1.0, 30.0])
def test_a_step_away_from_zero_has_its_closed_risk(lam):
    found = excess_risk(TASK, Pointwise.of(step, lam, kink=1.0), ON)
    assert found == pytest.approx(step_risk(lam), rel=1e-11)


def test_its_slopes_are_those_of_the_closed_risk():
    """At round lam, too, where the jump stands on the end of another panel."""
    lam = np.array([0.3, 0.5, 1.0, 2.0])
    slopes = jax.grad(
        lambda lam: jnp.sum(excess_risk(TASK, Pointwise.of(step, lam, kink=1.0), ON))
    )(jnp.asarray(lam))
    density = norm.pdf((lam * TASK.m * ON.kappa - 1.0) / (lam * TASK.gamma))
    expected = TASK.gamma**2 * (1 - 2 * ON.nu) * density / (lam**2 * TASK.gamma)
    expected += (TASK.L - 1) * norm.pdf(1.0 / lam) / lam**2
    assert np.asarray(slopes) == pytest.approx(expected, rel=1e-5)


def by_mpmath(function, kinks, lam):
    """The risk off the manifold from its moments, each integral cut at the kinks."""

    def moments(centre, s):
        inside = (float(np.clip((kink - centre) / s, -12.0, 12.0)) for kink in kinks)
        cuts = sorted({-12.0, -4.0, 0.0, 4.0, 12.0, *inside})

        def moment(power, q):
            def integrand(z):
                polynomial = sum(c * z**i for i, c in enumerate(q.coef))
                return function(centre + s * z) ** power * polynomial * mp.npdf(z)

            return float(mp.quad(integrand, cuts))

        return moment

    rest = {name: getattr(O, name) for name in ("nu", "theta", "eta", "rho")}
    signal, background = moments(lam * TASK.m * O.kappa, lam * TASK.gamma), moments(0.0, lam)
    return oracle.excess_from_moments(signal, background, TASK.m, TASK.gamma, TASK.L, **rest)


PIECES = {
    "ramp": (ramp, lambda x: min(max(x, mp.mpf(-0.5)), mp.mpf(2)), (-0.5, 2.0)),
    "band": (band, lambda x: x * x if 0.5 < x < 1.5 else mp.mpf(-0.3), (0.5, 1.5)),
}


@pytest.mark.parametrize("name", PIECES)
@pytest.mark.parametrize("lam", [0.2, 1.1])
def test_several_kinks_are_integrated_to_the_digits_of_mpmath(name, lam):
    ours, theirs, kinks = PIECES[name]
    found = excess_risk(TASK, Pointwise.of(ours, lam, kink=kinks), O)
    assert found == pytest.approx(by_mpmath(theirs, kinks, lam), rel=1e-10)
    assert log_excess_risk(TASK, Pointwise.of(ours, lam, kink=kinks), O) == pytest.approx(
        np.log(found), rel=1e-10
    )


@pytest.mark.parametrize("name", PIECES)
def test_slopes_of_several_kinks_are_differences(name):
    ours, _, kinks = PIECES[name]

    def risk(lam, kappa):
        moved = Overlaps(kappa, *(getattr(O, part) for part in ("nu", "theta", "eta", "rho")))
        return excess_risk(TASK, Pointwise.of(ours, lam, kink=kinks), moved)

    h = 1e-5
    slopes = jax.grad(risk, argnums=(0, 1))(0.6, O.kappa)
    differences = (
        (risk(0.6 + h, O.kappa) - risk(0.6 - h, O.kappa)) / (2 * h),
        (risk(0.6, O.kappa + h) - risk(0.6, O.kappa - h)) / (2 * h),
    )
    assert np.asarray(slopes) == pytest.approx(np.asarray(differences), rel=2e-4)


def test_the_order_of_kinks_and_one_too_many_change_nothing():
    risks = [
        excess_risk(TASK, Pointwise.of(ramp, 0.6, kink=kinks), O)
        for kinks in ((-0.5, 2.0), (2, -0.5), [-0.5, 0.3, 2.0])
    ]
    assert risks == pytest.approx([risks[0]] * 3, rel=1e-12)


UNNAMED = {
    "step": (step, 0.0, "near x = lam X.k = 1;"),
    "one of two": (ramp, 2.0, r"near x = lam X.k = -0.5, beside 2;"),
}


@pytest.mark.parametrize("name", UNNAMED)
def test_a_risk_that_misses_a_kink_is_refused_with_its_place(name):
    function, kink, place = UNNAMED[name]
    weight = Pointwise.of(function, 0.6, kink=kink)
    match = f"`kink` must name every place where the function jumps or bends.*{place}"
    with pytest.raises(ValueError, match=match):
        excess_risk(TASK, weight, O)
    with pytest.raises(ValueError, match=match):
        log_excess_risk(TASK, weight, O)
    with pytest.raises(ValueError, match=match):
        jax.grad(lambda lam: excess_risk(TASK, weight.with_lam(lam), O))(0.6)
    with pytest.raises(ValueError, match=match):
        population_path(TASK, weight, O, steps=4, step_size=1e-3)
    with pytest.raises(ValueError, match=match):
        risk_map(TASK, weight, np.linspace(-0.9, 0.9, 3))


@pytest.mark.parametrize("lam", [0.02, 0.1, 0.3, 0.6, 1.0, 3.0, 40.0])
@pytest.mark.parametrize("place", [0.2, 1.0, 2.9])
def test_what_is_not_refused_is_right(lam, place):
    """Where scores never meet the step, or a panel ends there by chance, it need not be named."""

    def late(x):
        return np.where(x > place, 1.0, 0.0)

    named = excess_risk(TASK, Pointwise.of(late, lam, kink=place), O)
    try:
        found = excess_risk(TASK, Pointwise.of(late, lam), O)
    except ValueError:
        return
    assert found == pytest.approx(named, rel=1e-6)


@dataclass(frozen=True)
class Late(Pointwise):
    """A class of a user with a bend that it does not name."""

    at: Any = 0.7

    def value(self, x):
        return engine_of(x).xp.maximum(x - self.at, 0.0)


def test_a_class_of_a_user_is_checked_too():
    with pytest.raises(ValueError, match=r"got Late that does so near x = lam X.k = 0.7;"):
        excess_risk(TASK, Late(0.3), O)
    with pytest.raises(ValueError, match=r"got Late that does so near x = lam X.k = 0.7;"):
        jax.grad(lambda lam: excess_risk(TASK, Late(lam), O))(0.3)
    slopes = jax.grad(lambda weight: excess_risk(TASK, weight, O))(Late(0.3))
    assert np.isnan(slopes.lam) and np.isnan(slopes.at)  # JAX moves the place itself
    with pytest.raises(ValueError, match="`function` must change slowly"):
        excess_risk(TASK, Late(0.3, at=np.array([0.7, 0.8])), O)


def test_a_function_too_sharp_for_the_nodes_is_refused_and_has_no_slope():
    def sharp(x):
        return jnp.tanh(100.0 * x)

    with pytest.raises(ValueError, match="`function` must change slowly.*tanh at lam=100"):
        excess_risk(TASK, Pointwise.of(sharp, 0.6), O)
    with pytest.raises(ValueError, match="`function` must change slowly"):
        population_path(TASK, Pointwise.of(sharp, 0.6), O, steps=4, step_size=1e-3)
    slope = jax.grad(lambda lam: excess_risk(TASK, Pointwise.of(sharp, lam), O))(0.6)
    assert np.isnan(slope)


def test_a_token_alone_is_checked_and_cut_as_well():
    """L = 1 and v = v*: gamma^2 P(x <= 1) is left."""
    alone, right = SingleLocation(20, 1, 0.8), Overlaps(0.7, 1.0)
    expected = 0.8**2 * norm.cdf((1.0 - 0.6 * alone.m * 0.7) / (0.6 * 0.8))
    found = excess_risk(alone, Pointwise.of(step, 0.6, kink=1.0), right)
    assert found == pytest.approx(expected, rel=1e-9)
    with pytest.raises(ValueError, match="`kink` must name every place"):
        excess_risk(alone, Pointwise.of(ramp, 0.6), right)


def test_the_largest_score_takes_a_jump_at_zero_alone():
    task = MaxLocation(20, 6)
    half = excess_risk(task, Pointwise.of(lambda x: np.where(x > 0.0, x, 0.0), 0.6), ON)
    assert half == pytest.approx(excess_risk(task, ReLU(0.6), ON), rel=1e-12)
    jump = Pointwise.of(lambda x: np.where(x > 0.0, 1.0, 0.0), 0.6)
    square = 6 * 0.5  # L P(a > 0), and E[sigma(a_J)] on the way
    shared = (1.0 + square - excess_risk(task, jump, ON)) / (2 * 0.6)
    assert 0.5 < shared < 1.0
    assert excess_risk(task, jump, Overlaps(1.0, 1.0)) == pytest.approx(
        1.0 - 2.0 * (1.0 - 0.5**6) + square, rel=1e-10
    )
    with pytest.raises(ValueError, match="`kink` must be 0 for the exact risk of the largest"):
        excess_risk(task, Pointwise.of(step, 0.6, kink=1.0), ON)
    with pytest.raises(ValueError, match="`kink` must name every place"):
        excess_risk(task, Pointwise.of(step, 0.6), ON)


@pytest.mark.parametrize("kink", ["1", (0.0, np.inf), (), None])
def test_kinks_are_finite_numbers(kink):
    with pytest.raises((TypeError, ValueError), match="`kink` must be a finite number, or a tuple"):
        Pointwise.of(np.tanh, kink=kink)
