"""The temperature at which a weight does best: the minimum over lam of a risk, for many settings at
once.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

_ROWS = 13  # every call has the same number of rows: one compilation serves them all


class Best(NamedTuple):
    """The minimising inverse temperature of every setting, and the value there."""

    lam: np.ndarray
    value: np.ndarray


def best_temperature(
    value: Callable[[np.ndarray], np.ndarray],
    low: float,
    high: float,
    *,
    blocks: int = 4,
    levels: int = 6,
) -> Best:
    """Minimise `value(lam)` over low <= lam <= high, on a logarithmic grid that narrows around its
    best point.

    `value` takes lam of shape (n, ...) and returns values of the same shape, one column per
    setting; a first call with shape (n, 1) tells how many settings there are. The grid is global,
    so a second minimum does no harm. It begins with 13 `blocks` values and narrows by six at each
    of `levels`; a dear risk takes fewer of both.
    """
    if not 0.0 < low < high:
        raise ValueError(f"`low` and `high` must satisfy 0 < low < high, got {low} and {high}.")
    logs = np.linspace(np.log(low), np.log(high), _ROWS * blocks)
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
