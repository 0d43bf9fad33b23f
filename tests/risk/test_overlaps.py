"""Overlaps: which ones unit vectors can have, and back from them to vectors."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from tests.risk_draws import PLACES, overlaps

from soloc import Erf, Overlaps, SingleLocation, excess_risk
from soloc.risk.overlaps import NAMES


@pytest.mark.parametrize("place", PLACES)
def test_vectors_have_the_overlaps_they_were_made_from(place):
    with jax.enable_x64(True):
        truth = SingleLocation(9).truth(jax.random.key(0))
        expected = Overlaps(**overlaps(np.random.default_rng(0), place))
        k, v = expected.vectors(truth, jax.random.key(1))
        found = Overlaps.of(k, v, truth)
        for name in NAMES:
            assert float(getattr(found, name)) == pytest.approx(getattr(expected, name), abs=1e-9)
        assert float(k @ k) == pytest.approx(1.0) and float(v @ v) == pytest.approx(1.0)


def test_coordinates_in_the_frame_have_the_overlaps_for_many_at_once():
    each = [overlaps(np.random.default_rng(1), place) for place in PLACES]
    five = {name: np.array([one.get(name, 0.0) for one in each]) for name in NAMES}
    k, v = Overlaps(**five).in_frame()
    assert k.shape == v.shape == (4, len(PLACES))
    np.testing.assert_allclose([k[0], v[1], v[0], k[1]], [five[n] for n in NAMES[:4]], atol=1e-15)
    np.testing.assert_allclose(np.sum(k * v, axis=0), five["rho"], atol=1e-9)
    np.testing.assert_allclose([np.sum(k * k, 0), np.sum(v * v, 0)], 1.0, atol=1e-9)


def test_batches_of_vectors_have_batches_of_overlaps():
    with jax.enable_x64(True):
        truth = SingleLocation(9).truth(jax.random.key(0))
        k, v = (
            x / jnp.linalg.norm(x, axis=-1, keepdims=True)
            for x in jax.random.normal(jax.random.key(2), (2, 5, 9))
        )
        found = Overlaps.of(k, v, truth)
    assert found.rho.shape == (5,)
    assert np.shape(excess_risk(SingleLocation(9), Erf(0.5), found)) == (5,)


BAD = [
    {"kappa": 1.1, "nu": 0.0},
    {"kappa": 0.9, "nu": 0.0, "eta": 0.9},
    {"kappa": 0.0, "nu": 0.9, "theta": 0.9},
    {"kappa": 1.0, "nu": 1.0, "rho": 0.5},
    {"kappa": 0.5, "nu": 0.5, "rho": 0.99},
    {"kappa": np.array([0.1, 1.0]), "nu": 1.0, "rho": 0.1},
]


@pytest.mark.parametrize("bad", BAD, ids=str)
def test_overlaps_that_no_unit_vectors_have_are_refused(bad):
    with pytest.raises(
        ValueError, match="`overlaps` must belong to unit vectors k and v: the Gram matrix"
    ):
        Overlaps(**bad)


@pytest.mark.parametrize("name", NAMES)
def test_each_overlap_must_be_a_finite_number(name):
    for value, kind in ((np.nan, ValueError), ("half", TypeError)):
        with pytest.raises(kind, match=f"`{name}` must be a finite number between -1 and 1"):
            Overlaps(**({"kappa": 0.1, "nu": 0.1} | {name: value}))


def test_distance_is_zero_on_the_manifold_alone():
    assert Overlaps(0.3, 0.4).distance == 0.0
    assert Overlaps(0.3, 0.4, 0.1, 0.2, 0.2).distance == pytest.approx(0.3)
