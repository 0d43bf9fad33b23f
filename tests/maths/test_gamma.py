"""The Gamma function near the imaginary axis against 30 digits."""

import mpmath
import numpy as np
import pytest

from soloc.maths.gamma import arctan_gap, gamma_ratio, log_gamma, log_gap

REALS = [-0.5, -0.3, -1e-3, 1e-3, 0.02, 0.5, 0.93, 7.0, 50.0]


@pytest.mark.parametrize("c", REALS)
def test_log_gamma_and_its_derivatives_are_those_of_thirty_digits(c):
    found = log_gamma(np.float64(c))
    with mpmath.workdps(30):
        exact = mpmath.log(abs(mpmath.gamma(c))), mpmath.digamma(c), mpmath.psi(1, c)
    for one, truth in zip(found, exact, strict=True):
        assert float(abs(one - truth)) < 2e-14 * max(1.0, float(abs(truth)))


@pytest.mark.parametrize("c", REALS[:-2])
def test_ratios_on_a_vertical_line_are_those_of_thirty_digits(c):
    omega = np.array([0.0, 1e-6, 0.1, 1.0, 5.0, 25.0])
    with mpmath.workdps(30):
        exact = [complex(mpmath.gamma(mpmath.mpc(c, w)) / mpmath.gamma(c)) for w in omega.tolist()]
    assert gamma_ratio(np.float64(c), omega) == pytest.approx(np.array(exact), rel=1e-13)


@pytest.mark.parametrize("x", [-0.9, -0.29, -1e-3, 1e-9, 0.25, 0.31, 5.0])
def test_gaps_keep_every_digit(x):
    with mpmath.workdps(30):
        logarithm = float(mpmath.mpf(x) - mpmath.log(1 + mpmath.mpf(x)))
        arctangent = float(mpmath.mpf(x) - mpmath.atan(mpmath.mpf(x)))
    assert log_gap(np.float64(x), np.log1p(x)) == pytest.approx(logarithm, rel=2e-15)
    assert arctan_gap(np.float64(x)) == pytest.approx(arctangent, rel=2e-15)
