"""The temperature at which a weight does best: the minimum over lam of a risk, for many settings at once."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

_COARSE, _FINE, _LEVELS = 49, 13, 6


class Best(NamedTuple):
    """The minimising inverse temperature of every setting, and the value there."""

    lam: np.ndarray
    value: np.ndarray


def best_temperature(value: Callable[[np.ndarray], np.ndarray], low: float, high: float) -> Best:
    """Minimise `value(lam)` over low <= lam <= high, on a logarithmic grid that narrows around its best point.

    `value` takes lam of shape (n, ...) and returns values of the same shape, one column per setting; a first call with
    shape (n, 1) tells how many settings there are. The grid is global, so a second minimum does no harm.
    """
    if not 0.0 < low < high:
        raise ValueError(f"`low` and `high` must satisfy 0 < low < high, got {low} and {high}.")
    grid = np.linspace(np.log(low), np.log(high), _COARSE)[:, None]
    values = np.asarray(value(np.exp(grid)))
    grid = np.broadcast_to(grid, values.shape)
    step = (np.log(high) - np.log(low)) / (_COARSE - 1)
    for _ in range(_LEVELS):
        at = np.nanargmin(values, axis=0)[None]
        centre = np.take_along_axis(grid, at, axis=0)
        grid = np.clip(centre + step * np.linspace(-1.0, 1.0, _FINE)[:, None], np.log(low), np.log(high))
        values = np.asarray(value(np.exp(grid)))
        step *= 2.0 / (_FINE - 1)
    at = np.nanargmin(values, axis=0)[None]
    return Best(np.exp(np.take_along_axis(grid, at, axis=0)[0]), np.take_along_axis(values, at, axis=0)[0])
