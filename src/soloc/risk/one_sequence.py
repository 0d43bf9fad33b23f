"""One sequence, seen through its projections: what attention and Bayes make of it, at any
dimension.

Nothing depends on a token but its coordinates in the frame (k*, v*, e3, e4) that holds k and v, and
its norm outside of it: four normals and one chi-square are drawn per token, whatever d is.
"""

from typing import Any, NamedTuple

import jax
import numpy as np

from soloc.maths.numbers import check_count
from soloc.maths.randomness import generator
from soloc.predictors.normalised import NormalisedKernel
from soloc.predictors.pointwise import Pointwise
from soloc.risk.overlaps import Overlaps, residual_gram
from soloc.tasks.single_location import SingleLocation

LONGEST = 20_000  # tokens drawn one by one


class OneSequence(NamedTuple):
    """A sequence with its answer, and what two predictors say about it; arrays have one entry per
    token.
    """

    location: int  #: J0, which nobody says
    answer: float  #: Y = X_J0 . v* + noise
    scores: np.ndarray  #: X . k
    values: np.ndarray  #: X . v
    weights: np.ndarray  #: attention weight of every token
    posterior: np.ndarray  #: P(J0 = l | X)
    prediction: float  #: sum of weights times values
    bayes: float  #: E[Y | X]


def one_sequence(
    task: SingleLocation, weight: Any, overlaps: Overlaps, key: jax.Array
) -> OneSequence:
    """A sequence drawn with `key`, seen by the attention whose k, v have the given overlaps, and by
    Bayes.
    """
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
    tokens, squares, location, noise = _draw(task, key)
    k, v = _coordinates(overlaps)
    scores, values = tokens @ k, tokens @ v
    weights = _weights(weight, scores)
    # ell(x) up to a constant
    log_ratio = 0.5 * squares * (1.0 - 1.0 / task.gamma**2) + task.m * tokens[:, 0] / task.gamma**2
    posterior = np.exp(log_ratio - log_ratio.max())
    posterior /= posterior.sum()
    answer = float(tokens[location, 1]) + noise
    prediction, bayes = float(weights @ values), float(posterior @ tokens[:, 1])
    return OneSequence(location, answer, scores, values, weights, posterior, prediction, bayes)


def _weights(weight: Any, scores: np.ndarray) -> np.ndarray:
    """Attention weights by NumPy where a formula gives them: compiling for each new length would
    cost more than all the rest.
    """
    if isinstance(weight, Pointwise):
        weights = weight.value(weight.lam * scores)
        return weights / len(scores) if weight.per_length else weights
    if isinstance(weight, NormalisedKernel):
        with np.errstate(divide="ignore"):
            logs = weight.log_kernel(weight.lam * scores)
        kernel = np.exp(logs - logs.max()) if np.isfinite(logs.max()) else np.zeros_like(logs)
        return kernel / (kernel.sum() or 1.0)
    with jax.enable_x64(True):
        return np.asarray(weight(scores))


def _draw(task: SingleLocation, key: jax.Array) -> tuple[np.ndarray, np.ndarray, int, float]:
    """Frame coordinates (L, 4), squared norms (L,), location and noise."""
    rng = generator(key)
    location = int(rng.integers(task.L))
    tokens = rng.standard_normal((task.L, 4))
    outside = rng.chisquare(task.d - 4, task.L) if task.d > 4 else np.zeros(task.L)
    tokens[location] *= task.gamma
    tokens[location, 0] += task.m
    outside[location] *= task.gamma**2
    return (
        tokens,
        np.sum(tokens**2, axis=1) + outside,
        location,
        float(task.eps) * float(rng.standard_normal()),
    )


def _coordinates(o: Overlaps) -> tuple[np.ndarray, np.ndarray]:
    """k and v in the frame (k*, v*, e3, e4)."""
    left_k, left_v, cross = residual_gram(o.kappa, o.nu, o.theta, o.eta, o.rho)
    k3 = np.sqrt(max(left_k, 0.0))
    v3 = cross / k3 if k3 > 1e-8 else 0.0
    return np.asarray([o.kappa, o.eta, k3, 0.0]), np.asarray(
        [o.theta, o.nu, v3, np.sqrt(max(left_v - v3**2, 0.0))]
    )
