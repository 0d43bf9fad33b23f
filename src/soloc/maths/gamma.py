"""The Gamma function near the imaginary axis, and logarithms that lose nothing near 1.

Both engines run the same few products and Stirling's series: NumPy has no Gamma function, and that
of JAX takes no complex numbers.
"""

from typing import NamedTuple

import numpy as np

from soloc.maths.engine import Array, engine_of

_SHIFT = 10  # Stirling's series begins at c + 10
#: B_2k / (2k (2k - 1)), the coefficients of Stirling's series; the next term is below 1e-16 there
_STIRLING = (
    1.0 / 12.0,
    -1.0 / 360.0,
    1.0 / 1260.0,
    -1.0 / 1680.0,
    1.0 / 1188.0,
    -691.0 / 360360.0,
    1.0 / 156.0,
)
_SMALL = 0.3  # below it, series replace differences
_TERMS = 15
_HALF_LOG_TWO_PI = 0.5 * np.log(2.0 * np.pi)


class LogGamma(NamedTuple):
    """log |Gamma| at a real number above -1, and its first two derivatives."""

    value: Array
    slope: Array
    bend: Array


def log_gamma(c: Array) -> LogGamma:
    """log |Gamma(c)|, psi(c) and psi'(c) for real c > -1 that is not 0."""
    xp = engine_of(c).xp
    product, slope, bend = xp.abs(c), 1.0 / c, 1.0 / (c * c)
    for k in range(1, _SHIFT):
        product = product * (c + k)
        slope = slope + 1.0 / (c + k)
        bend = bend + 1.0 / (c + k) ** 2
    z = c + _SHIFT
    r = 1.0 / z
    value, along, across = xp.zeros_like(z), xp.zeros_like(z), xp.zeros_like(z)
    for k in range(len(_STIRLING), 0, -1):
        value = value * r * r + _STIRLING[k - 1]
        along = along * r * r + (2 * k - 1) * _STIRLING[k - 1]
        across = across * r * r + (2 * k - 1) * (2 * k) * _STIRLING[k - 1]
    return LogGamma(
        (z - 0.5) * xp.log(z) - z + _HALF_LOG_TWO_PI + value * r - xp.log(product),
        xp.log(z) - 0.5 * r - along * r * r - slope,
        r + 0.5 * r * r + across * r**3 + bend,
    )


def gamma_ratio(c: Array, omega: Array) -> Array:
    """Gamma(c + i omega) / Gamma(c) for real c > -1 that is not 0."""
    xp = engine_of(c, omega).xp
    p = c + 1j * omega
    product = p / c
    for k in range(1, _SHIFT):
        product = product * (p + k) / (c + k)
    z = p + _SHIFT
    return xp.exp(_stirling(z) - _stirling(c + _SHIFT)) / product


def _stirling(z: Array) -> Array:
    r = 1.0 / z
    square, series = r * r, 0.0
    for coefficient in _STIRLING[::-1]:
        series = series * square + coefficient
    return (z - 0.5) * engine_of(z).xp.log(z) - z + series * r


def log_gap(x: Array, log1p_x: Array) -> Array:
    """x - log(1 + x) from a good log(1 + x), to full relative precision also where x is small."""
    xp = engine_of(x).xp
    small = xp.abs(x) < _SMALL
    near = xp.where(small, x, 0.0)
    t = near / (2.0 + near)  # log(1 + x) = 2 artanh(t), and x - 2 t = x t
    series = xp.zeros_like(t)
    for odd in range(2 * _TERMS + 1, 1, -2):
        series = series * t * t + 1.0 / odd
    return xp.where(small, near * t - 2.0 * t**3 * series, x - log1p_x)


def arctan_gap(y: Array) -> Array:
    """y - arctan(y) to full relative precision."""
    xp = engine_of(y).xp
    small = xp.abs(y) < _SMALL
    near = xp.where(small, y, 0.0)
    series = xp.zeros_like(near)
    for odd in range(2 * _TERMS + 1, 1, -2):
        series = 1.0 / odd - series * near * near
    return xp.where(small, near**3 * series, y - xp.arctan(y))
