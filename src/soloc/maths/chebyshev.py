"""Chebyshev interpolation: a smooth function, sampled once, evaluated many times."""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from soloc.maths.engine import JAX, Array, engine_of

# NumPy's: low degrees on equal pieces are cheaper to evaluate than one high degree
_PIECES, _NODES = 64, 8


class Interpolant(NamedTuple):
    """Coefficients on [low, high]; the last axis counts the degree."""

    low: jax.Array
    high: jax.Array
    coefficients: jax.Array

    def __call__(self, x: jax.Array) -> jax.Array:
        """Values at x by Clenshaw's recurrence; leading axes of the coefficients come first."""
        s = (2.0 * x - self.low - self.high) / jnp.maximum(self.high - self.low, 1e-300)
        columns = jnp.moveaxis(self.coefficients, -1, 0)
        start = jnp.zeros((*columns.shape[1:], *x.shape))
        expand = lambda c: c.reshape(*c.shape, *(1,) * x.ndim)  # noqa: E731

        def step(
            carry: tuple[jax.Array, jax.Array], c: jax.Array
        ) -> tuple[tuple[jax.Array, jax.Array], None]:
            b1, b2 = carry
            return (expand(c) + 2.0 * s * b1 - b2, b1), None

        (b1, b2), _ = jax.lax.scan(step, (start, start), columns[:0:-1])
        return expand(columns[0]) + s * b1 - b2


def interpolate(function: Callable[[Array], Array], low: Array, high: Array, count: int) -> Any:
    """`function` (values along the last axis) interpolated through at least `count` Chebyshev
    points of [low, high].
    """
    if engine_of(low, high) is not JAX:
        return _pieces(function, float(low), float(high))
    angles = np.pi * (np.arange(count) + 0.5) / count
    values = function(0.5 * (low + high) + 0.5 * (high - low) * np.cos(angles))
    transform = 2.0 / count * np.cos(np.outer(angles, np.arange(count)))
    transform[:, 0] *= 0.5
    return Interpolant(low, high, values @ transform)


def _pieces(
    function: Callable[[np.ndarray], np.ndarray], low: float, high: float
) -> Callable[[np.ndarray], np.ndarray]:
    """Polynomials on equal pieces of [low, high]."""
    # here: it takes a third of a second to import, which most users never need
    from scipy.interpolate import PPoly

    points = 0.5 - 0.5 * np.cos(np.pi * (np.arange(_NODES) + 0.5) / _NODES)  # of [0, 1]
    edges = np.linspace(low, max(high, low + 1e-300), _PIECES + 1)
    width = edges[1] - edges[0]
    values = function((edges[:-1, None] + width * points).ravel())
    values = values.reshape(*values.shape[:-1], _PIECES, _NODES)
    # apart, since powers of points in [0, 1] would multiply its rounding by thousands
    base = values[..., 0]
    powers = (
        np.linalg.inv(np.vander(points, increasing=False))
        / width ** np.arange(_NODES - 1.0, -1.0, -1.0)[:, None]
    )
    coefficients = np.tensordot(powers, values - base[..., None], (1, -1))
    coefficients[-1] += base
    polynomial = PPoly(np.moveaxis(coefficients, 1, -1), edges)
    return lambda x: np.moveaxis(polynomial(x), -1, 0)
