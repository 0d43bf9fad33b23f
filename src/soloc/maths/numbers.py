"""Numbers at the door: what is no real or whole number is refused in one sentence."""

import math
import sys
from typing import Any

import jax
import numpy as np


def is_concrete(value: Any) -> bool:
    """False for the placeholders that JAX passes while it traces: they hold no number to check."""
    return not isinstance(value, jax.core.Tracer)


def check_real(
    name: str, value: Any, rule: str, lowest: float = -math.inf, *, above: bool = False
) -> None:
    """Refuse unless finite and >= `lowest` (> when `above`), which `rule` says in words."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        if not abs(value) <= sys.float_info.max or value < lowest or (above and value == lowest):
            raise ValueError(f"`{name}` must be {rule}, got {value}.")
        return
    if not is_concrete(value):
        return
    array = (
        np.asarray(value)
        if value is not None and not isinstance(value, (str, bytes, bool))
        else np.empty(0, dtype=object)
    )
    if array.dtype.kind not in "iuf":
        raise TypeError(f"`{name}` must be {rule}, got {value!r}.")
    inside = (array > lowest) if above else (array >= lowest)
    if not np.all(np.isfinite(array) & inside):
        raise ValueError(f"`{name}` must be {rule}, got {value}.")


def check_whole(name: str, value: Any, lowest: int) -> None:
    """Refuse unless `value` is a whole number >= `lowest`, or an array of them."""
    rule = f"a whole number >= {lowest}"
    check_real(name, value, rule, lowest)
    if is_concrete(value) and np.any(np.asarray(value) % 1 != 0):
        raise ValueError(f"`{name}` must be {rule}, got {value}.")


def check_count(name: str, value: Any, lowest: int = 1) -> None:
    """Refuse unless `value` is one integer >= `lowest` (a number of draws, steps or runs)."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"`{name}` must be an integer >= {lowest}, got {value!r}.")
    if value < lowest:
        raise ValueError(f"`{name}` must be an integer >= {lowest}, got {value}.")
