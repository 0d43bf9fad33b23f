"""Bring your own: any function of tokens, scored against the exact baselines of a task."""

import math
import sys
import warnings
from collections.abc import Callable
from typing import Any

import jax
import numpy as np
import pandas as pd

from soloc.maths.numbers import check_count
from soloc.predictors.normalised import HardMax, Softmax
from soloc.risk.baselines import bayes_risk
from soloc.risk.best_temperature import best_of_one
from soloc.risk.monte_carlo import monte_carlo_risk
from soloc.risk.overlaps import Overlaps
from soloc.risk.population import excess_risk, population_risk
from soloc.tasks.max_location import MaxLocation
from soloc.tasks.protocol import Task
from soloc.tasks.single_location import SingleLocation

TRUTH = Overlaps(kappa=1.0, nu=1.0)
_NUMBERS_AT_ONCE = 8_000_000


def score(
    predict: Callable[[Any], Any],
    task: Task,
    *,
    samples: int = 20_000,
    key: jax.Array,
    truth: Any = None,
) -> pd.DataFrame:
    """The risk of any predictor on fresh sequences of a task, beside what others reach.

    Parameters
    ----------
    predict : from tokens (n, L, d), a float32 NumPy array, to n answers, in NumPy or JAX; a torch
        module gets a tensor. Random lengths are padded with zero tokens.
    task : a task of soloc, such as `SingleLocation`.
    samples : how many sequences are drawn.
    key : a JAX key, of the sequences.
    truth : what all sequences share, (k*, v*) of `SingleLocation`: that of the data on which
        `predict` was trained. `task.truth(key)` when not given.

    Returns
    -------
    A table with the columns `name`, `risk` and `error`: yours, bayes, softmax (at the truth, at its
    best temperature; for tasks with one decisive token), linear and null. Exact risks have error 0.
    """
    check_count("samples", samples, 2)
    if not callable(predict):
        raise TypeError(
            "`predict` must be a function from tokens (n, L, d) to n answers, got"
            f" {type(predict).__name__}."
        )
    truth = task.truth(key) if truth is None else truth
    rows = [("yours", *_simulated(predict, task, truth, key, samples))]
    bayes = bayes_risk(task, key=key, samples=samples)
    rows.append(("bayes", float(bayes), float(getattr(bayes, "error", 0.0))))
    rows += _softmax(task, key, samples)
    rows += [("linear", float(task.linear_risk()), 0.0), ("null", float(task.null_risk()), 0.0)]
    return pd.DataFrame(rows, columns=["name", "risk", "error"])


def _simulated(
    predict: Callable[[Any], Any], task: Task, truth: Any, key: jax.Array, samples: int
) -> tuple[float, float]:
    """Mean squared error over so many sequences, and its standard error."""
    asked = _asked(predict)
    first = _tokens_and_answers(task, truth, key, 1)[0]
    batch = max(1, min(samples, _NUMBERS_AT_ONCE // first.size))
    squares, answered = [], []
    for number in range(math.ceil(samples / batch)):
        n = min(batch, samples - number * batch)
        tokens, answers = _tokens_and_answers(task, truth, jax.random.fold_in(key, number + 1), n)
        given = _checked(asked(tokens), n)
        squares.append((answers - given) ** 2)
        answered.append(given)
    if np.ptp(np.concatenate(answered)) == 0.0:
        warnings.warn(
            f"`predict` gave the same answer, {answered[0][0]:g}, to all {samples:,} sequences: it"
            " does not look at the tokens.",
            stacklevel=3,
        )
    square = np.concatenate(squares)
    return float(square.mean()), float(square.std(ddof=1) / math.sqrt(samples))


def _tokens_and_answers(
    task: Task, truth: Any, key: jax.Array, n: int
) -> tuple[np.ndarray, np.ndarray]:
    drawn = task.sample(truth, key, n)
    if not hasattr(drawn.tokens, "shape"):
        raise TypeError(
            "`task` must draw tokens as one array (n, L, d), as SingleLocation does, got"
            f" {type(task).__name__}."
        )
    return np.asarray(drawn.tokens, np.float32), np.asarray(drawn.answers, float)


def _asked(predict: Callable[[Any], Any]) -> Callable[[np.ndarray], Any]:
    """`predict` as a function of NumPy tokens; torch sees the same memory through DLPack."""
    torch = sys.modules.get("torch")
    if torch is None or not isinstance(predict, torch.nn.Module):
        return predict

    def of_torch(tokens: np.ndarray) -> Any:
        was_training = predict.training
        predict.eval()
        with torch.no_grad():
            answers = predict(torch.from_dlpack(tokens))
        predict.train(was_training)
        return answers.cpu().numpy()

    return of_torch


def _checked(answers: Any, n: int) -> np.ndarray:
    try:
        given = np.asarray(answers, float)
    except (TypeError, ValueError):
        raise ValueError(
            f"`predict` must return {n} numbers, got {type(answers).__name__}; return an array of"
            " shape (n,)."
        ) from None
    if given.shape not in ((n,), (n, 1)):
        raise ValueError(
            f"`predict` must return one answer for each of the {n} sequences, shape ({n},), got"
            f" shape {given.shape}; it is given all sequences at once, (n, L, d)."
        )
    if not np.isfinite(given).all():
        wrong = int((~np.isfinite(given)).sum())
        raise ValueError(
            f"`predict` must return finite numbers, got {wrong} of {n} that are NaN or infinite."
        )
    return given.reshape(n)


def _softmax(task: Task, key: jax.Array, samples: int) -> list[tuple[str, float, float]]:
    """Softmax attention at the truth, for tasks that have one decisive token."""
    if isinstance(task, MaxLocation):
        # Bayes; the hard maximum is its limit
        weight = HardMax(1.0) if math.isinf(task.beta) else Softmax(task.beta)
        return [("softmax", float(population_risk(task, weight, TRUTH)), 0.0)]
    if not isinstance(task, SingleLocation):
        return []
    strong = max(1.0, float(task.m), float(task.gamma))
    try:
        best = best_of_one(
            lambda lam: np.asarray(excess_risk(task, Softmax(lam), TRUTH)),
            0.03 / strong,
            30.0 * strong,
            points=13,
        )
    except (TypeError, ValueError):  # a prior or a background that leaves no exact risk
        found = monte_carlo_risk(task, Softmax(float(task.m)), TRUTH, key, samples)
        return [("softmax", float(found.value), float(found.error))]
    return [("softmax", float(best.value) + float(task.eps) ** 2, 0.0)]
