"""The temperature at which a weight does best: the minimum over lam of a risk.

The search begins with a global grid in log lam, so a second minimum does no harm. Then it narrows:
on grids where many settings share a call, by Brent's method where one call is slow.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

_ROWS = 13  # every call has the same number of rows: one compilation serves them all


class Best(NamedTuple):
    """The minimising inverse temperature of every setting, and the value there."""

    lam: Any
    value: Any


def best_temperature(
    value: Callable[[np.ndarray], np.ndarray],
    low: float,
    high: float,
    *,
    blocks: int = 4,
    levels: int = 6,
) -> Best:
    """Minimise `value(lam)` over low <= lam <= high, for many settings at once.

    `value` takes lam of shape (n, ...) and returns values of the same shape, one column per
    setting; a first call with shape (n, 1) tells how many settings there are. The grid begins with
    13 `blocks` values and narrows by six at each of `levels`; a slow risk takes fewer of both.
    """
    logs = _grid(low, high, _ROWS * blocks)
    values = np.concatenate(
        [np.asarray(value(np.exp(part)[:, None])) for part in np.split(logs, blocks)]
    )
    grid = np.broadcast_to(logs[:, None], values.shape)
    step = logs[1] - logs[0]
    for _ in range(levels):
        centre = np.take_along_axis(grid, np.nanargmin(values, axis=0)[None], axis=0)
        grid = np.clip(centre + step * np.linspace(-1.0, 1.0, _ROWS)[:, None], logs[0], logs[-1])
        values = np.asarray(value(np.exp(grid)))
        step *= 2.0 / (_ROWS - 1)
    at = np.nanargmin(values, axis=0)[None]
    return Best(
        np.exp(np.take_along_axis(grid, at, axis=0)[0]), np.take_along_axis(values, at, axis=0)[0]
    )


def best_of_one(
    value: Callable[[np.ndarray], np.ndarray], low: float, high: float, *, points: int
) -> Best:
    """Minimise `value(lam)` for one setting, in few evaluations: lam has the shape (n, 1)."""
    from scipy.optimize import minimize_scalar  # here: importing it takes long

    logs = _grid(low, high, points)
    values = value(np.exp(logs)[:, None])[:, 0]
    best = int(np.argmin(values))
    at_grid = Best(math.exp(logs[best]), float(values[best]))
    if not np.isfinite(at_grid.value):
        return at_grid
    found = minimize_scalar(
        lambda log: float(value(np.full((1, 1), math.exp(log)))[0, 0]),
        bounds=(float(logs[max(best - 1, 0)]), float(logs[min(best + 1, points - 1)])),
        method="bounded",
        options={"xatol": 1e-4, "maxiter": 16},
    )
    return Best(math.exp(found.x), float(found.fun)) if found.fun < at_grid.value else at_grid


def _grid(low: float, high: float, points: int) -> np.ndarray:
    if not 0.0 < low < high:
        raise ValueError(f"`low` and `high` must satisfy 0 < low < high, got {low} and {high}.")
    return np.linspace(np.log(low), np.log(high), points)
