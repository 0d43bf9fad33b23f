"""A step that makes the risk rise is halved, until it does not; how many were is kept."""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from soloc.risk.registry import Watched

_SMALLEST = 2.0**-30  # part of a step that is not halved again


class Walk(NamedTuple):
    """Where runs are, and how many of their steps were halved."""

    state: Any
    halved: jax.Array  #: (runs,)


def watched_step(
    step: Callable[[Any, Any, Any], Any],
    watched: Watched,
    walk: Walk,
    alpha: jax.Array,
    *at: Any,
) -> Walk:
    """One step of size alpha, or of a half, a quarter, ... of it in the runs whose risk would rise.

    The next step is tried in full again. `at` are the further arguments of the risk.
    """
    slopes, value = watched.both(walk.state, *at)
    highest = value * (1.0 + 1e-12) + 1e-14  # what rounding adds
    full = jnp.broadcast_to(alpha, value.shape)

    def attempt(carry: Any) -> Any:
        twice, _, rises = carry
        size = jnp.where(rises, 0.5 * twice, twice)
        moved = step(walk.state, slopes, size)
        return size, moved, ~(watched.value(moved, *at) <= highest)  # also what is no number

    def goes_on(carry: Any) -> jax.Array:
        size, _, rises = carry
        return jnp.any(rises & (size > _SMALLEST * full))

    begin = 2.0 * full, walk.state, jnp.ones(full.shape, bool)
    size, moved, _ = jax.lax.while_loop(goes_on, attempt, begin)
    return Walk(moved, walk.halved + (size < full))
