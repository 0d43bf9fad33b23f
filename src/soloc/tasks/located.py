"""Single-location regression in the protocol of tasks with a latent: truth held, location latent.

Keys are the tokens, the query is k*, values are the projections X_l . v*, the target is the answer
Y.
"""

from dataclasses import dataclass

import jax
import numpy as np

from soloc.maths.randomness import generator
from soloc.tasks.protocol import (
    Batch,
    Exchangeable,
    Sight,
    posterior_of_position,
    recall_variance,
    require_counts,
)
from soloc.tasks.single_location import SingleLocation, Truth


@dataclass(frozen=True, eq=False)
class LocatedTruth:
    """SLR(k*, v*) with its truth known; `sample` sets the length, which the task's own `L` does not
    bind.
    """

    task: SingleLocation
    truth: Truth

    def __post_init__(self) -> None:
        for name in ("prior", "lengths"):
            if getattr(self.task, name) is not None:
                raise ValueError(
                    f"`task` must have no `{name}`, for its tokens to be exchangeable at every"
                    f" length, got {getattr(self.task, name)}; leave `{name}` out."
                )

    @property
    def exchangeable(self) -> Exchangeable:
        return "finite"

    @property
    def temperature(self) -> float:
        """1/m, at which softmax with query k* is exactly Bayes when gamma = 1."""
        return 1 / float(self.task.m)

    def sample(self, key: jax.Array, n: int, L: int) -> Batch:
        """The law of SingleLocation.sample, drawn by NumPy: a new length costs no compilation."""
        require_counts(n, L)
        rng = generator(key)
        k, v = (np.asarray(part, float) for part in self.truth)
        tokens = rng.standard_normal((n, L, k.size))
        rows, place = np.arange(n), rng.integers(L, size=n)
        signal = self.task.m * k + self.task.gamma * tokens[rows, place]
        tokens += self._background()
        tokens[rows, place] = signal
        values = tokens @ v
        target = values[rows, place] + self.task.eps * rng.standard_normal(n)
        return Batch(
            tokens, values[..., None], np.broadcast_to(k, (n, k.size)), target[:, None], place
        )

    def log_score(self, batch: Sight) -> np.ndarray:
        """ell(X_l) up to a constant: |x - background|^2 / 2 - |x - m k*|^2 / (2 gamma^2)."""
        from_background = batch.keys - self._background()
        from_signal = batch.keys - self.task.m * np.asarray(self.truth.k, float)
        square = [np.einsum("nld,nld->nl", x, x) for x in (from_background, from_signal)]
        return 0.5 * square[0] - 0.5 * square[1] / self.task.gamma**2

    def bayes_weights(self, sight: Sight) -> np.ndarray:
        return posterior_of_position(self.log_score(sight))

    def bayes_var(self, batch: Batch) -> np.ndarray:
        """Variance of X_J . v* under the posterior of J, plus the noise of the answer."""
        return recall_variance(self.bayes_weights(batch), batch.values) + float(self.task.eps) ** 2

    def _background(self) -> np.ndarray | float:
        return 0.0 if self.task.background is None else np.asarray(self.task.background, float)
