"""Attention over keys and a query: softmax, linear and uniform weights, and the Bayes predictor.

A predictor is anything with `weights(keys, query)`: keys (n, L, d) and query (n, d) -> weights (n,
L).
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np

from soloc.maths.harmonics import Coordinates


class Predictor(Protocol):
    """What guesses: weights of the tokens from keys and query."""

    def weights(self, keys: np.ndarray, query: np.ndarray) -> np.ndarray: ...


class PowerLaw(NamedTuple):
    """A setting that moves with the number of tokens: scale * L^exponent."""

    scale: float
    exponent: float

    def __call__(self, L: int) -> float:
        return self.scale * float(L) ** self.exponent


#: a number, or a schedule: any function of the number of tokens
Setting = float | PowerLaw | Callable[[int], float]


class Seen(NamedTuple):
    """Keys and query, all that weights may depend on."""

    keys: np.ndarray
    query: np.ndarray


def at_length(setting: Setting, L: int) -> float:
    """The value of a constant or scheduled setting for L tokens."""
    return float(setting(L)) if callable(setting) else float(setting)


def require_shapes(keys: np.ndarray, query: np.ndarray) -> Seen:
    """Keys and query as arrays, refused unless they are (n, L, d) and (n, d)."""
    keys, query = np.asarray(keys, float), np.asarray(query, float)
    if keys.ndim != 3 or query.shape != (len(keys), keys.shape[-1]):
        raise ValueError(
            f"`keys` must be (n, L, d) and `query` (n, d), got {keys.shape} and {query.shape}; "
            "a single sequence is a batch with n = 1."
        )
    return Seen(keys, query)


@dataclass(frozen=True)
class SoftmaxAttention:
    """w_l proportional to exp(k_l.q / tau), tau a number or scheduled in L."""

    temperature: Setting = 1.0

    def __post_init__(self) -> None:
        if not callable(self.temperature):
            self.temperature_at(1)

    def temperature_at(self, L: int) -> float:
        """tau for L tokens, refused unless > 0."""
        temperature = at_length(self.temperature, L)
        if not temperature > 0:
            raise ValueError(
                f"`temperature` must be > 0, got {temperature} for {L} tokens; for hard attention"
                " take a small one, such as 1e-6."
            )
        return temperature

    def weights(self, keys: np.ndarray, query: np.ndarray) -> np.ndarray:
        keys, query = require_shapes(keys, query)
        logits = (keys @ query[..., None])[..., 0] / self.temperature_at(keys.shape[1])
        w = np.exp(logits - logits.max(-1, keepdims=True))
        return w / w.sum(-1, keepdims=True)


@dataclass(frozen=True, eq=False)
class LinearAttention:
    """w_l = phi(k_l)' Gamma phi(q) / L; `gamma` is a matrix, a diagonal or a number."""

    features: Callable[[np.ndarray], np.ndarray] = field(default_factory=Coordinates)
    gamma: float | np.ndarray = 1.0

    def weights(self, keys: np.ndarray, query: np.ndarray) -> np.ndarray:
        keys, query = require_shapes(keys, query)
        phi_q = self.features(query)
        gamma = np.asarray(self.gamma)
        turned = phi_q @ gamma.T if gamma.ndim == 2 else phi_q * gamma
        return (self.features(keys) @ turned[..., None])[..., 0] / keys.shape[1]


@dataclass(frozen=True)
class UniformAttention:
    """w_l = 1/L: the mean of the values, which every mechanism must beat."""

    def weights(self, keys: np.ndarray, query: np.ndarray) -> np.ndarray:
        keys, query = require_shapes(keys, query)
        return np.full(keys.shape[:2], 1.0 / keys.shape[1])


@dataclass(frozen=True)
class BayesAttention:
    """The Bayes predictor of a task, as one more mechanism; `task` is anything with
    `bayes_weights`.
    """

    task: Any

    def weights(self, keys: np.ndarray, query: np.ndarray) -> np.ndarray:
        return self.task.bayes_weights(require_shapes(keys, query))
