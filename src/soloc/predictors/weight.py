"""What all attention weights share: an inverse temperature, and that JAX can take them apart."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import jax

from soloc.maths.data import Data
from soloc.maths.numbers import check_real


@dataclass(frozen=True)
class Weight(Data, ABC):
    """From the scores of the tokens to their weights; its numbers may be arrays that broadcast."""

    lam: Any

    position_free: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_real("lam", self.lam, "a finite number")

    @abstractmethod
    def __call__(self, scores: jax.Array, present: jax.Array | None = None) -> jax.Array:
        """Weights of the tokens from their scores (last axis); absent tokens weigh nothing."""

    def with_lam(self, lam: Any) -> Self:
        """The same weight at another inverse temperature."""
        return replace(self, lam=lam)
