"""An answer that is not exact carries its error."""

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Estimate:
    """A Monte Carlo mean with its standard error; `float()` gives the mean."""

    value: Any
    error: Any

    def __float__(self) -> float:
        return float(self.value)

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return np.asarray(self.value, dtype=dtype)

    def __add__(self, shift: Any) -> "Estimate":
        return Estimate(self.value + shift, self.error)

    __radd__ = __add__

    def __str__(self) -> str:
        return f"{self.value} ± {self.error}"
