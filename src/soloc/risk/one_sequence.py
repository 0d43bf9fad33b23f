"""One sequence, seen through its projections: what attention and Bayes make of it, at any d.

Nothing depends on a token but its coordinates in the frame (k*, v*, e3, e4) that holds k and v, and
its norm outside of it: four normals and one chi-square are drawn per token, whatever d is.
"""

from dataclasses import replace
from typing import Any, NamedTuple

import jax
import numpy as np

from soloc.maths.gaussians import log_ratio, squared_distance
from soloc.maths.numbers import check_count
from soloc.maths.randomness import generator
from soloc.maths.simplex import softmax
from soloc.predictors.normalised import NormalisedKernel
from soloc.predictors.pointwise import Pointwise
from soloc.risk.overlaps import Overlaps
from soloc.tasks.single_location import SingleLocation, Truth

LONGEST = 20_000  # tokens drawn one by one
_AXES = Truth(*np.eye(4)[:2])


class OneSequence(NamedTuple):
    """A sequence with its answer, and what two predictors say about it, token by token."""

    location: int  #: J0, which nobody says
    answer: float  #: Y = X_J0 . v* + noise
    tokens: np.ndarray  #: (L, 4) coordinates in the frame (k*, v*, e3, e4)
    scores: np.ndarray  #: X . k
    values: np.ndarray  #: X . v
    weights: np.ndarray  #: attention weight of every token
    posterior: np.ndarray  #: P(J0 = l | X)
    prediction: float  #: sum of weights times values
    bayes: float  #: E[Y | X]


def one_sequence(
    task: SingleLocation, weight: Any, overlaps: Overlaps, key: jax.Array
) -> OneSequence:
    """A sequence drawn with `key`, as seen by the attention with these overlaps, and by Bayes."""
    check_count("L", task.L)
    for name in ("prior", "lengths", "background"):
        if getattr(task, name) is not None:
            raise ValueError(
                f"`task` must have no `{name}` for a sequence to be drawn by its projections; leave"
                f" `{name}` out."
            )
    if task.L > LONGEST:
        raise ValueError(
            f"`L` must be at most {LONGEST:,} where tokens are drawn one by one, got {task.L:,};"
            " take fewer."
        )
    inside, outside = jax.random.split(key)
    # a frame of four axes sees the same task in four dimensions
    seen = replace(task, d=4, signal=task.m).sample(_AXES, inside, 1)
    tokens, location = seen.tokens[0], int(seen.location[0])
    beyond = _squares_beyond_the_frame(task, location, outside)
    from_signal = squared_distance(tokens, task.m * _AXES.k) + beyond
    ratio = log_ratio(squared_distance(tokens, 0.0) + beyond, from_signal, task.gamma, task.d)
    k, v = overlaps.in_frame()
    scores, values = tokens @ k, tokens @ v
    weights, posterior = _weights(weight, scores), softmax(ratio)
    return OneSequence(
        location=location,
        answer=float(seen.answers[0]),
        tokens=tokens,
        scores=scores,
        values=values,
        weights=weights,
        posterior=posterior,
        prediction=float(weights @ values),
        bayes=float(posterior @ (tokens @ _AXES.v)),
    )


def _squares_beyond_the_frame(task: SingleLocation, location: int, key: jax.Array) -> np.ndarray:
    """|x|^2 of every token outside of the frame: chi-square, times gamma^2 where the signal is."""
    squares = 2.0 * generator(key).standard_gamma(0.5 * (task.d - 4), task.L)
    squares[location] *= task.gamma**2
    return np.asarray(squares)


def _weights(weight: Any, scores: np.ndarray) -> np.ndarray:
    """By NumPy where a formula gives them: compiling for each new length would cost more."""
    if isinstance(weight, Pointwise):
        weights = weight.value(weight.lam * scores)
        return np.asarray(weights / len(scores) if weight.per_length else weights)
    if isinstance(weight, NormalisedKernel):
        with np.errstate(divide="ignore"):
            logs = weight.log_kernel(weight.lam * scores)
        return np.asarray(softmax(logs) if np.isfinite(logs.max()) else np.zeros_like(logs))
    with jax.enable_x64(True):
        return np.asarray(weight(scores))
