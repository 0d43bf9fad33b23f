"""Weights that see one score each: sigma(lam X_l . k), optionally divided by the length.

A new nonlinearity is one class with `value`, or `Pointwise.of(function)`; every exact risk,
gradient and training run then works unasked.
"""

import math
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import jax.numpy as jnp

from soloc.maths.data import STATIC
from soloc.maths.engine import Array, engine_of
from soloc.maths.numbers import check_real
from soloc.maths.own_function import called
from soloc.predictors.weight import Weight


@dataclass(frozen=True)
class Pointwise(Weight):
    """A component-wise weight sigma(lam a) of the score a = X . k.

    `lam` is the inverse temperature (an array broadcasts); `per_length` divides the weight by L, as
    in the papers that replace softmax by a component-wise function.
    """

    per_length: bool = field(default=False, metadata=STATIC)

    exponential_growth: ClassVar[float] = 0.0  #: sigma(x) grows like exp(growth x)

    @property
    def bends(self) -> tuple[Any, ...]:
        """The scaled scores at which the weight bends most, or jumps: integrals are cut there."""
        return (0.0,)

    @abstractmethod
    def value(self, x: Array) -> Array:
        """sigma(x) at the scaled score x = lam a."""

    def complement(self, x: Array) -> Array:
        """1 - sigma(x); a saturating weight overrides it so that nothing cancels."""
        return 1.0 - self.value(x)

    def log_complement(self, x: Array) -> Array:
        """log |1 - sigma(x)|; a saturating weight overrides it so that nothing underflows."""
        xp = engine_of(x).xp
        return xp.log(xp.abs(self.complement(x)))

    @staticmethod
    def of(
        function: Callable[[Any], Any], lam: Any = 1.0, *, kink: Any = 0.0
    ) -> "PointwiseFunction":
        """The weight function(lam a) of any function of NumPy or JAX arrays.

        Its exact risk, gradient and training work as for the named ones. `kink` is where the
        function jumps or bends most, if not at 0, or a tuple of all such places: integrals are
        cut there. An exact risk is refused where one is not named.
        """
        return PointwiseFunction(lam, function=function, kink=kink)

    def __call__(self, scores: Array, present: Array | None = None) -> Array:
        """Weights of the tokens from their scores (last axis); absent tokens weigh nothing."""
        weights = self.value(jnp.asarray(self.lam)[..., None] * scores)
        length: Any = scores.shape[-1]
        if present is not None:
            weights = jnp.where(present, weights, 0.0)
            length = jnp.sum(present, axis=-1, keepdims=True)
        return weights / length if self.per_length else weights


@dataclass(frozen=True)
class PointwiseFunction(Pointwise):
    """function(lam a), from `Pointwise.of(function)`."""

    function: Callable[[Any], Any] = field(kw_only=True, metadata=STATIC)
    kink: Any = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.kink, (tuple, list)):
            object.__setattr__(self, "kink", tuple(self.kink))
        for kink in self.bends or ("",):
            check_real("kink", kink, "a finite number, or a tuple of them")
        if isinstance(self.kink, tuple):  # whole numbers become real ones, that JAX can move
            object.__setattr__(self, "kink", tuple(kink + 0.0 for kink in self.kink))
        if not callable(self.function):
            raise TypeError(
                "`function` must be a function of NumPy or JAX arrays, such as lambda x: x**3, got"
                f" {self.function!r}."
            )

    @property
    def bends(self) -> tuple[Any, ...]:
        return self.kink if isinstance(self.kink, tuple) else (self.kink,)

    def value(self, x: Array) -> Array:
        return called(self.function, x)


def is_own(weight: Any) -> bool:
    """Is it a component-wise weight of a user, whose integrals no test of ours has seen?"""
    named = type(weight).__module__ == __name__ and not isinstance(weight, PointwiseFunction)
    return isinstance(weight, Pointwise) and not named


@dataclass(frozen=True)
class Erf(Pointwise):
    """erf(lam a): the paper's choice (Marion, Berthier, Biau and Boyer, 2025), in closed form."""

    def value(self, x: Array) -> Array:
        return engine_of(x).erf(x)

    def complement(self, x: Array) -> Array:
        return engine_of(x).erfc(x)

    def log_complement(self, x: Array) -> Array:
        return math.log(2.0) + engine_of(x).log_ndtr(-math.sqrt(2.0) * x)


@dataclass(frozen=True)
class Linear(Pointwise):
    """lam a: linear attention (Katharopoulos et al., 2020; von Oswald et al., 2023)."""

    def value(self, x: Array) -> Array:
        return x


@dataclass(frozen=True)
class OnePlusLinear(Pointwise):
    """1 + lam a: the first order of the exponential (Duranthon, Marion et al., 2025)."""

    def value(self, x: Array) -> Array:
        return 1.0 + x

    def complement(self, x: Array) -> Array:
        return -x


@dataclass(frozen=True)
class Tanh(Pointwise):
    """tanh(lam a): the other usual odd saturating weight (Marion et al., 2025, beside erf)."""

    def value(self, x: Array) -> Array:
        return engine_of(x).xp.tanh(x)

    def complement(self, x: Array) -> Array:
        return 2.0 * engine_of(x).expit(-2.0 * x)

    def log_complement(self, x: Array) -> Array:
        return math.log(2.0) - engine_of(x).xp.logaddexp(0.0, 2.0 * x)


@dataclass(frozen=True)
class Sigmoid(Pointwise):
    """1 / (1 + exp(shift - lam a)): sigmoid attention (Ramapuram et al., 2024; shift log L)."""

    shift: Any = 0.0

    @property
    def bends(self) -> tuple[Any, ...]:
        return (self.shift,)

    def value(self, x: Array) -> Array:
        return engine_of(x).expit(x - self.shift)

    def complement(self, x: Array) -> Array:
        return engine_of(x).expit(self.shift - x)

    def log_complement(self, x: Array) -> Array:
        return -engine_of(x).xp.logaddexp(0.0, x - self.shift)


@dataclass(frozen=True)
class OnePlusErf(Pointwise):
    """1 + erf(lam a - shift): a positive weight with a threshold (Duranthon et al., 2025)."""

    shift: Any = 0.0

    @property
    def bends(self) -> tuple[Any, ...]:
        return (self.shift,)

    def value(self, x: Array) -> Array:
        return engine_of(x).erfc(self.shift - x)

    def complement(self, x: Array) -> Array:
        return -engine_of(x).erf(x - self.shift)


@dataclass(frozen=True)
class ReLU(Pointwise):
    """max(lam a, 0): ReLU attention (Wortsman et al., 2023, with `per_length=True`)."""

    def value(self, x: Array) -> Array:
        return engine_of(x).xp.maximum(x, 0.0)


@dataclass(frozen=True)
class Softplus(Pointwise):
    """log(1 + exp(lam a)): the smooth ReLU (Tsai et al., 2019, as a kernel; Gao et al., 2024)."""

    def value(self, x: Array) -> Array:
        return engine_of(x).xp.logaddexp(0.0, x)


@dataclass(frozen=True)
class Exponential(Pointwise):
    """exp(lam a): softmax without its normalisation (Duranthon et al., 2025)."""

    exponential_growth: ClassVar[float] = 1.0

    def value(self, x: Array) -> Array:
        return engine_of(x).xp.exp(x)

    def log_complement(self, x: Array) -> Array:
        xp = engine_of(x).xp
        return xp.maximum(x, 0.0) + xp.log(-xp.expm1(-xp.abs(x)))
