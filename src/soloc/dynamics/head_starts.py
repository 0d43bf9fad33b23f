"""Where training of several heads starts: random keys and values, as their Gram matrix."""

import jax
import numpy as np

from soloc.maths.numbers import check_count, check_whole
from soloc.maths.randomness import generator
from soloc.risk.gram import Gram


def heads_on_sphere(d: int, heads: int, kinds: int, runs: int, key: jax.Array) -> Gram:
    """All keys and values independent and uniform on the sphere of R^d.

    Only coordinates along the truth and the Gram matrix of the rest (Wishart) are drawn, so d may
    be 1e12 and beyond.
    """
    check_count("runs", runs)
    check_whole("d", d, 2 * (heads + kinds))
    W = _unit_rows(generator(key), d, 2 * heads, 2 * kinds, runs)
    true = np.eye(2 * kinds, W.shape[-1])
    return Gram.of(W[:, :heads], W[:, heads:], true[:kinds], true[kinds:])


def heads_on_manifold(d: int, heads: int, kinds: int, runs: int, key: jax.Array) -> Gram:
    """Keys and values apart: all inner products of {k, k*} with {v, v*} are exactly zero.

    Keys are uniform on the sphere of a half of R^d that holds all k*, values on that of the other
    half, which holds all v*.
    """
    check_count("runs", runs)
    check_whole("d", d, 2 * (heads + kinds))
    rng = generator(key)
    keys, values = (_unit_rows(rng, d // 2, heads, kinds, runs) for _ in range(2))
    apart = np.zeros_like(keys)
    true = np.eye(kinds, keys.shape[-1])
    no_truth = np.zeros_like(true)
    return Gram.of(
        np.concatenate([keys, apart], axis=-1),
        np.concatenate([apart, values], axis=-1),
        np.concatenate([true, no_truth], axis=-1),
        np.concatenate([no_truth, true], axis=-1),
    )


def _unit_rows(rng: np.random.Generator, d: int, count: int, known: int, runs: int) -> np.ndarray:
    """Uniform unit vectors of R^d in coordinates: known axes first, then a frame of their own."""
    along = rng.normal(size=(runs, count, known))
    outside = np.tril(rng.normal(size=(runs, count, count)), -1)
    places = np.arange(count)
    freedom = np.maximum(d - known - places, 0)
    outside[:, places, places] = np.sqrt(2.0 * rng.standard_gamma(0.5 * freedom, (runs, count)))
    W = np.concatenate([along, outside], axis=-1)
    return np.asarray(W / np.linalg.norm(W, axis=-1, keepdims=True))
