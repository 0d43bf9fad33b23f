"""Which attention? Every weight of the package at its best temperature for one task: exact where it
can be, simulated elsewhere.
"""

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import jax
import numpy as np
from scipy.optimize import minimize_scalar

from soloc.experiments.attentions import EXACT, SIMULATED
from soloc.predictors.pointwise import Exponential
from soloc.risk.estimate import Estimate
from soloc.risk.overlaps import Overlaps
from soloc.risk.population import excess_risk, log_excess_risk
from soloc.tasks.single_location import SingleLocation

TRUTH = Overlaps(kappa=1.0, nu=1.0)
# exact as well, but slow
KERNELS = ("normalised softplus", "normalised sigmoid", "normalised ReLU")
# a single token gets all the weight
ALL_ON_ONE = ("softmax", "normalised softplus", "normalised sigmoid")
POINTWISE = tuple(name for name in EXACT if name != "softmax")
DRAWN = tuple(name for name in SIMULATED if name not in KERNELS)
LONGEST_DRAWN = 8192  # tokens; beyond, too few sequences fit into a second
_NUMBERS = 2**17  # scores drawn in a round
_ROUNDS = 16
_PADDED = (16, 128, 1024, LONGEST_DRAWN)  # lengths that are compiled; shorter sequences are padded


class Row(NamedTuple):
    """A weight at its best lam: log of the excess risk there, and the standard error of the excess
    where it is simulated.

    `excess` underflows to 0 where `log_excess` still tells; a simulation that saw no miss has
    log_excess -inf and in `below` a bound that holds with 95 % confidence.
    """

    weight: str
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


@lru_cache(maxsize=4096)
def exact_row(name: str, d: int, L: int, gamma: float) -> Row:
    """The best lam of a weight with an exact risk: a grid in log lam, then closer and closer around
    its best point.
    """
    task = SingleLocation(d=d, L=L, gamma=gamma)
    build: Callable[[Any], Any] = (
        (lambda lam: SIMULATED[name](lam)) if name in KERNELS else (lambda lam: EXACT[name](lam, L))
    )
    if L == 1 and name in ALL_ON_ONE:
        return Row(name, build(float(task.m)), -math.inf)
    low, high = lam_range(name, task)
    lam, log_excess = _minimum(
        lambda lam: _log_excess(task, build, lam), low, high, 32 if name in POINTWISE else 13
    )
    return Row(name, build(lam), log_excess)


def _minimum(
    value: Callable[[np.ndarray], np.ndarray], low: float, high: float, points: int
) -> tuple[float, float]:
    """A minimum with few evaluations: a grid in the logarithm, then Brent's method between the
    neighbours of its best point.
    """
    logs = np.linspace(math.log(low), math.log(high), points)
    values = value(np.exp(logs)[:, None])[:, 0]
    best = int(np.argmin(values))
    if not np.isfinite(values[best]):
        return math.exp(logs[best]), float(values[best])
    found = minimize_scalar(
        lambda log: float(value(np.full((1, 1), math.exp(log)))[0, 0]),
        bounds=(float(logs[max(best - 1, 0)]), float(logs[min(best + 1, points - 1)])),
        method="bounded",
        options={"xatol": 1e-4, "maxiter": 16},
    )
    if found.fun < values[best]:
        return math.exp(found.x), float(found.fun)
    return math.exp(logs[best]), float(values[best])


def lam_range(name: str, task: SingleLocation) -> tuple[float, float]:
    """Where the best lam of a weight is looked for: around 1/m to 1/sqrt(L) one score at a time,
    around m when normalised.
    """
    strong = max(1.0, float(task.m), float(task.gamma))
    if name in POINTWISE:
        low = 1e-3 / max(strong, math.sqrt(task.L))
        high = 30.0 * max(1.0, math.log(task.L))
        return low, (
            min(high, 250.0 / strong / max(1.0, float(task.gamma)))
            if EXACT[name](1.0, 2).__class__ is Exponential
            else high
        )
    return 0.03 / strong, 30.0 * strong


def _log_excess(task: SingleLocation, build: Callable[[Any], Any], lam: np.ndarray) -> np.ndarray:
    """log excess for every lam; -inf where it is 0, +inf where it exceeds the largest double, so
    that the search turns away.
    """
    try:
        return np.asarray(log_excess_risk(task, build(lam), TRUTH))
    except ValueError:
        return _log_of_excess(task, build, lam)


def _log_of_excess(
    task: SingleLocation, build: Callable[[Any], Any], lam: np.ndarray
) -> np.ndarray:
    try:
        with np.errstate(divide="ignore"):
            return np.log(np.maximum(np.asarray(excess_risk(task, build(lam), TRUTH)), 0.0))
    except ValueError:
        if lam.size == 1:
            return np.full(lam.shape, math.inf)
        return np.concatenate([_log_excess(task, build, part) for part in np.split(lam, len(lam))])


def simulated_excess(task: SingleLocation, attention: Any, rounds: int = _ROUNDS) -> Estimate:
    """Excess risk of any weight at the truth, from simulated scores: the mean over `rounds` rounds
    that are always the same.

    Given the scores, the expected squared error is gamma^2 (1 - p_J)^2 + the sum of the other
    p_l^2.
    """
    errors = _all_errors(task, attention, rounds)
    return Estimate(float(errors.mean()), float(errors.std() / math.sqrt(len(errors))))


def simulated_row(name: str, best: Any, d: int, L: int, gamma: float) -> Row:
    """The row of a simulated weight at its best lam, `best`."""
    errors = _all_errors(SingleLocation(d=d, L=L, gamma=gamma), best, _ROUNDS)
    mean, error, count = (
        float(errors.mean()),
        float(errors.std() / math.sqrt(len(errors))),
        len(errors),
    )
    if mean > 0.0:
        return Row(name, best, math.log(mean), error, count)
    # rule of three: a miss costs at most that
    return Row(name, best, -math.inf, error, count, below=3.0 * (gamma**2 + 1.0) / count)


@lru_cache(maxsize=4096)
def best_simulated(name: str, d: int, L: int, gamma: float) -> Any:
    """The weight at the lam of least error on the first round: a grid, then a finer one around its
    best; ties to the middle.
    """
    if L > LONGEST_DRAWN:
        raise ValueError(
            f"`L` must be at most {LONGEST_DRAWN} for {name} to be simulated, got {L}."
        )
    kind = SIMULATED[name]
    if name in ("hard maximum", "cosine reweighted"):  # neither depends on lam > 0
        return kind(1.0)
    task = SingleLocation(d=d, L=L, gamma=gamma)
    low, high = math.log(0.03 / max(1.0, float(task.m))), math.log(30.0)
    for count in (14, 9):
        grid = np.linspace(low, high, count)
        means = np.array([_errors(task, kind, math.exp(at), 0).mean() for at in grid])
        ties = np.flatnonzero(means == means.min())
        centre, step = grid[ties[len(ties) // 2]], grid[1] - grid[0]
        low, high = centre - step, centre + step
    return kind(math.exp(centre))


def _all_errors(task: SingleLocation, attention: Any, rounds: int) -> np.ndarray:
    return np.concatenate(
        [_errors(task, type(attention), float(attention.lam), number) for number in range(rounds)]
    )


def _errors(task: SingleLocation, kind: Any, lam: float, number: int) -> np.ndarray:
    """Expected squared error given the scores, of every sequence of round `number`."""
    L = int(task.L)
    scores, here = _round(L, number)
    scaled = np.where(here, float(task.m) + float(task.gamma) * scores, scores)
    width = scores.shape[1]
    with jax.enable_x64(True):
        p = np.asarray(
            _weigh(kind)(lam, scaled, np.broadcast_to(np.arange(width) < L, scaled.shape))
        )
    hit = p[here]
    return float(task.gamma) ** 2 * (1.0 - hit) ** 2 + np.sum(np.where(here, 0.0, p) ** 2, axis=1)


@lru_cache(maxsize=8)
def _round(L: int, number: int) -> tuple[np.ndarray, np.ndarray]:
    """Standard normal scores (n, padded length), and where the decisive token is."""
    width = next(width for width in _PADDED if width >= L)
    rng = np.random.default_rng([L, number])
    scores = rng.standard_normal((_NUMBERS // width, width))
    return scores, np.arange(width) == rng.integers(L, size=len(scores))[:, None]


@lru_cache(maxsize=16)
def _weigh(kind: Any) -> Any:
    return jax.jit(lambda lam, scores, present: kind(lam)(scores, present))
