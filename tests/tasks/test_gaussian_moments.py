"""Moments drawn from the Wishart law are the moments of drawn tokens."""

import jax
import numpy as np
import pytest

from soloc.maths.harmonics import Coordinates
from soloc.maths.randomness import generator
from soloc.tasks.exchangeable_latent import ExchangeableLatent
from soloc.tasks.gaussian_moments import gaussian_moments
from soloc.tasks.key_laws import GaussianKeys, weakly_spread


@pytest.mark.parametrize("L", [3, 12])
def test_moments_have_the_law_of_the_moments_of_tokens(L):
    law = GaussianKeys((1.0, 0.4, 0.1))
    n = 30_000
    direct = gaussian_moments(generator(jax.random.key(0)), law, n, L, 2, 0.5)
    batch = ExchangeableLatent(Coordinates(), law, dv=2, L=L).sample((), jax.random.key(1), n)
    tokens = batch.values.transpose(0, 2, 1) @ batch.keys / L

    def statistics(latent, moment):
        pairs = [
            latent[:, :, :, None] * moment[:, :, None, :],
            moment[:, :, :, None] * moment[:, :, None, :],
        ]
        across = (
            moment[:, 0, :, None] * moment[:, 1, None, :] * latent[:, :1, :1] * latent[:, 1:, :1]
        )
        return np.concatenate([part.reshape(n, -1) for part in (*pairs, across, moment**4)], 1)

    a, b = statistics(*direct), statistics(batch.latent, tokens)
    z = (a.mean(0) - b.mean(0)) / np.sqrt((a.var(0) + b.var(0)) / n)
    assert np.max(np.abs(z)) < 4.7


def test_fewer_tokens_than_dimensions_are_refused():
    with pytest.raises(ValueError, match="`L` must be at least d = 6"):
        gaussian_moments(np.random.default_rng(0), weakly_spread(10), 2, 5, 1, 0.5)
