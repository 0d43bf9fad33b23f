"""Chebyshev interpolation: a smooth function, sampled once, evaluated many times."""

from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np


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

        def step(carry: tuple[jax.Array, jax.Array], c: jax.Array) -> tuple[tuple[jax.Array, jax.Array], None]:
            b1, b2 = carry
            return (expand(c) + 2.0 * s * b1 - b2, b1), None

        (b1, b2), _ = jax.lax.scan(step, (start, start), columns[:0:-1])
        return expand(columns[0]) + s * b1 - b2


def interpolate(function: Callable[[jax.Array], jax.Array], low: jax.Array, high: jax.Array, count: int) -> Interpolant:
    """Interpolant of `function` (values along the last axis) through `count` Chebyshev points of [low, high]."""
    angles = np.pi * (np.arange(count) + 0.5) / count
    values = function(0.5 * (low + high) + 0.5 * (high - low) * np.cos(angles))
    transform = 2.0 / count * np.cos(np.outer(angles, np.arange(count)))
    transform[:, 0] *= 0.5
    return Interpolant(low, high, values @ transform)
