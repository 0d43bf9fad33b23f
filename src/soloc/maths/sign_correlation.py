"""Covariance of the signs of two correlated normals: what two heads of erf attention share.

erf(lam a) is the mean of sign(lam a + G / sqrt 2) over a standard normal G, so that the moments of
a product of two of them are those of two signs.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from soloc.maths.engine import JAX, Array, engine_of

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(32)
_Y = 0.5 * (1.0 + _NODES)
_GRADED, _GRADED_WEIGHTS = _Y * (2.0 - _Y), (1.0 - _Y) * _WEIGHTS  # graded towards the end
_MODERATE = 0.5  # correlations up to which few nodes, not graded, reach rounding
_FEW, _FEW_WEIGHTS = np.polynomial.legendre.leggauss(10)
_ROOT_HALF = math.sqrt(0.5)
_ROOT_TWO_OVER_PI = math.sqrt(2.0 / math.pi)


class SignMoments(NamedTuple):
    """Cov(S_1, S_2) of signs whose normals have means a_1, a_2, and its slopes."""

    covariance: Array
    first: Array  #: slope in a_1
    second: Array  #: slope in a_2
    mixed: Array  #: E[S_1' S_2'], which is also the slope in the correlation


def _density(a: Array, b: Array, r: Array) -> Array:
    """(2/pi) exp(-(a^2 - 2 r a b + b^2) / (2 (1 - r^2))) / sqrt(1 - r^2)."""
    xp = engine_of(a, b, r).xp
    left = (1.0 - r) * (1.0 + r)
    square = (a - b) ** 2 + 2.0 * (1.0 - r) * a * b
    return (2.0 / math.pi) * xp.exp(-0.5 * square / left) / xp.sqrt(left)


def _slope(a: Array, b: Array, r: Array) -> Array:
    """d Cov / d a = 2 phi(a) (erf((b - r a) / sqrt(2 (1 - r^2))) - erf(b / sqrt 2))."""
    engine = engine_of(a, b, r)
    xp = engine.xp
    turned = (b - r * a) / xp.sqrt((1.0 - r) * (1.0 + r))
    high, low = _ROOT_HALF * turned, _ROOT_HALF * b
    side = xp.where(high + low < 0.0, -1.0, 1.0)  # erfc on the far side: no difference of ones
    gap = side * (engine.erfc(side * low) - engine.erfc(side * high))
    return _ROOT_TWO_OVER_PI * xp.exp(-0.5 * a * a) * gap


def _covariance(a: Array, b: Array, r: Array) -> Array:
    """The integral in z = tan(t / 2), where it is rational but for one exponential."""
    engine = engine_of(a, b, r)
    end = _end(r)
    values = _integrand(a[..., None], b[..., None], end[..., None] * _GRADED)
    return (4.0 / math.pi) * end * engine.weighted_sum(_GRADED_WEIGHTS, values)


def _end(r: Array) -> Array:
    return r / (1.0 + engine_of(r).xp.sqrt((1.0 - r) * (1.0 + r)))


def _integrand(a: Array, b: Array, z: Array) -> Array:
    xp = engine_of(a, b, z).xp
    square = z * z
    grown = 1.0 + square
    secant = grown / (1.0 - square)  # 1 / cos t
    apart, along = 0.5 * (a - b) ** 2, a * b
    return xp.exp(-apart * secant * secant - along * grown / (1.0 + z) ** 2) / grown


def covariance_in_a_loop(a: jax.Array, b: jax.Array, r: jax.Array) -> Any:
    """`sign_covariance` for compiled loops, by a third of the nodes unless a correlation is high.

    It has no slopes: those are asked for by name.
    """

    def by(nodes: np.ndarray, weights: np.ndarray) -> Callable[..., Any]:
        up = (len(nodes), *(1,) * r.ndim)

        def integral(a: jax.Array, b: jax.Array, r: jax.Array) -> Any:
            end = _end(r)
            values = _integrand(a, b, nodes.reshape(up) * end)
            return (4.0 / math.pi) * end * jnp.sum(weights.reshape(up) * values, axis=0)

        return integral

    few, many = by(0.5 * (1.0 + _FEW), 0.5 * _FEW_WEIGHTS), by(_GRADED, _GRADED_WEIGHTS)
    return jax.lax.cond(jnp.max(jnp.abs(r)) <= _MODERATE, few, many, a, b, r)


_traced_covariance = jax.custom_jvp(_covariance)


@_traced_covariance.defjvp
def _(primals: tuple[Array, ...], tangents: tuple[Array, ...]) -> tuple[Array, Array]:
    a, b, r = primals
    along = _slope(a, b, r) * tangents[0] + _slope(b, a, r) * tangents[1]
    return _traced_covariance(a, b, r), along + _density(a, b, r) * tangents[2]


def sign_covariance(a: Array, b: Array, r: Array) -> Array:
    """Cov(sign(a + X), sign(b + Y)) of standard normals X, Y with correlation r, |r| < 1.

        (2/pi) int_0^{asin r} exp(-(a^2 + b^2 - 2 a b sin t) / (2 cos^2 t)) dt

    Its derivatives are closed forms: no gradient touches the quadrature.
    """
    return (_traced_covariance if engine_of(a, b, r) is JAX else _covariance)(a, b, r)


def sign_moments(a: Array, b: Array, r: Array) -> SignMoments:
    """The covariance with its slopes."""
    return SignMoments(
        sign_covariance(a, b, r), _slope(a, b, r), _slope(b, a, r), _density(a, b, r)
    )
