"""jax.grad of every exact risk in overlaps, lam and gamma, against central differences."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from tests.risk_draws import overlaps as draw_overlaps

from soloc import Overlaps, SingleLocation, excess_risk, weights
from soloc.predictors.catalogue import WEIGHTS

O = tuple(
    draw_overlaps(np.random.default_rng(5), "generic")[name]
    for name in ("kappa", "nu", "theta", "eta", "rho")
)
CHEAP = [weights.Erf, weights.Tanh, weights.Sigmoid, weights.ReLU, weights.Softmax]
OTHERS = [entry.kind for entry in WEIGHTS.values() if entry.exact and entry.kind not in CHEAP]
POINT = np.array([0.7, 0.8, *O])  # lam, gamma and the overlaps


def excess_of(kind):
    def excess(point):
        lam, gamma, *five = point
        return excess_risk(SingleLocation(20, 6, gamma), kind(lam), Overlaps(*five))

    return excess


def check_gradient(kind):
    excess = excess_of(kind)
    with jax.enable_x64(True):
        gradient = np.asarray(jax.grad(excess)(jnp.asarray(POINT)))
    h = 1e-5
    moves = h * np.eye(len(POINT))
    up, down = (
        np.array([float(excess(POINT + sign * move)) for move in moves]) for sign in (1, -1)
    )
    assert gradient == pytest.approx((up - down) / (2 * h), rel=1e-6, abs=1e-7)
    return gradient


@pytest.mark.parametrize("kind", CHEAP)
def test_gradient_equals_central_differences(kind):
    check_gradient(kind)


@pytest.mark.slow
@pytest.mark.parametrize("kind", OTHERS)
def test_gradient_of_the_other_weights_equals_central_differences(kind):
    check_gradient(kind)


def test_gradient_runs_without_any_flag_and_agrees_to_single_precision():
    excess = excess_of(weights.Erf)
    with jax.enable_x64(True):
        exact = np.asarray(jax.grad(excess)(jnp.asarray(POINT)))
    single = jax.grad(excess)(jnp.asarray(POINT, jnp.float32))
    assert single.dtype == jnp.float32
    assert np.asarray(single) == pytest.approx(exact, rel=1e-4, abs=1e-5)
