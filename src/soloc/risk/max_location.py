"""The risks of one attention head when the largest score decides, registered by kind of weight.

Values are independent of scores, so that on the manifold theta = eta = rho = 0, with pi the shares
of the tokens in the answer (all on J, or softmax(beta chi) where the answer is graded),

    R - eps^2 = E[sum pi^2] - 2 nu E[sum p pi] + E[sum p^2].
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import jax
import numpy as np

from soloc.maths.data import STATIC, Data
from soloc.maths.elementwise import Elementwise
from soloc.maths.engine import Array
from soloc.predictors.normalised import HardMax, Softmax
from soloc.predictors.pointwise import Pointwise, is_own
from soloc.predictors.weight import Weight
from soloc.risk.largest_score import (
    agreement_of_maxima,
    hit_of_pointwise,
    hit_of_softmax,
    share_of_pointwise,
    squared_pointwise,
    squared_softmax,
)
from soloc.risk.overlaps import Overlaps
from soloc.risk.own_weight import refuse_rough
from soloc.risk.registry import register
from soloc.risk.signal_numbers import averaged
from soloc.tasks.lengths import LengthLaw
from soloc.tasks.max_location import MaxLocation


@dataclass(frozen=True)
class MaxNumbers(Data):
    """Length and sharpness of the choice, and whether the answer is a mixture."""

    L: Array
    beta: Array
    graded: bool = field(metadata=STATIC)
    lengths: LengthLaw | None = field(default=None, metadata=STATIC)

    @staticmethod
    def of(task: MaxLocation) -> "MaxNumbers":
        """Those of a task."""
        return MaxNumbers(task.L, task.beta, task.graded, task.lengths)


def _softmax(weight: Softmax, kappa: float, L: float, beta: float) -> tuple[float, float]:
    """E[sum p pi] and E[sum p^2] of softmax."""
    lam = float(weight.lam)
    square = squared_softmax(abs(lam), L)
    if math.isinf(beta):
        return hit_of_softmax(lam, kappa, L), square
    if (lam, kappa) == (beta, 1.0):
        return square, square
    raise ValueError(
        "`beta` must be infinite, or lam = beta at kappa = 1, for the exact risk of Softmax, got"
        f" beta={beta:g}, lam={lam:g}, kappa={kappa:g}; use monte_carlo_risk."
    )


def _hard_max(weight: HardMax, kappa: float, L: float, beta: float) -> tuple[float, float]:
    """The same of the hard maximum; a soft choice seen by it is a hard one seen by softmax."""
    side = math.copysign(1.0, float(weight.lam))
    if math.isinf(beta):
        return agreement_of_maxima(side * kappa, L), 1.0
    return hit_of_softmax(beta, side * kappa, L), 1.0


def _pointwise(weight: Pointwise, kappa: float, L: float, beta: float) -> tuple[float, float]:
    """The same of a component-wise weight; an own one may bend or jump at 0 alone."""
    refuse_rough(weight)
    if is_own(weight) and any(np.any(np.asarray(bend) != 0.0) for bend in weight.bends):
        raise ValueError(
            "`kink` must be 0 for the exact risk of the largest score, got"
            f" {', '.join(f'{float(bend):g}' for bend in weight.bends)}; use monte_carlo_risk."
        )
    if math.isinf(beta):
        return hit_of_pointwise(weight, kappa, L), squared_pointwise(weight, L)
    return share_of_pointwise(weight, kappa, L, beta), squared_pointwise(weight, L)


def _risk(moments: Callable[[Any, float, float, float], tuple[float, float]]) -> Elementwise:
    """The excess of a kind of weight from its two moments, setting by setting."""

    def one(numbers: MaxNumbers, weight: Weight, o: Overlaps) -> float:
        kappa, L, beta = float(o.kappa), float(numbers.L), float(numbers.beta)
        shared, square = moments(weight, kappa, L, beta)
        own = squared_softmax(beta, L) if numbers.graded and math.isfinite(beta) else 1.0
        return own - 2.0 * float(o.nu) * shared + square

    def each(numbers: MaxNumbers, weight: Weight, o: Overlaps) -> Array:
        leaves, structure = jax.tree.flatten((numbers, weight, o))
        parts = np.broadcast_arrays(*leaves)
        columns = zip(*(part.ravel() for part in parts), strict=True)
        values = [one(*jax.tree.unflatten(structure, column)) for column in columns]
        return np.reshape(values, parts[0].shape)

    def on_numbers(numbers: MaxNumbers, weight: Weight, o: Overlaps) -> Array:
        if any(np.any(np.asarray(x) != 0.0) for x in (o.theta, o.eta, o.rho)):
            raise ValueError(
                "`theta`, `eta` and `rho` must be 0 for the exact risk of the largest score, got"
                f" {o.theta}, {o.eta} and {o.rho}; use monte_carlo_risk."
            )
        return averaged(each, numbers, (weight, o))

    return Elementwise(_refuse_tracing, on_numbers)


def _refuse_tracing(*_: Any) -> Array:
    raise TypeError(
        "`task` must not be MaxLocation where JAX differentiates or compiles: its risks are"
        " integrals of NumPy. Ask for them outside, or take differences."
    )


for _kind, _moments in ((Softmax, _softmax), (HardMax, _hard_max), (Pointwise, _pointwise)):
    register(MaxLocation, _kind, state=Overlaps, excess=_risk(_moments), numbers=MaxNumbers.of)


def max_location_bayes(task: MaxLocation) -> Any:
    """Bayes risk: softmax at lam = beta is the posterior, eps^2 where nothing is left to chance."""
    if task.graded or (np.ndim(task.beta) == 0 and math.isinf(task.beta)):
        return task.eps**2

    def each(numbers: MaxNumbers) -> Array:
        L, beta = np.broadcast_arrays(np.asarray(numbers.L, float), np.asarray(numbers.beta, float))
        pairs = zip(beta.ravel(), L.ravel(), strict=True)
        left = [1.0 - squared_softmax(float(b), float(n)) for b, n in pairs]
        return np.reshape(left, L.shape)

    return np.asarray(task.eps) ** 2 + np.asarray(averaged(each, MaxNumbers.of(task), ()))
