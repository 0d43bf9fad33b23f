"""Excess risk at the truth from simulated scores: for weights whose risk is not known exactly."""

import math
from functools import lru_cache
from typing import Any

import jax
import numpy as np

from soloc.predictors.catalogue import by_label
from soloc.predictors.weight import Weight
from soloc.risk.best_weight import AtBest
from soloc.risk.estimate import Estimate
from soloc.risk.overlaps import Overlaps
from soloc.risk.quadratic import excess_given_scores
from soloc.tasks.single_location import SingleLocation

LONGEST_DRAWN = 8192  # tokens; beyond, too few sequences fit into a second
_NUMBERS = 2**17  # scores drawn in a round
_ROUNDS = 16
_PADDED = (16, 128, 1024, LONGEST_DRAWN)  # lengths that are compiled; shorter sequences are padded
_TRUTH = Overlaps(1.0, 1.0)
_TIE = 1.0 + 1e-12  # where lam changes nothing, means differ by rounding


def simulated_excess(task: SingleLocation, attention: Any, rounds: int = _ROUNDS) -> Estimate:
    """Excess risk of any weight at the truth: the mean over rounds that are always the same."""
    errors = _all_errors(task, attention, rounds)
    return Estimate(float(errors.mean()), float(errors.std() / math.sqrt(len(errors))))


def simulated_at_best(label: str, best: Any, d: int, L: int, gamma: float) -> AtBest:
    """A simulated weight at its best lam, `best`."""
    errors = _all_errors(SingleLocation(d=d, L=L, gamma=gamma), best, _ROUNDS)
    count, mean = len(errors), float(errors.mean())
    error = float(errors.std() / math.sqrt(count))
    if mean > 0.0:
        return AtBest(label, best, math.log(mean), error, count)
    # rule of three: a miss costs at most that
    return AtBest(label, best, -math.inf, error, count, below=3.0 * (gamma**2 + 1.0) / count)


@lru_cache(maxsize=4096)
def best_simulated(label: str, d: int, L: int, gamma: float) -> Any:
    """The weight at the lam of least error on the first round: two grids, ties to the middle."""
    if L > LONGEST_DRAWN:
        raise ValueError(
            f"`L` must be at most {LONGEST_DRAWN} for {label} to be simulated, got {L}."
        )
    entry = by_label(label)
    if not entry.uses_lam:
        return entry.at(1.0, L)
    task = SingleLocation(d=d, L=L, gamma=gamma)
    low, high = math.log(0.03 / max(1.0, float(task.m))), math.log(30.0)
    for count in (14, 9):
        grid = np.linspace(low, high, count)
        means = np.array([_errors(task, entry.at(math.exp(at), L), 0).mean() for at in grid])
        ties = np.flatnonzero(means <= means.min() * _TIE)
        centre, step = grid[ties[len(ties) // 2]], grid[1] - grid[0]
        low, high = centre - step, centre + step
    return entry.at(math.exp(centre), L)


def _all_errors(task: SingleLocation, attention: Any, rounds: int) -> np.ndarray:
    return np.concatenate([_errors(task, attention, number) for number in range(rounds)])


def _errors(task: SingleLocation, attention: Any, number: int) -> np.ndarray:
    """Expected squared error given the scores, of every sequence of round `number`."""
    L = int(task.L)
    scores, here = _round(L, number)
    m, gamma = float(task.m), float(task.gamma)
    scaled = np.where(here, m + gamma * scores, scores)
    present = np.broadcast_to(np.arange(scores.shape[1]) < L, scaled.shape)
    with jax.enable_x64(True):
        p = np.asarray(_weigh(attention, scaled, present))
    return np.asarray(excess_given_scores(p, scores, here, m, gamma, _TRUTH))


@lru_cache(maxsize=8)
def _round(L: int, number: int) -> tuple[np.ndarray, np.ndarray]:
    """Standard normal scores (n, padded length), and where the decisive token is."""
    width = next(width for width in _PADDED if width >= L)
    rng = np.random.default_rng([L, number])
    scores = rng.standard_normal((_NUMBERS // width, width))
    return scores, np.arange(width) == rng.integers(L, size=len(scores))[:, None]


@jax.jit
def _weigh(weight: Weight, scores: jax.Array, present: jax.Array) -> jax.Array:
    return weight(scores, present)
