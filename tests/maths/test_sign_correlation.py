"""Covariance of two signs against 30-digit quadrature, its slopes against differences."""

import jax
import mpmath as mp
import numpy as np
import pytest

from soloc.maths.sign_correlation import sign_covariance, sign_moments

POINTS = [
    (0.0, 0.0, 0.4),
    (1.0, 0.5, 0.3),
    (-1.2, 0.7, -0.6),
    (2.0, 2.1, 0.99),
    (1.0, 1.5, -0.99),
    (3.0, 3.0, 0.9999),
    (6.0, 6.5, 0.98),
]


def exact(a: float, b: float, r: float) -> mp.mpf:
    """E[S_1 S_2] - E[S_1] E[S_2] from the bivariate normal density: no angle, nothing of ours.

    Given X = x the other normal is N(r x, 1 - r^2), so E[S_1 S_2] is one integral over x.
    """
    with mp.workdps(30):
        a, b, r = map(mp.mpf, (a, b, r))
        spread = mp.sqrt(1 - r**2)

        def integrand(x: mp.mpf) -> mp.mpf:
            inner = mp.erf((b + r * x) / (spread * mp.sqrt(2))) - mp.erf(b / mp.sqrt(2))
            return mp.sign(a + x) * mp.npdf(x) * inner

        bend, sharp = -b / r if r else mp.mpf(0), 6 * spread / abs(r) if r else mp.mpf(1)
        places = sorted({-a, bend - sharp, bend, bend + sharp, mp.mpf(-14), mp.mpf(14)})
        places = [place for place in places if abs(place) <= 14]
        return mp.quad(integrand, places, maxdegree=9)


@pytest.mark.parametrize("a, b, r", POINTS)
def test_the_covariance_is_that_of_two_signs(a, b, r):
    found = sign_covariance(np.float64(a), np.float64(b), np.float64(r))
    assert float(found) == pytest.approx(float(exact(a, b, r)), rel=1e-11, abs=1e-16)


@pytest.mark.parametrize("a, b, r", POINTS)
def test_slopes_are_derivatives(a, b, r):
    h = 1e-5 * (1.0 - abs(r))
    point = tuple(map(np.float64, (a, b, r)))
    moments = sign_moments(*point)
    with jax.enable_x64(True):
        traced = jax.grad(lambda x: sign_covariance(*x))(tuple(map(jax.numpy.asarray, point)))
    for i, slope in enumerate((moments.first, moments.second, moments.mixed)):
        up, down = (
            sign_covariance(*(x + side * h * (j == i) for j, x in enumerate(point)))
            for side in (1.0, -1.0)
        )
        assert slope == pytest.approx((up - down) / (2 * h), rel=2e-5, abs=1e-9)
        assert slope == pytest.approx(float(traced[i]), rel=1e-13, abs=1e-300)


def test_both_signs_of_the_same_normal_vary_by_one_minus_the_squared_mean():
    a = np.linspace(-2.0, 2.0, 9)
    almost = sign_covariance(a, a, np.full(9, 1.0 - 1e-12))
    mean = np.array([float(mp.erf(x / mp.sqrt(2))) for x in a])
    np.testing.assert_allclose(almost, 1.0 - mean**2, atol=2e-6)
