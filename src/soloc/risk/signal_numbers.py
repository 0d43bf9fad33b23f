"""The numbers of single-location regression on which the risk of a position-free weight depends."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from soloc.maths.data import STATIC, Data
from soloc.maths.engine import Array
from soloc.tasks.lengths import LengthLaw
from soloc.tasks.single_location import SingleLocation


@dataclass(frozen=True)
class SignalNumbers(Data):
    """Strength m and spread gamma of the signal token, and how many tokens there are."""

    m: Array
    gamma: Array
    L: Array
    lengths: LengthLaw | None = field(default=None, metadata=STATIC)

    @staticmethod
    def of(task: SingleLocation) -> "SignalNumbers":
        """Those of a task, which must have no background mean."""
        task.refuse_background()
        return SignalNumbers(task.m, task.gamma, task.L, task.lengths)


def averaged(
    formula: Callable[..., Array], numbers: Any, rest: tuple[Any, ...], *, log: bool = False
) -> Array:
    """`formula(numbers, *rest)`, its mean over the law of lengths where the length is random.

    With `log` the formula is the logarithm of what is averaged.
    """
    if numbers.lengths is None:
        return formula(numbers, *rest)
    depth = max(map(jnp.ndim, jax.tree.leaves((numbers, rest))))
    values, chances = (
        np.asarray(part, float).reshape(-1, *(1,) * depth) for part in numbers.lengths
    )
    each = formula(replace(numbers, L=values, lengths=None), *rest)
    return jax.nn.logsumexp(each, axis=0, b=chances) if log else jnp.sum(chances * each, axis=0)
