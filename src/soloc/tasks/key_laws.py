"""Laws from which a task draws its keys and queries."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class SphereKeys:
    """Keys uniform on the unit sphere of R^d."""

    d: int = 3

    @property
    def mean_square(self) -> float:
        """E|k|^2."""
        return 1.0

    def draw(self, rng: np.random.Generator, *shape: int) -> np.ndarray:
        keys = rng.standard_normal((*shape, self.d))
        keys /= np.sqrt(np.einsum("...i,...i->...", keys, keys))[..., None]
        return keys


@dataclass(frozen=True)
class GaussianKeys:
    """Keys N(0, diag(variances)), not on the sphere."""

    variances: tuple[float, ...]

    def __post_init__(self) -> None:
        if not self.variances or min(self.variances) <= 0:
            raise ValueError(f"`variances` must be numbers > 0, got {self.variances}.")

    @property
    def d(self) -> int:
        return len(self.variances)

    @property
    def mean_square(self) -> float:
        """E|k|^2."""
        return float(sum(self.variances))

    def draw(self, rng: np.random.Generator, *shape: int) -> np.ndarray:
        return rng.standard_normal((*shape, self.d)) * np.sqrt(self.variances)


def weakly_spread(condition: float, strong: int = 3, weak: int = 3) -> GaussianKeys:
    """Gaussian keys with `strong` variances 1 and `weak` variances 1/condition."""
    return GaussianKeys((1.0,) * strong + (1.0 / condition,) * weak)
