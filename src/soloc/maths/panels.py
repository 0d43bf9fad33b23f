"""Composite Gauss-Legendre quadrature on panels that shrink geometrically towards the places where a function is sharp."""

import jax
import jax.numpy as jnp
import numpy as np


def panel_rule(edges: jax.Array, order: int) -> tuple[jax.Array, jax.Array]:
    """Nodes and weights of `order` points on every panel between consecutive edges (last axis); empty panels weigh nothing."""
    nodes, weights = np.polynomial.legendre.leggauss(order)
    left, length = edges[..., :-1, None], jnp.diff(edges, axis=-1)[..., None]
    x = left + 0.5 * (1.0 + nodes) * length
    w = length * (0.5 * weights)
    shape = (*edges.shape[:-1], -1)
    return x.reshape(shape), w.reshape(shape)


def growing_steps(first: jax.Array, longest: float, growth: float, ramp: int, count: int) -> jax.Array:
    """Distances 0 < x_1 < ... < x_count whose steps grow from `first` by a constant ratio (at least `growth`) up to `longest`.

    The ratio is such that `longest` is reached after `ramp` steps, however small `first` is.
    """
    first = jnp.minimum(first, longest)
    ratio = jnp.maximum(growth, (longest / first) ** (1.0 / ramp))
    steps = jnp.minimum(first[..., None] * ratio[..., None] ** jnp.arange(count), longest)
    return jnp.cumsum(steps, axis=-1)


def edges_around(points: jax.Array, units: jax.Array, levels: int) -> jax.Array:
    """Sorted edges at each point and at distances unit * (1, 2, 4, ...) on both of its sides."""
    reach = units[..., None] * 2.0 ** jnp.arange(levels)
    around = jnp.concatenate([points[..., None] - reach, points[..., None], points[..., None] + reach], axis=-1)
    return jnp.sort(around.reshape(*points.shape[:-1], -1), axis=-1)
