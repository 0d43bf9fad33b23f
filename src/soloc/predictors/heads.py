"""Several attention heads side by side, each with its own weight, key and value."""

from dataclasses import dataclass, replace
from typing import Any

import jax

from soloc.maths.data import Data
from soloc.maths.numbers import check_real
from soloc.predictors.attention import predict
from soloc.predictors.weight import Weight


@dataclass(frozen=True)
class Heads(Data):
    """T(X) = sum_h sum_l weight_h(X k_h)_l X_l . v_h.

    Each head has the inverse temperature of its weight, times the common factor `lam`.
    """

    weights: tuple[Weight, ...]
    lam: Any = 1.0  #: multiplies the inverse temperature of every head; schedules move it

    def __post_init__(self) -> None:
        weights = tuple(self.weights) if isinstance(self.weights, (tuple, list)) else ()
        if not weights or not all(isinstance(weight, Weight) for weight in weights):
            raise TypeError(
                "`weights` must be a tuple of soloc's weights, such as (Erf(.6), Erf(.9)), got"
                f" {self.weights!r}."
            )
        check_real("lam", self.lam, "a finite number")
        object.__setattr__(self, "weights", weights)

    def __len__(self) -> int:
        return len(self.weights)

    def with_lam(self, lam: Any) -> "Heads":
        """The same heads at another common factor."""
        return replace(self, lam=lam)

    @property
    def heads(self) -> tuple[Weight, ...]:
        """The weights at their own inverse temperatures."""
        return tuple(weight.with_lam(self.lam * weight.lam) for weight in self.weights)

    def predict(
        self,
        keys: jax.Array,
        values: jax.Array,
        tokens: jax.Array,
        present: jax.Array | None = None,
    ) -> Any:
        """The answers of heads with these keys and values, (H, d) each."""
        parts = zip(self.heads, keys, values, strict=True)
        return sum(predict(weight, k, v, tokens, present) for weight, k, v in parts)
