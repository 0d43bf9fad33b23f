"""The one language of tasks: a truth, sequences drawn from it, and the best answer to them.

The answer of a sequence may be anything: the value of one token, a sum over several, a soft mixture
of all. Tasks whose latent is a place also offer `posterior(truth, tokens, lengths)`, the
probabilities (n, L) of the places.
"""

from typing import Any, Literal, NamedTuple, Protocol

import jax
import numpy as np

from soloc.maths.engine import Array

Exchangeable = Literal["infinite", "finite", "no"]


class Sequences(Protocol):
    """What a task draws: n sequences of at most L tokens, with their answers."""

    @property
    def tokens(self) -> Any:
        """What a predictor sees: an array (n, L, d), or a `View`."""

    @property
    def answers(self) -> Array:
        """(n,), or (n, dv) when an answer has several coordinates."""

    @property
    def latent(self) -> Any:
        """What nobody says: the place of the decisive token, the matrix behind all values, ..."""

    @property
    def lengths(self) -> Array:
        """(n,) tokens present in each sequence."""


class Task(Protocol):
    """What is true. Risks are squared errors, means over the coordinates of an answer."""

    def truth(self, key: jax.Array) -> Any:
        """Draw what all sequences share; the empty tuple where they share nothing."""

    def sample(self, truth: Any, key: jax.Array, n: int) -> Sequences:
        """Draw n sequences."""

    def bayes(self, truth: Any, tokens: Any, lengths: Array | None = None) -> Array:
        """E[answer | tokens], for tokens as `sample` draws them."""

    def null_risk(self) -> Any:
        """Risk of always answering 0."""

    def linear_risk(self) -> Any:
        """Risk of the best affine function of all that the tokens hold."""


class View(NamedTuple):
    """What an attention sees that is given keys, values and a query."""

    keys: np.ndarray  #: (n, L, d)
    values: np.ndarray  #: (n, L, dv)
    query: np.ndarray  #: (n, d)


class Attended(Task, Protocol):
    """A task whose Bayes answer is an attention: E[answer | tokens] = sum_l w_l v_l."""

    @property
    def L(self) -> Any:
        """How many tokens a sequence has."""

    @property
    def exchangeable(self) -> Exchangeable:
        """'infinite' (de Finetti: more tokens tell more), 'finite' (a place is latent) or 'no'."""

    def view(self, truth: Any, tokens: Any) -> View:
        """Keys, values and query of these sequences."""

    def bayes_weights(self, keys: np.ndarray, query: np.ndarray) -> np.ndarray:
        """(n, L) weights of the Bayes answer, which depend on neither values nor answers."""

    def bayes_variance(self, truth: Any, tokens: Any, lengths: Array | None = None) -> Array:
        """(n,) posterior variance of the answer, mean over its coordinates."""


class Batch(NamedTuple):
    """n sequences of L tokens that come as keys and values, each with one query."""

    keys: np.ndarray  #: (n, L, d)
    values: np.ndarray  #: (n, L, dv)
    query: np.ndarray  #: (n, d)
    answers: np.ndarray  #: (n, dv)
    latent: np.ndarray  #: (n, ...) what the tokens share given which they are independent

    @property
    def tokens(self) -> View:
        return View(self.keys, self.values, self.query)

    @property
    def lengths(self) -> np.ndarray:
        return np.full(len(self.keys), self.keys.shape[1])


def attend(weights: Array, values: Array) -> np.ndarray:
    """The output of attention, sum_l w_l v_l: (n, L) and (n, L, dv) -> (n, dv)."""
    return np.asarray(np.einsum("nl,nlv->nv", weights, values))


def variance_of_place(probability: Array, values: Array) -> np.ndarray:
    """Variance of v_J when J has these probabilities, mean over coordinates: (n,)."""
    centred = values - attend(probability, values)[:, None, :]
    return np.asarray(np.einsum("nl,nlv->n", probability, centred**2) / values.shape[-1])
