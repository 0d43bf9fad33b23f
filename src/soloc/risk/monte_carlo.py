"""Risks by simulation, with their standard errors: what serves every pair (task, predictor).

A task is anything that speaks `soloc.tasks.protocol`, a state anything with `vectors(truth, key)`.
What a predictor answers is `predictor.predict(*vectors, tokens, present)` where it has that method;
a weight of the scores answers sum_l weight(X k)_l X_l . v.
"""

import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from soloc.maths.engine import Array
from soloc.maths.numbers import check_count
from soloc.predictors.attention import predict
from soloc.risk.estimate import Estimate
from soloc.risk.overlaps import Overlaps
from soloc.risk.quadratic import excess_given_scores
from soloc.tasks.protocol import Sequences, Task, attend
from soloc.tasks.single_location import SingleLocation

_NUMBERS_AT_ONCE = 4_000_000
_LONGEST = 100_000


def monte_carlo_risk(
    task: Task, predictor: Any, state: Any, key: jax.Array, samples: int
) -> Estimate:
    """Risk of a predictor by plain simulation, the oracle for every pair of task and predictor.

    `state` says where the predictor is: `Overlaps` for one head. An attention over keys and a query
    (`soloc.predictors.key_query`) has nothing to align: its state is None.
    """
    truth_key, vector_key, key = jax.random.split(key, 3)
    with jax.enable_x64(True):
        truth = task.truth(truth_key)
        vectors = None if state is None else state.vectors(truth, vector_key)

    def answers(drawn: Sequences) -> Array:
        if vectors is None:
            keys, values, query = task.view(truth, drawn.tokens)  # type: ignore[attr-defined]
            return attend(predictor.weights(keys, query), values)
        present = jnp.arange(drawn.tokens.shape[1]) < drawn.lengths[:, None]
        if hasattr(predictor, "predict"):
            return predictor.predict(*vectors, drawn.tokens, present)
        k, v = vectors
        return predict(predictor, k, v, drawn.tokens, present)

    return _risk(task, truth, answers, key, samples)


def monte_carlo_bayes_risk(task: Task, key: jax.Array, samples: int) -> Estimate:
    """Risk of the Bayes answer by simulation, for every task, prior and background."""
    truth_key, key = jax.random.split(key)
    with jax.enable_x64(True):
        truth = task.truth(truth_key)

    def answers(drawn: Sequences) -> Array:
        return task.bayes(truth, drawn.tokens, drawn.lengths)

    return _risk(task, truth, answers, key, samples)


def _risk(
    task: Task, truth: Any, answers: Callable[[Sequences], Array], key: jax.Array, samples: int
) -> Estimate:
    """Mean squared error of `answers`, over sequences and the coordinates of an answer."""

    def square(key: jax.Array, n: int) -> Array:
        drawn = task.sample(truth, key, n)
        error = drawn.answers - answers(drawn).reshape(drawn.answers.shape)
        return (error**2).reshape(n, -1).mean(-1)

    def one(key: jax.Array) -> Any:
        return task.sample(truth, key, 1).tokens

    with jax.enable_x64(True):
        tokens = jax.tree.leaves(jax.eval_shape(one, key) if _traceable(one, key) else one(key))
    return _average(square, key, samples, sum(math.prod(part.shape) for part in tokens))


def score_excess(
    task: SingleLocation, weight: Any, o: Overlaps, key: jax.Array, samples: int
) -> Estimate:
    """R - eps^2 with only the scores simulated: all that is Gaussian given them is integrated."""
    check_count("samples", samples, 2)
    L = int(task.L)
    if L > _LONGEST:
        raise ValueError(
            f"`L` must be at most {_LONGEST} where scores are simulated, got {L}; take a weight"
            " with an exact risk."
        )
    m, gamma = float(task.m), float(task.gamma)

    def conditional_square(key: jax.Array, n: int) -> Array:
        score_key, location_key, length_key = jax.random.split(key, 3)
        lengths = task.draw_lengths(length_key, n)
        location = task.draw_location(location_key, lengths)
        x = jax.random.normal(score_key, (n, L))
        here = jnp.arange(L) == location[:, None]
        scores = task.tokens_of(x[..., None], here, o.kappa)[..., 0]
        p = weight(scores, jnp.arange(L) < lengths[:, None])
        return excess_given_scores(p, x, here, m, gamma, o)

    return _average(conditional_square, key, samples, L)


def _average(
    square: Callable[[jax.Array, int], Array], key: jax.Array, samples: int, numbers_each: int
) -> Estimate:
    """Mean of `square` over `samples` draws in batches of bounded memory, with its error."""
    check_count("samples", samples, 2)
    batch = max(1, min(samples, _NUMBERS_AT_ONCE // int(numbers_each)))

    def of_a_batch(key: jax.Array) -> Array:
        return square(key, batch)

    with jax.enable_x64(True):
        compiled = jax.jit(of_a_batch) if _traceable(of_a_batch, key) else of_a_batch
        total = total_square = 0.0
        batches = math.ceil(samples / batch)
        for batch_key in jax.random.split(key, batches):
            values = np.asarray(compiled(batch_key))
            total, total_square = total + values.sum(), total_square + (values**2).sum()
    count = batches * batch
    mean = total / count
    return Estimate(mean, math.sqrt(max(total_square / count - mean**2, 0.0) / (count - 1)))


def _traceable(function: Callable[[jax.Array], Any], key: jax.Array) -> bool:
    """False for what NumPy draws or computes: there is nothing to compile."""
    try:
        jax.eval_shape(function, key)
    except jax.errors.JAXTypeError:
        return False
    return True
