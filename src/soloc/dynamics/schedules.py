"""Schedules: numbers that change from step to step (the inverse temperature lam, the step size).

A schedule is a number, an array that broadcasts with the runs, or any function of the step: it is
called with an array of steps t = 0, 1, ... of shape (n,) and returns one value per step, (n,), or
per step and run, (n, runs).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from soloc.maths.numbers import check_real


@dataclass(frozen=True)
class InverseDecay:
    """initial / (1 + rate t): the paper lowers lam this way, with rate = 1e-4."""

    initial: Any
    rate: Any

    def __post_init__(self) -> None:
        check_real("initial", self.initial, "a number >= 0", 0.0)
        check_real("rate", self.rate, "a number >= 0", 0.0)

    def __call__(self, t: np.ndarray) -> np.ndarray:
        initial, rate = np.asarray(self.initial, float), np.asarray(self.rate, float)
        if initial.ndim or rate.ndim:
            t = t[:, None]
        return np.asarray(initial / (1.0 + rate * t))


class Tabulated:
    """A schedule read piece by piece, checked as it is read: `values(first, n)` has shape (n, 1) or
    (n, runs).
    """

    def __init__(self, name: str, schedule: Any, runs_shape: tuple[int, ...]) -> None:
        self.name, self._shape = name, runs_shape
        self._function: Callable[[np.ndarray], Any] | None = (
            schedule if callable(schedule) else None
        )
        if self._function is None:
            check_real(
                name, schedule, "a number >= 0, an array of them, or a function of the step", 0.0
            )
            constant = np.asarray(schedule, dtype=float)
            self._constant = (
                constant.reshape(1, 1) if constant.ndim == 0 else self._per_run(constant[None])
            )
        self.constant = self._function is None

    def values(self, first: int, n: int) -> np.ndarray:
        """The values of steps first, ..., first + n - 1."""
        if self._function is None:
            return np.broadcast_to(self._constant, (n, self._constant.shape[1]))
        table = np.asarray(self._function(np.arange(first, first + n, dtype=float)), dtype=float)
        if table.ndim == 0:
            table = np.broadcast_to(table, (n,))
        if table.shape[0] != n:
            raise ValueError(
                f"`{self.name}` must give one value per step: called with {n} steps, it returned an"
                f" array of shape {table.shape}."
            )
        table = table[:, None] if table.ndim == 1 else self._per_run(table)
        good = np.isfinite(table) & (table >= 0.0)
        if not good.all():
            row, column = np.argwhere(~good)[0]
            raise ValueError(
                f"`{self.name}` must stay finite and >= 0 at every step, got {table[row, column]}"
                f" at step {first + row}. Change the schedule or take fewer steps."
            )
        return table

    def _per_run(self, table: np.ndarray) -> np.ndarray:
        try:
            return np.ascontiguousarray(
                np.broadcast_to(table, (table.shape[0], *self._shape))
            ).reshape(table.shape[0], -1)
        except ValueError:
            raise ValueError(
                f"`{self.name}` must broadcast with the runs of shape {self._shape}, got values of"
                f" shape {table.shape[1:]}."
            ) from None
