"""Recall of one value by a blurred copy of its key: the task for which softmax is exactly Bayes.

J0 uniform,   q = k_J0 + sqrt(tau) N(0, I),   |k_l| = 1,   target v_J0
"""

from dataclasses import dataclass

import jax
import numpy as np

from soloc.maths.harmonics import require_unit
from soloc.maths.randomness import generator
from soloc.tasks.key_laws import SphereKeys
from soloc.tasks.protocol import (
    Batch,
    Exchangeable,
    Sight,
    posterior_of_position,
    recall_variance,
    require_counts,
)


@dataclass(frozen=True)
class NoisyRecall:
    """The task: unit keys in R^d, standard normal values, a query whose blur has variance `tau`."""

    d: int = 8
    tau: float = 0.1
    dv: int = 1

    def __post_init__(self) -> None:
        if not self.tau > 0:
            raise ValueError(
                f"`tau` must be > 0, got {self.tau}; without blur the nearest key is the answer."
            )
        for name, least in (("d", 2), ("dv", 1)):
            if getattr(self, name) < least:
                raise ValueError(f"`{name}` must be at least {least}, got {getattr(self, name)}.")

    @property
    def exchangeable(self) -> Exchangeable:
        return "finite"

    def sample(self, key: jax.Array, n: int, L: int) -> Batch:
        require_counts(n, L)
        rng = generator(key)
        keys = SphereKeys(self.d).draw(rng, n, L)
        values = rng.standard_normal((n, L, self.dv))
        place = rng.integers(L, size=n)
        rows = np.arange(n)
        query = keys[rows, place] + np.sqrt(self.tau) * rng.standard_normal((n, self.d))
        return Batch(keys, values, query, values[rows, place], place)

    def log_score(self, batch: Sight) -> np.ndarray:
        """-|q - k_l|^2 / (2 tau) up to a constant, which on the sphere is q.k_l / tau."""
        require_unit(batch.keys, "keys")
        return np.einsum("nld,nd->nl", batch.keys, batch.query) / self.tau

    def bayes_weights(self, sight: Sight) -> np.ndarray:
        return posterior_of_position(self.log_score(sight))

    def bayes_var(self, batch: Batch) -> np.ndarray:
        return recall_variance(self.bayes_weights(batch), batch.values)
