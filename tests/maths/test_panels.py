"""Composite quadrature on graded panels."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from soloc.maths.panels import edges_around, joined, panel_rule


def test_panels_integrate_polynomials_exactly_and_empty_panels_weigh_nothing():
    with jax.enable_x64(True):
        x, w = panel_rule(jnp.array([[-1.0, 0.5, 0.5, 2.0], [0.0, 1.0, 2.0, 4.0]]), 4)
    assert np.sum(np.asarray(w * x**7), axis=-1) == pytest.approx(
        [(2.0**8 - 1) / 8, 4.0**8 / 8], rel=1e-13
    )


def test_edges_are_sorted_and_contain_every_point():
    with jax.enable_x64(True):
        edges = np.asarray(edges_around(jnp.array([3.0, -2.0]), jnp.array([0.1, 1.0]), 5))
    assert np.all(np.diff(edges) >= 0)
    assert {3.0, -2.0, 3.1, -18.0} <= set(np.round(edges, 12))


def test_joined_panels_keep_the_ends_and_are_as_long_as_every_point_allows():
    points, units = np.array([-3.0, 0.5, 0.7, 40.0]), np.array([0.5, 2.0, 1.0, 8.0])
    edges = np.clip(edges_around(points, units, 7), -30.0, 90.0)
    kept = joined(edges, points, units)
    assert kept[0] == edges[0] and kept[-1] == edges[-1] and set(kept) < set(edges)

    def allowed(left, right):
        away = np.maximum(np.maximum(points - right, left - points), 0.0)
        return right - left <= np.min(np.maximum(units, 1.5 * away))

    single = {(a, b) for a, b in itertools.pairwise(np.unique(edges))}
    assert all(allowed(a, b) or (a, b) in single for a, b in itertools.pairwise(kept))
    assert not any(allowed(a, c) for a, _, c in zip(kept, kept[1:], kept[2:], strict=False))
