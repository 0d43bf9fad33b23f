"""A user's own component-wise weight: refused where its integrals would be wrong."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import jax
import numpy as np

from soloc.maths.numbers import is_concrete
from soloc.maths.own_function import called
from soloc.maths.smoothness import rough_place
from soloc.predictors.pointwise import Pointwise, PointwiseFunction, is_own

_SAME_PLACE = 1e-5


def refuse_rough(weight: Any) -> None:
    """Refuse an own weight that jumps or bends where it does not say so.

    For what JAX traces, where there is no risk yet to look at.
    """
    if is_own(weight) and (sentence := _what_is_rough(weight)):
        raise ValueError(sentence)


def refuse_no_number(weight: Any, risk: Any) -> None:
    """Refuse a risk of an own weight on which two rules differ, or that has no value."""
    if not is_own(weight) or not np.isnan(risk).any():
        return
    raise ValueError(
        _what_is_rough(weight)
        or "`function` must change slowly and stay finite where the scores are, got"
        f" {_name(weight)} at lam={weight.lam}, whose risk is not the same by two rules; leave what"
        " makes it sharp to `lam` (tanh(100 x) is tanh at lam=100), or use monte_carlo_risk."
    )


def _what_is_rough(weight: Pointwise) -> str | None:
    numbers = jax.tree.leaves(weight.with_lam(0.0))
    if not all(map(is_concrete, numbers)):
        return None  # JAX moves what it depends on: then a wrong number is NaN
    kinks = tuple(sorted({float(x) for bend in weight.bends for x in np.ravel(bend)}))
    if isinstance(weight, PointwiseFunction):
        place = _place_of_function(weight.function, kinks)
    elif any(np.ndim(number) for number in numbers):
        return None  # several functions at once
    else:
        place = rough_place(weight.value, kinks)
    if place is None:
        return None
    if np.abs(np.asarray(kinks) - place).min(initial=np.inf) < _SAME_PLACE:
        return (
            f"`function` must be bounded and bounded in slope beside its kinks, got {_name(weight)}"
            f" at {place:.3g}; use monte_carlo_risk, which gives its error."
        )
    known = "" if kinks == (0.0,) else f", beside {', '.join(f'{x:g}' for x in kinks)}"
    return (
        f"`kink` must name every place where the function jumps or bends, got {_name(weight)} that"
        f" does so near x = lam X.k = {place:.4g}{known}; write Pointwise.of(function, lam,"
        " kink=1.0), or kink=(-1.0, 1.0) for two."
    )


@lru_cache(maxsize=256)
def _place_of_function(function: Callable[[Any], Any], kinks: tuple[float, ...]) -> float | None:
    return rough_place(lambda x: called(function, x), kinks)


def _name(weight: Pointwise) -> str:
    if isinstance(weight, PointwiseFunction):
        return getattr(weight.function, "__name__", repr(weight.function))
    return type(weight).__name__
