"""Random numbers from a JAX key, drawn by NumPy: double precision and no compilation."""

import zlib
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np


def generator(key: jax.Array) -> np.random.Generator:
    """The NumPy generator that a JAX key (new style or raw) determines."""
    dtype: Any = getattr(key, "dtype", None)
    if jnp.issubdtype(dtype, jax.dtypes.prng_key):
        key = jax.random.key_data(key)
    words = np.asarray(key)
    if words.dtype != np.uint32 or words.ndim != 1:
        raise TypeError(
            f"`key` must be one JAX random key, got {type(key).__name__} of dtype {words.dtype} and"
            f" shape {words.shape}; make one with jax.random.key(seed)."
        )
    return np.random.default_rng(words)


def derived_key(seed: int, *values: object) -> jax.Array:
    """The key of one cell of an experiment: of the seed and of the cell's own values alone."""
    plain = [value.item() if isinstance(value, np.generic) else value for value in (seed, *values)]
    return jax.random.key(zlib.crc32(repr(plain).encode()))
