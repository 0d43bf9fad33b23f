"""Starts of several heads: their laws, and the manifold to the last bit."""

import jax
import numpy as np
import pytest
from scipy import stats

from soloc.dynamics.head_starts import heads_on_manifold, heads_on_sphere


def test_entries_on_the_sphere_have_the_law_of_explicit_vectors():
    G = heads_on_sphere(11, 2, 2, 4000, jax.random.key(0)).matrix
    np.testing.assert_allclose(np.diagonal(G, axis1=1, axis2=2), 1.0, atol=1e-12)
    rng = np.random.default_rng(1)
    W = rng.normal(size=(4000, 4, 11))
    W /= np.linalg.norm(W, axis=2, keepdims=True)
    W = np.concatenate([W, np.broadcast_to(np.eye(4, 11), (4000, 4, 11))], axis=1)
    plain = W @ np.swapaxes(W, 1, 2)
    for i, j in ((0, 1), (0, 3), (1, 2), (2, 3), (0, 4), (3, 7), (2, 5)):
        assert stats.ks_2samp(G[:, i, j], plain[:, i, j]).pvalue > 1e-3, (i, j)
    # dependent coordinates: three vectors at once
    both = [x[:, 0, 1] * x[:, 1, 2] * x[:, 0, 2] for x in (G, plain)]
    assert stats.ks_2samp(*both).pvalue > 1e-3


def test_on_the_manifold_keys_and_values_are_apart_exactly():
    gram = heads_on_manifold(40, 3, 2, 50, jax.random.key(0))
    keys, values = [0, 1, 2, 6, 7], [3, 4, 5, 8, 9]
    assert not gram.matrix[:, keys][:, :, values].any()
    assert np.std(gram.matrix[:, 0, 6]) == pytest.approx(20**-0.5, rel=0.4)
    assert heads_on_sphere(10**12, 2, 2, 2, jax.random.key(0)).matrix.shape == (2, 8, 8)
    with pytest.raises(ValueError, match="`d` must be"):
        heads_on_sphere(7, 2, 2, 2, jax.random.key(0))
