"""exp, log and erf written as arithmetic: against 30 digits, at the ends, and their derivatives."""

import jax
import mpmath
import numpy as np
import pytest

from soloc.maths.arithmetic import (
    erf,
    erf_beside,
    exp_of_negative,
    log_of_positive,
    log_of_single,
)

DRAWS = np.random.default_rng(0)
ROUNDINGS = 4 * np.finfo(float).eps


def beside_its_decay(x):
    return erf_beside(x, exp_of_negative(-x * x))


OF_ERF = [
    DRAWS.normal(0, 2, 500),
    10.0 ** -DRAWS.uniform(0, 300, 50),
    [1.0, -1.0, 6.0, 6.2, 40.0],
]
CASES = {
    "exp": (
        exp_of_negative,
        mpmath.exp,
        [-DRAWS.exponential(3.0, 300), -DRAWS.uniform(0, 700, 300), [0.0, -1e-300]],
    ),
    "log": (
        log_of_positive,
        mpmath.log,
        [
            DRAWS.uniform(0, 1, 300),
            2.0 ** -DRAWS.uniform(0, 54, 300),
            1.0 - DRAWS.uniform(0, 1e-9, 50),
            [0.5**0.5, 2.0**0.5, 1 - 2.0**-53, 1e300],
        ],
    ),
    "erf": (erf, mpmath.erf, OF_ERF),
    "erf beside its decay": (beside_its_decay, mpmath.erf, OF_ERF),
}


@pytest.mark.parametrize("name", CASES)
def test_values_are_exact_to_a_few_roundings(name):
    ours, theirs, parts = CASES[name]
    x = np.concatenate(parts)
    with jax.enable_x64(True):
        value = np.asarray(jax.jit(ours)(x))
    truth = np.array([float(theirs(mpmath.mpf(float(each)))) for each in x])
    np.testing.assert_allclose(value, truth, rtol=ROUNDINGS, atol=0.0)


def test_the_logarithm_of_single_precision_is_exact_to_its_roundings():
    x = np.concatenate([DRAWS.uniform(0, 1, 500), 2.0 ** -DRAWS.uniform(0, 33, 500), [1.0]])
    x = x.astype(np.float32)
    found = np.asarray(jax.jit(log_of_single)(x), dtype=float)
    np.testing.assert_allclose(found, np.log(x.astype(float)), rtol=4 * 2.0**-23, atol=1e-7)


@pytest.mark.parametrize("erf", [erf, beside_its_decay])
def test_ends_are_right(erf):
    with jax.enable_x64(True):
        ends = np.asarray(erf(np.array([np.inf, -np.inf, 0.0, -0.0, np.nan])))
        nothing = float(exp_of_negative(-np.inf))
        assert float(log_of_positive(1.0)) == 0.0
    np.testing.assert_array_equal(ends, [1.0, -1.0, 0.0, 0.0, np.nan])
    assert np.signbit(ends[3]) and 0.0 <= nothing < 1e-300


@pytest.mark.parametrize("erf", [erf, beside_its_decay])
@pytest.mark.parametrize("x", [0.7, -1.9])
def test_erf_has_derivatives_of_every_order(erf, x):
    with jax.enable_x64(True):
        first, second = jax.grad(erf)(x), jax.grad(jax.grad(erf))(x)
    slope = 2.0 / np.sqrt(np.pi) * np.exp(-x * x)
    np.testing.assert_allclose([first, second], [slope, -2.0 * x * slope], rtol=1e-15)
