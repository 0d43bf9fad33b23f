"""Every exact risk under JAX's transformations, in its default mode and in 64-bit mode."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from soloc import (
    Overlaps,
    SingleLocation,
    bayes_risk,
    excess_risk,
    log_excess_risk,
    population_risk,
)
from soloc.predictors.catalogue import WEIGHTS
from soloc.predictors.pointwise import Erf

TASK, O = SingleLocation(20, 6, 0.8, eps=0.3), Overlaps(0.7, 0.6, 0.1, -0.2, 0.15)
LAM, H = 0.7, 1e-4
EXACT = [entry.kind for entry in WEIGHTS.values() if entry.exact]
QUICK = [Erf]


def risk(kind):
    """As a user writes it: a function of lam and kappa."""
    return lambda lam, kappa: population_risk(
        TASK, kind(lam), Overlaps(kappa, O.nu, O.theta, O.eta, O.rho)
    )


def slopes_by_differences(function):
    """First and second derivatives in (lam, kappa) at 64-bit numbers, by central differences."""
    at = lambda i, j: float(function(LAM + i * H, O.kappa + j * H))  # noqa: E731
    first = [(at(1, 0) - at(-1, 0)) / (2 * H), (at(0, 1) - at(0, -1)) / (2 * H)]
    cross = (at(1, 1) - at(1, -1) - at(-1, 1) + at(-1, -1)) / (4 * H * H)
    bends = [
        [(at(1, 0) - 2 * at(0, 0) + at(-1, 0)) / H**2, cross],
        [cross, (at(0, 1) - 2 * at(0, 0) + at(0, -1)) / H**2],
    ]
    return np.array(first), np.array(bends)


def check_every_transformation(kind):
    plain = risk(kind)
    value, (first, second) = float(plain(LAM, O.kappa)), slopes_by_differences(plain)
    many = np.array([float(plain(lam, O.kappa)) for lam in (0.3, LAM)])
    for x64, close in ((False, 2e-6), (True, 1e-11)):
        with jax.enable_x64(x64):
            lam, lams = jnp.asarray(LAM), jnp.asarray([0.3, LAM])
            dtype = lam.dtype
            found = jax.jit(plain)(lam, O.kappa)
            assert found.dtype == dtype and float(found) == pytest.approx(value, rel=close)
            mapped = jax.vmap(lambda lam: plain(lam, O.kappa))(lams)
            assert np.asarray(mapped) == pytest.approx(many, rel=close)
            inside = jax.jit(jax.vmap(jax.grad(plain, argnums=(0, 1)), in_axes=(0, None)))
            per_run = np.asarray(inside(lams, jnp.asarray(O.kappa)))[:, 1]
            slopes = np.asarray(jax.grad(plain, argnums=(0, 1))(lam, jnp.asarray(O.kappa)))
            assert slopes == pytest.approx(per_run, rel=10 * close, abs=1e-6 if not x64 else 1e-12)
            assert slopes == pytest.approx(first, rel=1e-5, abs=1e-5)
            bends = jax.hessian(plain, argnums=(0, 1))(lam, jnp.asarray(O.kappa))
            assert np.asarray(bends) == pytest.approx(second, rel=2e-4, abs=2e-4)
            assert np.asarray(bends).dtype == dtype


@pytest.mark.parametrize("kind", QUICK)
def test_a_weight_has_the_same_risk_and_slopes_in_every_mode(kind):
    check_every_transformation(kind)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [kind for kind in EXACT if kind not in QUICK])
def test_every_other_weight_has_the_same_risk_and_slopes_in_every_mode(kind):
    check_every_transformation(kind)


@pytest.mark.parametrize("x64", [False, True])
def test_things_come_back_as_what_they_are(x64):
    kind = QUICK[0]
    with jax.enable_x64(x64):
        weight, o, task = jax.grad(
            lambda weight, o, task: excess_risk(task, weight, o), argnums=(0, 1, 2)
        )(kind(LAM), O, TASK)
    assert (type(weight), type(o), type(task)) == (kind, Overlaps, SingleLocation)
    assert float(task.eps) == 0.0 and float(weight.lam) == pytest.approx(
        slopes_by_differences(risk(kind))[0][0], rel=1e-4
    )


def test_numbers_that_jax_does_not_move_keep_their_digits():
    """gamma and the overlaps stay doubles behind the border, in a single-precision program too."""
    kind, gamma = QUICK[0], 0.8 + 3e-9
    shifted = SingleLocation(20, 6, gamma)
    with jax.enable_x64(False):
        both = [
            jax.jit(lambda lam, t=t: log_excess_risk(t, kind(lam), O))(LAM) for t in (TASK, shifted)
        ]
    plain = [log_excess_risk(t, kind(np.float32(LAM)), O) for t in (TASK, shifted)]
    assert np.asarray(both) == pytest.approx(np.asarray(plain, np.float32), rel=1e-7)


@pytest.mark.parametrize("x64", [pytest.param(False, marks=pytest.mark.slow), True])
def test_the_bayes_risk_is_a_program_too(x64):
    plain = float(bayes_risk(TASK))
    with jax.enable_x64(x64):
        found = jax.jit(bayes_risk)(TASK)
        slope = jax.grad(lambda gamma: bayes_risk(SingleLocation(20, 6, gamma)))(0.8)
    assert float(found) == pytest.approx(plain, rel=1e-6)
    up, down = (float(bayes_risk(SingleLocation(20, 6, 0.8 + h))) for h in (1e-5, -1e-5))
    assert float(slope) == pytest.approx((up - down) / 2e-5, rel=1e-4)
