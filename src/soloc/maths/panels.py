"""Composite Gauss-Legendre quadrature on panels that shrink towards where a function is sharp."""

from functools import cache

import numpy as np

from soloc.maths.engine import Array, engine_of


def panel_rule(edges: Array, order: int) -> tuple[Array, Array]:
    """Nodes and weights of `order` points on every panel between consecutive edges (last axis)."""
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
    around = xp.concatenate(
        [points[..., None] - reach, points[..., None], points[..., None] + reach], axis=-1
    )
    return xp.sort(around.reshape(*points.shape[:-1], -1), axis=-1)


def halved(edges: Array) -> Array:
    """The sorted edges (last axis) with the middle of every panel between them."""
    xp = engine_of(edges).xp
    middles = 0.5 * (edges[..., :-1] + edges[..., 1:])
    pairs = xp.stack([edges[..., :-1], middles], axis=-1)
    return xp.concatenate([pairs.reshape(*middles.shape[:-1], -1), edges[..., -1:]], axis=-1)


def joined(edges: np.ndarray, points: np.ndarray, units: np.ndarray) -> np.ndarray:
    """The sorted edges of NumPy without those that no point needs.

    A panel may be as long as a point's unit, or 1.5 times as long as its distance from that point.
    """
    features = list(zip(points.tolist(), units.tolist(), strict=True))

    def allowed(left: float, right: float) -> bool:
        return all(
            right - left <= max(unit, 1.5 * max(point - right, left - point))
            for point, unit in features
        )

    first, *others = np.unique(edges).tolist()
    kept, last = [first], first
    for edge in others:
        if last > kept[-1] and not allowed(kept[-1], edge):
            kept.append(last)
        last = edge
    return np.array([*kept, last])
