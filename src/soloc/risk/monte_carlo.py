"""Risks by simulation, with their standard errors: over scores alone, and in full dimension as an
oracle for everything.
"""

import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from soloc.maths.numbers import check_count
from soloc.predictors.attention import predict
from soloc.risk.estimate import Estimate
from soloc.risk.overlaps import Overlaps
from soloc.tasks.single_location import SingleLocation

_NUMBERS_AT_ONCE = 4_000_000
_LONGEST = 100_000


def score_excess(
    task: SingleLocation, weight: Any, o: Overlaps, key: jax.Array, samples: int
) -> Estimate:
    """R - eps^2 with only the scores simulated and everything Gaussian given them integrated
    (Rao-Blackwell).

    Given the scores, the error sum_l p_l b_l - c has the conditional mean and variance of
    `risk.quadratic`.
    """
    check_count("samples", samples, 2)
    L = int(task.L)
    if L > _LONGEST:
        raise ValueError(
            f"`L` must be at most {_LONGEST} where scores are simulated, got {L}; take a weight"
            " with an exact risk."
        )
    m, gamma = float(task.m), float(task.gamma)

    def conditional_square(key: jax.Array, n: int) -> jax.Array:
        score_key, location_key, length_key = jax.random.split(key, 3)
        lengths = task.draw_lengths(length_key, n)
        location = task.draw_location(location_key, lengths)
        x = jax.random.normal(score_key, (n, L))
        here = jnp.arange(L) == location[:, None]
        scores = jnp.where(here, m * o.kappa + gamma * x, x)
        p = weight(scores, jnp.arange(L) < lengths[:, None])
        hit = jnp.sum(jnp.where(here, p, 0.0), axis=-1)
        miss, alpha = 1.0 - hit, jnp.sum(jnp.where(here, x, 0.0), axis=-1)
        others = jnp.where(here, 0.0, p)
        mean = hit * (m * o.theta + gamma * alpha * (o.rho - o.eta)) - miss * gamma * o.eta * alpha
        mean = mean + o.rho * jnp.sum(others * x, axis=-1)
        spread = hit**2 * (2.0 * (1.0 - o.nu) - (o.rho - o.eta) ** 2) + miss**2 * (1.0 - o.eta**2)
        spread = spread + 2.0 * hit * miss * (1.0 - o.nu + o.eta * (o.rho - o.eta))
        return mean**2 + gamma**2 * spread + (1.0 - o.rho**2) * jnp.sum(others**2, axis=-1)

    return _average(conditional_square, key, samples, L)


def monte_carlo_risk(
    task: SingleLocation, weight: Any, overlaps: Overlaps, key: jax.Array, samples: int
) -> Estimate:
    """Risk of an attention predictor by plain simulation in full dimension: the oracle for every
    pair of task and weight.
    """
    truth_key, vector_key, key = jax.random.split(key, 3)
    with jax.enable_x64(True):
        truth = task.truth(truth_key)
        k, v = overlaps.vectors(truth, vector_key)

        def square(key: jax.Array, n: int) -> jax.Array:
            sample = task.sample(truth, key, n)
            present = jnp.arange(task.L) < sample.lengths[:, None]
            return (sample.answers - predict(weight, k, v, sample.tokens, present)) ** 2

        return _average(square, key, samples, task.L * task.d)


def monte_carlo_bayes_risk(task: SingleLocation, key: jax.Array, samples: int) -> Estimate:
    """Risk of the Bayes predictor by simulation in full dimension, for every prior and background."""
    truth_key, key = jax.random.split(key)
    with jax.enable_x64(True):
        truth = task.truth(truth_key)

        def square(key: jax.Array, n: int) -> jax.Array:
            sample = task.sample(truth, key, n)
            return (sample.answers - task.bayes(truth, sample.tokens, sample.lengths)) ** 2

        return _average(square, key, samples, task.L * task.d)


def _average(
    square: Callable[[jax.Array, int], jax.Array], key: jax.Array, samples: int, numbers_each: int
) -> Estimate:
    """Mean of `square` over `samples` draws made in batches of bounded memory, with its standard
    error.
    """
    check_count("samples", samples, 2)
    batch = max(1, min(samples, _NUMBERS_AT_ONCE // int(numbers_each)))
    with jax.enable_x64(True):
        compiled = jax.jit(lambda key: square(key, batch))
        total = total_square = 0.0
        batches = math.ceil(samples / batch)
        for batch_key in jax.random.split(key, batches):
            values = np.asarray(compiled(batch_key))
            total, total_square = total + values.sum(), total_square + (values**2).sum()
    count = batches * batch
    mean = total / count
    return Estimate(mean, math.sqrt(max(total_square / count - mean**2, 0.0) / (count - 1)))
