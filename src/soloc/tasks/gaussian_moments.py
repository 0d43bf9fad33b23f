"""The moment h = V'K/L of a sequence with Gaussian keys, drawn without drawing a token.

K'K/L = CC' is Wishart (C by Bartlett's decomposition) and, given it, h = z CC' + (sigma/sqrt L)
N(0, CC'): O(d^2) numbers for a sequence of any length.
"""

from typing import NamedTuple

import numpy as np

from soloc.tasks.key_laws import GaussianKeys


class Moments(NamedTuple):
    """Latents with entries N(0, 1) and the moments h of their sequences, (n, dv, d) each."""

    latent: np.ndarray
    moment: np.ndarray


def gaussian_moments(
    rng: np.random.Generator, key_law: GaussianKeys, n: int, L: int, dv: int, sigma: float
) -> Moments:
    """n sequences of L tokens v = z k + N(0, sigma^2), seen through h alone."""
    d = key_law.d
    if d > L:
        raise ValueError(
            f"`L` must be at least d = {d}, for K'K to be invertible, got {L}; draw the tokens"
            " instead."
        )
    root = np.tril(rng.standard_normal((n, d, d)), -1)
    root[:, np.arange(d), np.arange(d)] = np.sqrt(rng.chisquare(L - np.arange(d), (n, d)))
    root *= np.sqrt(np.array(key_law.variances) / L)[:, None]
    latent = rng.standard_normal((n, dv, d))
    noise = sigma / np.sqrt(L) * rng.standard_normal((n, dv, d))
    return Moments(latent, (latent @ root + noise) @ root.transpose(0, 2, 1))
