"""A weight at its best temperature over a table of settings (m, L) with gamma = 1."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import jax
import numpy as np
import pandas as pd

from soloc.maths.randomness import generator
from soloc.predictors.catalogue import Entry
from soloc.predictors.normalised import Softmax
from soloc.risk.best_temperature import best_temperature
from soloc.risk.best_weight import TRUTH
from soloc.risk.population import excess_risk
from soloc.tasks.single_location import SingleLocation


class Found(NamedTuple):
    """Of every setting the best lam, the excess there and the gap to Bayes, with their errors."""

    lam: np.ndarray
    excess: np.ndarray
    error: np.ndarray
    gap: np.ndarray
    gap_error: np.ndarray


class Sequences(NamedTuple):
    """Scores, which tokens are present, and which is decisive."""

    scores: np.ndarray
    present: np.ndarray
    decisive: np.ndarray


def task_of(settings: pd.DataFrame) -> SingleLocation:
    """All settings as one task of arrays."""
    return SingleLocation(d=100, L=settings.L.to_numpy(), gamma=1.0, signal=settings.m.to_numpy())


def known(settings: pd.DataFrame, entry: Entry) -> Found:
    """The exact excess at lam = m, or 3 % beside it should that be lower."""
    lam = settings.m.to_numpy() * np.array([[0.97], [1.0], [1.03]])
    values = _excess_of(settings, entry)(lam)
    at = np.argmin(values, axis=0)[None]
    return _without_error(
        settings, np.take_along_axis(lam, at, 0)[0], np.take_along_axis(values, at, 0)[0]
    )


def exact(settings: pd.DataFrame, entry: Entry) -> Found:
    """The best lam, one for all lengths of the random one, and the exact excess there."""
    excess = _excess_of(settings, entry)
    random = _random(settings)

    def shared(lam: np.ndarray) -> np.ndarray:
        values = excess(lam).copy()
        values[:, random] = values[:, random].mean(axis=1, keepdims=True)
        return values

    best = best_temperature(shared, 1e-3, entry.highest_lam)
    return _without_error(settings, best.lam, best.value)


def _excess_of(settings: pd.DataFrame, entry: Entry) -> Callable[[np.ndarray], np.ndarray]:
    task, L = task_of(settings), settings.L.to_numpy()
    return lambda lam: np.asarray(
        excess_risk(task, entry.at(np.broadcast_to(lam, (len(lam), len(L))), L), TRUTH)
    )


def _random(settings: pd.DataFrame) -> np.ndarray:
    return (settings.part == "random").to_numpy()


def _without_error(settings: pd.DataFrame, lam: np.ndarray, excess: np.ndarray) -> Found:
    zero = np.zeros(len(lam))
    return Found(lam, excess, zero, excess - settings.bayes.to_numpy(), zero)


def simulated(settings: pd.DataFrame, entry: Entry, samples: int, longest: int, key: Any) -> Found:
    """The best of a grid of lam on few samples, then the excess there on all of them.

    At the truth the values are independent of the scores: given these, the squared error is
    (1-p_J)^2 + sum of the other p^2.
    """
    rng = generator(key)
    noise, place = rng.normal(size=(samples, longest)), rng.uniform(size=samples)

    @lru_cache
    def weigh(L: float) -> Any:
        return jax.jit(lambda lam, scores, present: entry.at(lam, L)(scores, present))

    def errors_at(lam: float, L: float, sequences: Sequences) -> np.ndarray:
        # compiled for every length only where the length is part of the weight
        return _errors(weigh(L if entry.compared else 0.0), lam, sequences)

    bayes = jax.jit(lambda lam, scores, present: Softmax(lam)(scores, present))
    grid = list(np.logspace(-1.0, 1.0, 13)) if entry.uses_lam else [1.0]
    few = samples // 10
    trials = []
    for m, L in zip(settings.m, settings.L, strict=True):
        sequences = _sequences(noise[:few], place[:few], m, L)
        trials.append([errors_at(lam, L, sequences).mean() for lam in grid])
    trial, random = np.array(trials), _random(settings)
    trial[random] = trial[random].mean(axis=0)  # one lam for all lengths of the random one
    rows = []
    for m, L, at in zip(settings.m, settings.L, np.argmin(trial, axis=1), strict=True):
        sequences = _sequences(noise, place, m, L)
        errors = errors_at(grid[at], L, sequences)
        gap = errors - _errors(bayes, m, sequences)  # paired with Bayes on the same sequences
        rows.append((grid[at], errors.mean(), _error(errors), gap.mean(), _error(gap)))
    return Found(*(np.asarray(column) for column in zip(*rows, strict=True)))


def _error(draws: np.ndarray) -> float:
    return float(draws.std() / np.sqrt(len(draws)))


def _sequences(noise: np.ndarray, place: np.ndarray, m: float, L: float) -> Sequences:
    positions = np.arange(noise.shape[1])
    decisive = positions == np.floor(place * L)[:, None]
    return Sequences(noise + m * decisive, np.broadcast_to(positions < L, noise.shape), decisive)


def _errors(weigh: Any, lam: float, sequences: Sequences) -> np.ndarray:
    p = np.asarray(weigh(lam, sequences.scores, sequences.present), dtype=float)
    return np.sum(np.where(sequences.decisive, 1.0 - p, p) ** 2, axis=1)
