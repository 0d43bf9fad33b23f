"""A weight of the catalogue at its best temperature for one task, by its exact risk."""

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from soloc.predictors.catalogue import WEIGHTS, Entry, by_label
from soloc.predictors.normalised import HardMax, Softmax
from soloc.predictors.pointwise import Pointwise
from soloc.risk.best_temperature import Best, best_of_one
from soloc.risk.overlaps import Overlaps
from soloc.risk.population import excess_risk, log_excess_risk
from soloc.tasks.max_location import MaxLocation
from soloc.tasks.single_location import SingleLocation

TRUTH = Overlaps(kappa=1.0, nu=1.0)


class AtBest(NamedTuple):
    """A weight at its best lam, the log of its excess risk there, and the error if simulated.

    `excess` underflows to 0 where `log_excess` still tells; a simulation that saw no miss has
    log_excess -inf and in `below` a bound that holds with 95 % confidence.
    """

    weight: str  #: its label
    attention: Any
    log_excess: float
    error: float = 0.0
    sequences: int = 0
    below: float | None = None

    @property
    def lam(self) -> float:
        return float(self.attention.lam)

    @property
    def excess(self) -> float:
        return math.exp(self.log_excess)


class Kinds(NamedTuple):
    """Labels of the catalogue, by what it takes to find their risk."""

    at_once: tuple[str, ...]  #: exact in milliseconds
    slow: tuple[str, ...]  #: exact, by an integral of integrals
    simulated: tuple[str, ...]  #: known with an error only


def kinds() -> Kinds:
    """The catalogue as it is now."""
    entries = WEIGHTS.values()
    return Kinds(
        tuple(entry.label for entry in entries if entry.exact and not entry.slow),
        tuple(entry.label for entry in entries if entry.exact and entry.slow),
        tuple(entry.label for entry in entries if not entry.exact),
    )


@lru_cache(maxsize=4096)
def exact_at_best(label: str, d: int, L: int, gamma: float) -> AtBest:
    """The best lam of a weight with an exact risk: a grid in log lam, then closer around it."""
    entry, task = by_label(label), SingleLocation(d=d, L=L, gamma=gamma)
    if L == 1 and entry.one_token:
        return AtBest(label, entry.at(float(task.m), L), -math.inf)
    low, high = lam_range(entry, task)
    points = 13 if entry.slow else 32
    best = best_of_one(
        lambda lam: _log_excess(task, lambda at: entry.at(at, L), lam), low, high, points=points
    )
    return AtBest(label, entry.at(best.lam, L), best.value)


@lru_cache(maxsize=4096)
def largest_at_best(label: str, L: int, beta: float) -> AtBest | None:
    """The same where the largest score decides; None for a weight whose risk is not known there."""
    entry, task = by_label(label), MaxLocation(L=L, beta=beta)
    known = entry.kind in (Softmax, HardMax) or issubclass(entry.kind, Pointwise)
    if not known:
        return None

    def excess(lam: np.ndarray) -> np.ndarray:
        flat = [float(excess_risk(task, entry.at(at, L), TRUTH)) for at in lam.ravel()]
        return np.reshape(flat, lam.shape)

    if entry.kind is Softmax or not entry.uses_lam:  # softmax at lam = beta is Bayes
        best = Best(beta, excess(np.array([beta]))[0])
    else:
        best = best_of_one(excess, 1e-3 / math.sqrt(L), entry.highest_lam, points=20)
    log_excess = math.log(best.value) if best.value > 0.0 else -math.inf
    return AtBest(label, entry.at(best.lam, L), log_excess)


def lam_range(entry: Entry, task: SingleLocation) -> tuple[float, float]:
    """Where its best lam is looked for: about 1/m to 1/sqrt(L), about m where all scores count."""
    strong = max(1.0, float(task.m), float(task.gamma))
    if entry.slow:
        return 0.03 / strong, 30.0 * strong
    low = 1e-3 / max(strong, math.sqrt(task.L))
    high = 30.0 * max(1.0, math.log(task.L))
    return low, min(high, entry.highest_score / strong / max(1.0, float(task.gamma)))


def _log_excess(task: SingleLocation, build: Callable[[Any], Any], lam: np.ndarray) -> np.ndarray:
    """log excess for every lam; +inf beyond the largest double, so that the search turns away."""
    try:
        return np.asarray(log_excess_risk(task, build(lam), TRUTH))
    except ValueError:
        return _log_of_excess(task, build, lam)


def _log_of_excess(
    task: SingleLocation, build: Callable[[Any], Any], lam: np.ndarray
) -> np.ndarray:
    try:
        with np.errstate(divide="ignore"):
            excess = np.maximum(excess_risk(task, build(lam), TRUTH), 0.0)
            return np.asarray(np.log(excess))
    except ValueError:
        if lam.size == 1:
            return np.full(lam.shape, math.inf)
        return np.concatenate([_log_excess(task, build, part) for part in np.split(lam, len(lam))])
