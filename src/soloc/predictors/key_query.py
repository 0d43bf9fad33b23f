"""Attention over keys and a query: softmax, linear and uniform weights, and the Bayes predictor.

Each has `weights(keys, query)`: keys (n, L, d) and query (n, d) -> weights (n, L).
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np

from soloc.maths.harmonics import Coordinates
from soloc.maths.simplex import softmax


class KeyQueryAttention(Protocol):
    """What guesses from keys and query: the weights of the values."""

    def weights(self, keys: np.ndarray, query: np.ndarray) -> np.ndarray: ...


class PowerLaw(NamedTuple):
    """A number that moves with that of the tokens: scale * L^exponent."""

    scale: float
    exponent: float

    def __call__(self, L: int) -> float:
        return float(self.scale * float(L) ** self.exponent)


#: a number, or any function of the number of tokens
PerLength = float | PowerLaw | Callable[[int], float]


def at_length(number: PerLength, L: int) -> float:
    """The number for L tokens."""
    return float(number(L)) if callable(number) else float(number)


def require_shapes(keys: np.ndarray, query: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Keys and query as arrays, refused unless they are (n, L, d) and (n, d)."""
    keys, query = np.asarray(keys, float), np.asarray(query, float)
    if keys.ndim != 3 or query.shape != (len(keys), keys.shape[-1]):
        raise ValueError(
            f"`keys` must be (n, L, d) and `query` (n, d), got {keys.shape} and {query.shape}; "
            "a single sequence is a batch with n = 1."
        )
    return keys, query


@dataclass(frozen=True)
class SoftmaxAttention:
    """w_l proportional to exp(k_l.q / tau), tau a number or a function of L."""

    temperature: PerLength = 1.0

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
        scores = (keys @ query[..., None])[..., 0]
        return np.asarray(softmax(scores / self.temperature_at(keys.shape[1])))


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
        return np.asarray((self.features(keys) @ turned[..., None])[..., 0] / keys.shape[1])


@dataclass(frozen=True)
class UniformAttention:
    """w_l = 1/L: the mean of the values, which every mechanism must beat."""

    def weights(self, keys: np.ndarray, query: np.ndarray) -> np.ndarray:
        keys, query = require_shapes(keys, query)
        return np.full(keys.shape[:2], 1.0 / keys.shape[1])


@dataclass(frozen=True)
class BayesAttention:
    """The Bayes answer of a task as one more mechanism; `task` has `bayes_weights`."""

    task: Any

    def weights(self, keys: np.ndarray, query: np.ndarray) -> np.ndarray:
        return np.asarray(self.task.bayes_weights(*require_shapes(keys, query)))
