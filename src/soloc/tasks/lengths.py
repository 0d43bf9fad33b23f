"""Random lengths of sequences."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from soloc.maths.numbers import check_whole, is_concrete


class LengthLaw(NamedTuple):
    """A law of the sequence length on finitely many values."""

    values: tuple[int, ...]
    probabilities: tuple[float, ...]

    @staticmethod
    def uniform(shortest: int, longest: int) -> "LengthLaw":
        """Every length from `shortest` to `longest`, equally likely."""
        if not 1 <= shortest <= longest:
            raise ValueError(
                f"`shortest` and `longest` must satisfy 1 <= shortest <= longest, got {shortest}"
                f" and {longest}."
            )
        count = longest - shortest + 1
        return LengthLaw(tuple(range(shortest, longest + 1)), (1.0 / count,) * count)

    def check(self, L: Any) -> None:
        """Refuse what is no law, or has another longest length than L."""
        values, chances = np.asarray(self.values), np.asarray(self.probabilities, dtype=float)
        if values.ndim != 1 or values.shape != chances.shape or len(values) == 0:
            raise ValueError(
                "`lengths` must hold as many probabilities as values, and at least one, got"
                f" {len(self.values)} values and {len(self.probabilities)} probabilities."
            )
        check_whole("lengths.values", values, 1)
        if not (np.all(chances >= 0) and abs(chances.sum() - 1.0) < 1e-9):
            raise ValueError(
                "`lengths.probabilities` must be non-negative and sum to 1, got a sum of"
                f" {chances.sum():.6g}."
            )

        if is_concrete(L) and np.any(np.asarray(L) != self.longest):
            raise ValueError(
                f"`L` must be the longest of `lengths` or left out, got {L} against {self.longest}."
            )

    @property
    def longest(self) -> int:
        return max(self.values)

    def draw(self, key: jax.Array, n: int) -> jax.Array:
        """n lengths."""
        values, chances = jnp.asarray(self.values, int), jnp.asarray(self.probabilities)
        return jax.random.choice(key, values, (n,), p=chances)

    def draw_by_numpy(self, rng: np.random.Generator, n: int) -> np.ndarray:
        """n lengths, by NumPy."""
        return rng.choice(np.asarray(self.values), n, p=self.probabilities)

    def chances(self) -> tuple[np.ndarray, np.ndarray]:
        """Position by position: P(token present), and P(a uniform draw among them is there)."""
        values, chances = np.asarray(self.values), np.asarray(self.probabilities)
        has = np.arange(self.longest)[:, None] < values
        return (has * chances).sum(axis=1), (has * chances / values).sum(axis=1)
