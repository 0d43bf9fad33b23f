"""The regime of learning curves: n, d -> infinity at fixed n/d, with a signal of order one."""

from typing import Any, NamedTuple

import numpy as np

from soloc.maths.numbers import check_real
from soloc.tasks.single_location import SingleLocation


class Regime(NamedTuple):
    """What is left of a task in the limit: its dimension is gone."""

    signal: float
    L: int
    gamma: float
    eps: float


def regime_of(task: SingleLocation) -> Regime:
    """The numbers of a task that a learning curve depends on; other kinds of task are refused."""
    if not isinstance(task, SingleLocation):
        raise TypeError(f"`task` must be a SingleLocation, got {type(task).__name__}.")
    if task.signal is None:
        raise ValueError(
            "`signal` must be given in the task of a learning curve, got None: its default"
            " sqrt(d/2) grows with d, and then the location is known; pass a number such as 2."
        )
    for name in ("prior", "lengths", "background"):
        if getattr(task, name) is not None:
            raise ValueError(
                f"`{name}` must be left out of the task of a learning curve, whose equations hold"
                " for a uniform location, one length and centred background tokens."
            )
    numbers = {name: getattr(task, name) for name in Regime._fields}
    for name, value in numbers.items():
        if np.ndim(value) != 0:
            raise TypeError(
                f"`{name}` must be one number in the task of a learning curve, got an array of"
                f" shape {np.shape(value)}; ask for one curve at a time."
            )
    return Regime(
        float(numbers["signal"]), int(numbers["L"]), float(numbers["gamma"]), float(numbers["eps"])
    )


def ratios_of(ratios: Any) -> np.ndarray:
    """Values of n/d as an array; infinity is the limit of all data."""
    out = np.atleast_1d(np.asarray(ratios, dtype=float))
    if out.ndim != 1 or out.size == 0:
        raise ValueError(
            f"`ratios` must be one number n/d or a list of them, got an array of shape {out.shape}."
        )
    check_real("ratios", out[np.isfinite(out)], "numbers n/d >= 0", 0.0)
    if np.any(np.isnan(out) | (out < 0)):
        raise ValueError(f"`ratios` must be numbers n/d >= 0, got {ratios}.")
    return out
