"""Double precision asked for locally: importing soloc never sets a JAX flag."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import jax
import jax.numpy as jnp


def as_double(tree: Any) -> Any:
    """The same tree with every leaf a float64 array; call it under 64-bit mode."""
    return jax.tree.map(lambda leaf: jnp.asarray(leaf, dtype=jnp.float64), tree)


def compiled_in_double(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function`, compiled once per shape, on float64 copies of its arguments whatever the caller's
    setting.
    """
    compiled = jax.jit(lambda *arguments: function(*as_double(arguments)))

    @wraps(function)
    def call(*arguments: Any) -> Any:
        with jax.enable_x64(True):
            return compiled(*arguments)

    return call
