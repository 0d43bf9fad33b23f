"""Composite quadrature on graded panels."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from soloc.maths.panels import edges_around, panel_rule


def test_panels_integrate_polynomials_exactly_and_empty_panels_weigh_nothing():
    with jax.enable_x64(True):
        x, w = panel_rule(jnp.array([[-1.0, 0.5, 0.5, 2.0], [0.0, 1.0, 2.0, 4.0]]), 4)
    assert np.sum(np.asarray(w * x**7), axis=-1) == pytest.approx([(2.0**8 - 1) / 8, 4.0**8 / 8], rel=1e-13)


def test_edges_are_sorted_and_contain_every_point():
    with jax.enable_x64(True):
        edges = np.asarray(edges_around(jnp.array([3.0, -2.0]), jnp.array([0.1, 1.0]), 5))
    assert np.all(np.diff(edges) >= 0)
    assert {3.0, -2.0, 3.1, -18.0} <= set(np.round(edges, 12))
