"""Risks to compare with: Bayes, the best linear regression, and always answering 0."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from soloc.maths.elementwise import Elementwise
from soloc.maths.engine import Array
from soloc.maths.numbers import is_concrete
from soloc.maths.side_by_side import in_pieces, mapped
from soloc.risk.bayes import log_bayes
from soloc.risk.max_location import max_location_bayes
from soloc.risk.monte_carlo import monte_carlo_bayes_risk
from soloc.risk.signal_numbers import SignalNumbers, averaged
from soloc.tasks.max_location import MaxLocation
from soloc.tasks.protocol import Task
from soloc.tasks.single_location import SingleLocation

_AT_ONCE = 256  # settings side by side in NumPy, such that they stay in the cache


def linear_risk(task: Task) -> Any:
    """Risk of the best linear regression on the concatenated tokens."""
    return task.linear_risk()


def null_risk(task: Task) -> Any:
    """Risk of always answering 0."""
    return task.null_risk()


def bayes_risk(task: Task, *, key: jax.Array | None = None, samples: int = 20_000) -> Any:
    """Risk of E[Y | X]: exact for SingleLocation with a uniform prior and for MaxLocation.

    For any other task it is an `Estimate` from so many simulated sequences.
    """
    if isinstance(task, MaxLocation):
        return max_location_bayes(task)
    if not isinstance(task, SingleLocation) or task.prior is not None:
        if isinstance(task, SingleLocation):
            task.refuse_background()
        return monte_carlo_bayes_risk(task, jax.random.key(0) if key is None else key, samples)
    log_excess = log_bayes_excess(task)
    if is_concrete(log_excess) and is_concrete(task.eps):
        return np.exp(log_excess) + np.asarray(task.eps, np.float64) ** 2
    return jnp.exp(log_excess) + task.eps**2


def log_bayes_excess(task: SingleLocation) -> Any:
    """log(Bayes risk - eps^2), also where that excess is far below the smallest double.

    A few units of 1e-15 accurate, as a number where it is of order one and relative to its size
    elsewhere; -inf for a single token, whose place is known.
    """
    if task.prior is not None:
        raise ValueError(
            "`prior` must be uniform for the exact Bayes risk; use bayes_risk, which simulates and"
            " gives its error."
        )
    return _log_bayes(SignalNumbers.of(task), task.d)


def _one(numbers: SignalNumbers, d: Array) -> Array:
    return log_bayes(d, numbers.m, numbers.gamma, numbers.L)


def _by_jax(numbers: SignalNumbers, d: Array) -> Array:
    return averaged(lambda *setting: mapped(_one, setting), numbers, (d,), log=True)


def _by_numpy(numbers: SignalNumbers, d: Array) -> Array:
    return averaged(lambda *setting: in_pieces(_one, setting, _AT_ONCE), numbers, (d,), log=True)


_log_bayes = Elementwise(_by_jax, _by_numpy)
