"""The erf risk in closed form: a handful of exp and erf, whatever the dimension and the length.

With S = sigma(lam a) and independent tokens, the risk splits into variances and one squared mean,

    R - eps^2 = Var(S b - c; signal) + (L-1) Var(S b; background) + (E_s[S b] + (L-1) E_b[S b])^2,

in which nothing cancels: the variance of erf is one positive integral
(`maths.special.erf_variance`), and the error at the truth enters as erfc. Each moment with b or c
follows from those of S by Gaussian integration by parts.
"""

import numpy as np

from soloc.maths.engine import Array, engine_of
from soloc.maths.special import (
    contraction,
    erf_increment,
    erf_slope,
    erf_variance,
    erfcx_of_large,
    scaled_variance_integral,
)
from soloc.risk.overlaps import Overlaps
from soloc.risk.signal_numbers import SignalNumbers


def erf_excess(numbers: SignalNumbers, lam: Array, overlaps: Overlaps) -> Array:
    """R - eps^2 of erf attention, exact on and off the manifold."""
    signal_variance, signal_mean = signal_moments(numbers, lam, overlaps)
    others = numbers.L - 1.0
    background_variance, background_mean = background_moments(lam, overlaps.rho)
    return (
        signal_variance
        + others * background_variance
        + (signal_mean + others * background_mean) ** 2
    )


def signal_moments(numbers: SignalNumbers, lam: Array, o: Overlaps) -> tuple[Array, Array]:
    """Var(S b - c) and E[S b] of the signal token."""
    engine = engine_of(lam, numbers.m, o.kappa)
    xp = engine.xp
    m, g2 = numbers.m, numbers.gamma**2
    q = xp.sqrt(1.0 + 2.0 * lam**2 * g2)
    rate = lam / q
    A = rate * m * o.kappa
    g = lam * numbers.gamma
    a = contraction(g)
    side = xp.where(A < 0, -1.0, 1.0)
    mean, missing = engine.erf(A), engine.erfc(side * A)  # E[S], and 1 - |E[S]|
    slope = rate * erf_slope(A)
    bend = -2.0 * rate * A * slope
    gap = erf_increment(A, g)
    variance = erf_variance(A, g)
    variance_slope = -2.0 * slope * gap
    variance_bend = -2.0 * (bend * gap + slope * rate * (erf_slope(A) - a * erf_slope(a * A)))
    M = m * o.theta
    value_error = missing**2 + 2.0 * side * mean * (1.0 - side * o.nu)  # |E[S] v - v*|^2
    total = g2 * value_error + (g2 + M**2) * variance
    total = (
        total
        + 2.0 * M * g2 * o.rho * variance_slope
        + (g2 * o.rho) ** 2 * (variance_bend + slope**2)
    )
    total = total + 2.0 * g2 * (mean * o.rho - o.eta) * (M * slope + g2 * o.rho * bend)
    return total, M * mean + g2 * o.rho * slope


def background_moments(lam: Array, rho: Array) -> tuple[Array, Array]:
    """Var(S b) and E[S b] of a background token."""
    xp = engine_of(lam).xp
    two_square = 2.0 * lam**2
    square_rate = lam**2 / (1.0 + two_square)
    mean_square = (2.0 / np.pi) * xp.arctan2(two_square, xp.sqrt(1.0 + 2.0 * two_square))
    variance = mean_square + rho**2 * (4.0 / np.pi) * square_rate * (2.0 * contraction(lam) - 1.0)
    return variance, rho * 2.0 * lam / xp.sqrt(np.pi * (1.0 + two_square))


def log_erf_excess(numbers: SignalNumbers, lam: Array, overlaps: Overlaps) -> Array:
    """log(R - eps^2), also where it underflows: L = 1 and v = v*, saturated."""
    xp = engine_of(lam, numbers.m, overlaps.kappa).xp
    value = erf_excess(numbers, lam, overlaps)
    g2, o = numbers.gamma**2, overlaps
    rate = xp.abs(lam) / xp.sqrt(1.0 + 2.0 * lam**2 * g2)
    A = rate * numbers.m * xp.abs(o.kappa)
    g = lam * numbers.gamma
    a = contraction(g)
    exponent = A**2 * (1.0 + a**2)
    deep = (value < 1e-290) & (A > 10.0)
    A = xp.where(deep, A, 10.0)
    plain, divided = scaled_variance_integral(A, g)
    r = xp.exp(-(A**2) * 4.0 * g * g * a * a)  # exp(-2 A^2) in units of exp(-exponent)
    missing = erfcx_of_large(A)
    scaled_bend = -(8.0 / np.pi) * rate**2 * (r - a - 2.0 * A**2 * plain)
    # once in the variance, once in the squared mean
    scaled_slope_square = (8.0 / np.pi) * rate**2 * r
    # -2 (1 - E[S]) E[S''] in the same units
    crossed = 4.0 * rate**2 * A * missing * r * (2.0 / np.sqrt(np.pi))
    scaled = (
        missing**2 * r
        + (4.0 / np.pi) * divided
        + g2 * o.rho**2 * (scaled_bend + scaled_slope_square + crossed)
    )
    return xp.where(deep, xp.log(g2 * scaled) - exponent, xp.log(xp.where(deep, 1.0, value)))
