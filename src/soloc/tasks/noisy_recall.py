"""Recall of one value by a blurred copy of its key: the task for which softmax is exactly Bayes.

J0 uniform,   q = k_J0 + sqrt(tau) N(0, I),   |k_l| = 1,   answer v_J0
"""

from dataclasses import dataclass

import jax
import numpy as np

from soloc.maths.engine import Array
from soloc.maths.harmonics import require_unit
from soloc.maths.numbers import check_count
from soloc.maths.randomness import generator
from soloc.maths.simplex import softmax
from soloc.tasks.key_laws import SphereKeys
from soloc.tasks.protocol import Batch, Exchangeable, View, attend, variance_of_place


@dataclass(frozen=True)
class NoisyRecall:
    """The task: unit keys in R^d, standard normal values, a query whose blur has variance `tau`."""

    d: int = 8
    tau: float = 0.1
    dv: int = 1
    L: int = 10

    def __post_init__(self) -> None:
        if not self.tau > 0:
            raise ValueError(
                f"`tau` must be > 0, got {self.tau}; without blur the nearest key is the answer."
            )
        for name, least in (("d", 2), ("dv", 1), ("L", 1)):
            check_count(name, getattr(self, name), least)

    @property
    def exchangeable(self) -> Exchangeable:
        return "finite"

    def truth(self, key: jax.Array) -> tuple[()]:
        """Nothing: every sequence has a place of its own."""
        return ()

    def sample(self, truth: tuple[()], key: jax.Array, n: int) -> Batch:
        check_count("n", n)
        rng = generator(key)
        keys = SphereKeys(self.d).draw(rng, n, self.L)
        values = rng.standard_normal((n, self.L, self.dv))
        place = rng.integers(self.L, size=n)
        rows = np.arange(n)
        query = keys[rows, place] + np.sqrt(self.tau) * rng.standard_normal((n, self.d))
        return Batch(keys, values, query, values[rows, place], place)

    def view(self, truth: tuple[()], tokens: View) -> View:
        return tokens

    def posterior(self, truth: tuple[()], tokens: View, lengths: Array | None = None) -> np.ndarray:
        """P(J0 = l | keys, query); the values say nothing."""
        return self.bayes_weights(tokens.keys, tokens.query)

    def bayes(self, truth: tuple[()], tokens: View, lengths: Array | None = None) -> np.ndarray:
        """sum_l P(J0 = l | keys, query) v_l."""
        return attend(self.posterior(truth, tokens), tokens.values)

    def bayes_weights(self, keys: np.ndarray, query: np.ndarray) -> np.ndarray:
        """Softmax of -|q - k_l|^2 / (2 tau), which on the sphere is that of q.k_l / tau."""
        require_unit(keys, "keys")
        return np.asarray(softmax(np.einsum("nld,nd->nl", keys, query) / self.tau))

    def bayes_variance(
        self, truth: tuple[()], tokens: View, lengths: Array | None = None
    ) -> np.ndarray:
        """Variance of v_J under the posterior of J."""
        return variance_of_place(self.posterior(truth, tokens), tokens.values)

    def null_risk(self) -> float:
        """1, the variance of a value."""
        return 1.0

    def linear_risk(self) -> float:
        """1 - 1/L: the best that is linear in the values is their mean."""
        return 1.0 - 1.0 / self.L
