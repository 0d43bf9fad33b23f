"""How many settings to compute side by side: as many as a cache holds, or as JAX integrates."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

_AT_ONCE = 8  # settings that JAX integrates side by side


def in_pieces(formula: Callable[..., Any], trees: tuple[Any, ...], at_once: int) -> Any:
    """`formula` by NumPy on trees of numbers that broadcast, so many settings at a time."""
    leaves, structure = jax.tree.flatten(trees)
    parts = np.broadcast_arrays(*leaves)
    flat = np.stack([part.ravel() for part in parts])
    pieces = (flat[:, first : first + at_once] for first in range(0, flat.shape[1], at_once))
    answers = [formula(*jax.tree.unflatten(structure, list(piece))) for piece in pieces]
    return jax.tree.map(
        lambda *rows: np.concatenate(rows, axis=None).reshape(parts[0].shape), *answers
    )


def mapped(one: Callable[..., Any], trees: tuple[Any, ...]) -> Any:
    """`one`, which takes single numbers, by JAX on every setting of trees that broadcast."""
    leaves, structure = jax.tree.flatten(trees)
    shape = jnp.broadcast_shapes(*map(jnp.shape, leaves))
    if shape == ():
        return one(*trees)
    flat = jax.tree.unflatten(structure, [jnp.broadcast_to(leaf, shape).ravel() for leaf in leaves])
    rows = jax.lax.map(lambda setting: one(*setting), flat, batch_size=_AT_ONCE)
    return jax.tree.map(lambda row: row.reshape(shape), rows)
