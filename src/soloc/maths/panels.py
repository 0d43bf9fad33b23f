"""Composite Gauss-Legendre quadrature on panels that shrink geometrically towards the places where a function is sharp."""

from functools import cache

import numpy as np

from soloc.maths.engine import Array, engine_of


def panel_rule(edges: Array, order: int) -> tuple[Array, Array]:
    """Nodes and weights of `order` points on every panel between consecutive edges (last axis); empty panels weigh nothing."""
    nodes, weights = _on_one_panel(order)
    left = edges[..., :-1, None]
    length = edges[..., 1:, None] - left
    x = left + 0.5 * (1.0 + nodes) * length
    w = length * (0.5 * weights)
    shape = (*edges.shape[:-1], -1)
    return x.reshape(shape), w.reshape(shape)


@cache
def _on_one_panel(order: int) -> tuple[np.ndarray, np.ndarray]:
    return np.polynomial.legendre.leggauss(order)


def edges_around(points: Array, units: Array, levels: int) -> Array:
    """Sorted edges at each point and at distances unit * (1, 2, 4, ...) on both of its sides."""
    xp = engine_of(points, units).xp
    reach = units[..., None] * 2.0 ** np.arange(levels)
    around = xp.concatenate([points[..., None] - reach, points[..., None], points[..., None] + reach], axis=-1)
    return xp.sort(around.reshape(*points.shape[:-1], -1), axis=-1)
