"""Vectors of a Gram matrix, also where heads and truth fill the whole space."""

import jax
import numpy as np
import pytest

from soloc import Gram, SeveralLocations


@pytest.mark.parametrize("d", [40, 12, 9])
def test_vectors_have_the_inner_products_of_the_matrix_in_any_dimension(d):
    rng = np.random.default_rng(d)
    keys, values = rng.normal(size=(2, 4, d))  # with the truth 14 vectors
    stars = np.linalg.qr(rng.normal(size=(d, 6)))[0].T
    gram = Gram.of(keys, values, stars[:3], stars[3:])
    with jax.enable_x64(True):
        truth = SeveralLocations(d=d, L=5, kinds=3).truth(jax.random.key(0))
        found = Gram.of(*gram.vectors(truth, jax.random.key(1)), truth.keys, truth.values)
    np.testing.assert_allclose(found.matrix, gram.matrix, atol=1e-10)


def test_a_dimension_without_room_for_the_vectors_is_refused():
    keys, values, stars = np.split(np.eye(10), [2, 4])
    gram = Gram.of(keys, values, stars[:3], stars[3:])
    truth = SeveralLocations(d=8, L=5, kinds=3).truth(jax.random.key(0))
    with pytest.raises(ValueError, match="room for the 4 vectors of the heads.*got d=8"):
        gram.vectors(truth, jax.random.key(1))
