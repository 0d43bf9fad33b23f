"""Double precision asked for locally: importing soloc never sets a JAX flag."""

from typing import Any

import jax
import jax.numpy as jnp


def as_double(tree: Any) -> Any:
    """The same tree with every leaf a float64 array; call it under 64-bit mode."""
    return jax.tree.map(lambda leaf: jnp.asarray(leaf, dtype=jnp.float64), tree)
