"""Special functions against scipy and mpmath."""

import jax
import mpmath as mp
import numpy as np
import pytest
from scipy.special import erf, erfcx, owens_t, wrightomega

from soloc.maths import special


def double(function, *arguments):
    with jax.enable_x64(True):
        return jax.tree.map(
            np.asarray, function(*(jax.numpy.asarray(x, jax.numpy.float64) for x in arguments))
        )


def test_variance_of_erf_is_a_difference_of_owens_t():
    x, g = np.meshgrid(np.linspace(-2.5, 2.5, 11), [0.3, 1.0, 5.0, 100.0])
    true = 8 * owens_t(np.sqrt(2) * x, 1.0) - 8 * owens_t(np.sqrt(2) * x, 1 / np.sqrt(1 + 4 * g**2))
    assert double(special.erf_variance, x, g) == pytest.approx(true, rel=1e-11, abs=1e-15)


@pytest.mark.parametrize("x, g", [(0.5, 1e-5), (3.0, 1e-3), (8.0, 2.0), (0.0, 1e-7), (5.0, 50.0)])
def test_variance_of_erf_keeps_full_precision_where_the_difference_has_none(x, g):
    with mp.workdps(40):
        a = 1 / mp.sqrt(1 + 4 * mp.mpf(g) ** 2)
        integrand = lambda y: mp.exp(-(mp.mpf(x) ** 2) * (1 + y**2)) / (1 + y**2)  # noqa: E731
        true = 4 / mp.pi * mp.quad(integrand, mp.linspace(a, 1, 9))
    assert float(double(special.erf_variance, x, g)) == pytest.approx(float(true), rel=1e-13)


def test_variance_of_erf_is_the_variance_of_erf():
    nodes, weights = np.polynomial.hermite_e.hermegauss(150)
    weights = weights / weights.sum()
    for x, g in [(0.0, 0.4), (0.7, 0.8), (-1.2, 1.0)]:
        values = erf(x * np.sqrt(1 + 2 * g * g) + g * nodes)
        true = weights @ values**2 - (weights @ values) ** 2
        assert float(double(special.erf_variance, x, g)) == pytest.approx(true, rel=1e-10)
        assert weights @ values == pytest.approx(erf(x), abs=1e-11)


def test_increment_of_erf_keeps_full_precision_at_every_size():
    for x in (1e-8, 0.1, 1.0, 5.0, 20.0, -3.0):
        for g in (1e-9, 1e-4, 0.1, 1.0, 100.0):
            with mp.workdps(60):
                a = 1 / mp.sqrt(1 + 4 * mp.mpf(g) ** 2)
                true = mp.erf(mp.mpf(x)) - mp.erf(a * mp.mpf(x))
            assert float(double(special.erf_increment, x, g)) == pytest.approx(
                float(true), rel=1e-12
            ), (x, g)


@pytest.mark.parametrize("function", [special.erf_increment, special.erf_variance])
def test_derivative_rules_equal_finite_differences(function):
    for x, g in [(0.3, 0.5), (1.7, 2.0), (-0.8, 0.1)]:
        for argument in (0, 1):
            with jax.enable_x64(True):
                slope = float(jax.grad(function, argument)(x, g))
            h = 1e-5
            moved = [[x + s * h * (argument == 0), g + s * h * (argument == 1)] for s in (1, -1)]
            difference = float(double(function, *moved[0]) - double(function, *moved[1])) / (2 * h)
            assert slope == pytest.approx(difference, rel=1e-7)


def test_scaled_complement_of_large_arguments():
    x = np.array([10.0, 13.0, 30.0, 1e3, 1e8])
    assert double(special.erfcx_of_large, x) == pytest.approx(erfcx(x), rel=1e-12)


def test_wright_omega_is_that_of_scipy():
    x = np.array([-500.0, -40.0, -31.0, -20.0, -5.0, 0.0, 0.9, 1.1, 10.0, 1e3, 1e6])
    assert double(special.wright_omega, x) == pytest.approx(wrightomega(x), rel=2e-14, abs=1e-290)
