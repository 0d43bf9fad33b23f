"""What every task with a latent and tokens answers to: a batch, its Bayes predictor, its
exchangeability.
"""

from typing import Literal, NamedTuple, Protocol

import jax
import numpy as np

Exchangeable = Literal["infinite", "finite"]


class Batch(NamedTuple):
    """n sequences of L tokens, each with one query."""

    keys: np.ndarray  #: (n, L, d)
    values: np.ndarray  #: (n, L, dv)
    query: np.ndarray  #: (n, d)
    target: np.ndarray  #: (n, dv)
    latent: np.ndarray  #: (n, ...) what the tokens share given which they are independent


class Sight(Protocol):
    """What the weights may depend on: keys and query, never values nor target. A Batch is one."""

    @property
    def keys(self) -> np.ndarray: ...
    @property
    def query(self) -> np.ndarray: ...


class Task(Protocol):
    """Tokens from a latent, with the Bayes answer as attention: E[target | tokens, query] = sum_l
    w_l v_l.
    """

    @property
    def exchangeable(self) -> Exchangeable:
        """'infinite' (de Finetti: more tokens tell more) or 'finite' (the latent is a position)."""

    def sample(self, key: jax.Array, n: int, L: int) -> Batch:
        """n sequences of L tokens."""

    def log_score(self, batch: Batch) -> np.ndarray | None:
        """(n, L) posterior logits of the position, None where the latent is no position."""

    def bayes_weights(self, sight: Sight) -> np.ndarray:
        """(n, L) weights of the Bayes predictor."""

    def bayes_var(self, batch: Batch) -> np.ndarray:
        """(n,) posterior variance of the target, mean over its coordinates."""


def require_counts(n: int, L: int) -> None:
    """Refuse an empty batch or an empty sequence."""
    for name, value in (("n", n), ("L", L)):
        if value != int(value) or value < 1:
            raise ValueError(f"`{name}` must be a whole number >= 1, got {value}.")


def attend(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The output of attention, sum_l w_l v_l: (n, L) and (n, L, dv) -> (n, dv)."""
    return np.einsum("nl,nlv->nv", weights, values)


def posterior_of_position(log_score: np.ndarray) -> np.ndarray:
    """Probabilities of the positions from their logits, (n, L)."""
    p = np.exp(log_score - log_score.max(-1, keepdims=True))
    return p / p.sum(-1, keepdims=True)


def recall_variance(probability: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Variance of v_J when J has these probabilities, mean over coordinates: (n, L), (n, L, dv) ->
    (n,).
    """
    centred = values - attend(probability, values)[:, None, :]
    return np.einsum("nl,nlv->n", probability, centred**2) / values.shape[-1]
