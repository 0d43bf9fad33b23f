"""Selection on held-out bags: a path of alphas with warm starts, for each loss, with groups kept
together.
"""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from soloc.estimators.fitting import TYPICAL_ALPHA, fit_head
from soloc.estimators.model import Head
from soloc.estimators.tokens import Tokens

FACTOR = 3.0  # between neighbours on the path
LARGEST, SMALLEST = 3.0, 1e-6  # alpha per bag at the ends of the path
PATIENCE = 1  # steps without a better held-out error before a direction is given up
PATH_ITERATIONS = 15
SAME = 0.002  # share of the variance of the label below which two errors count as equal
FEWEST_BAGS, MOST_NUMBERS = 1500, 8e6  # the path runs on a part of the bags beyond this size
CLOSE = 0.005  # the likelihood is preferred when it is at most this much worse
FEWEST_GROUPS = 10  # below it, bags that share an instance are not held out together
LOOSE = 10.0  # the path needs less precision than the last fit


class Trial(NamedTuple):
    """One setting tried on every fold: the heads it reached and the error of each held-out bag."""

    loss: str
    alpha: float
    heads: list[Head]
    errors: np.ndarray
    predictions: np.ndarray  #: NaN where a bag was not held out

    @property
    def error(self) -> float:
        """Mean error of the held-out bags."""
        return float(self.errors.mean())


class Choice(NamedTuple):
    """The setting that the held-out bags chose, and every score on the way."""

    trial: Trial
    #: loss, alpha, held_out (share of the error of a constant that is removed: R^2)
    scores: pd.DataFrame
    predictions: np.ndarray  #: of the chosen setting on the held-out bags; NaN on the others


def pointed_groups(tokens: Tokens, attention: np.ndarray) -> np.ndarray | None:
    """Bags that point at the same instance, as groups, (n,); None where bags share too little, or
    all point at one.

    Bags that share their decisive instance (a word, an image) are no test of each other: whoever
    has seen one of them knows the answer of all. So they are held out together.
    """
    if tokens.rows is None:
        return None
    groups = tokens.rows[first_of_largest(attention, tokens)]
    counts = np.bincount(groups)
    counts = counts[counts > 0]
    return groups if len(counts) >= FEWEST_GROUPS and 2 * counts.max() <= len(groups) else None


def first_of_largest(attention: np.ndarray, tokens: Tokens) -> np.ndarray:
    """Row of the instance with the largest weight of each bag; of equal ones the first, (n,)."""
    top = tokens.spread(np.maximum.reduceat(attention, tokens.starts))
    candidates = np.flatnonzero(attention == top)
    owners = tokens.owner[candidates]
    return candidates[np.concatenate([[True], owners[1:] != owners[:-1]])]


def held_out_folds(
    n: int, groups: np.ndarray | None, rng: np.random.Generator, *, every: bool = False
) -> list[np.ndarray]:
    """Masks of held-out bags: one quarter of many bags, every bag of few in turn; groups stay
    together.

    With `every`, every bag of many in turn as well.
    """
    folds, used = (4, 4 if every else 1) if n >= 1200 else (3, 3) if n >= 300 else (5, 5)
    members = np.arange(n) if groups is None else np.unique(groups, return_inverse=True)[1]
    units = int(members.max()) + 1
    if units < 2:
        raise ValueError(
            "`groups` must hold at least two different groups to hold bags out, got one; pass"
            ' `alpha` and `loss` instead of "auto".'
            if groups is not None
            else (
                '"auto" needs at least 2 bags to hold some out, got 1 sample; pass `alpha` and'
                " `loss`."
            )
        )
    folds = min(folds, units)
    fold_of_unit = np.empty(units, dtype=int)
    sizes = np.zeros(folds, dtype=int)
    counts = np.bincount(members)
    for unit in rng.permutation(units):
        fold_of_unit[unit] = np.argmin(sizes)
        sizes[fold_of_unit[unit]] += counts[unit]
    return [fold_of_unit[members] == fold for fold in range(min(used, folds))]


def select(
    problem: Any,
    losses: list[str],
    alpha: float | None,
    starts: dict[str, Head],
    groups: np.ndarray | None,
    rng: np.random.Generator,
    *,
    tol: float,
) -> Choice:
    """`choose` with fresh folds, on a random part of the bags when there are very many numbers."""
    n = len(problem.y)
    most = max(
        FEWEST_BAGS, int(MOST_NUMBERS / (problem.tokens.count * problem.tokens.x.shape[1]) * n)
    )
    chosen = np.arange(n) if n <= 1.2 * most else np.sort(rng.choice(n, most, replace=False))
    part = problem if len(chosen) == n else problem.part(chosen)
    folds = held_out_folds(len(chosen), None if groups is None else groups[chosen], rng)
    choice = choose(part, losses, None if alpha is None else [alpha], starts, folds, tol=tol)
    predictions = np.full(problem.y.shape, np.nan)
    predictions[chosen] = choice.predictions
    return choice._replace(predictions=predictions)


def choose_value_alpha(
    problem: Any, key: np.ndarray, alpha: float, folds: list[np.ndarray]
) -> float:
    """The penalty of the value that predicts held-out bags best, given the key: a path of ridge
    problems.
    """
    n = len(problem.y)
    alphas = [alpha]
    while alphas[-1] * FACTOR <= LARGEST * n:
        alphas.append(alphas[-1] * FACTOR)
    errors = np.zeros(len(alphas))
    for fold in folds:
        objective = problem.objective("squared", alpha, (~fold).astype(float))
        _, pooled = objective.pooled(key)
        features = pooled if problem.context is None else np.hstack([pooled, problem.context])
        for i, candidate in enumerate(alphas):
            solved = objective.inner(pooled, candidate)
            errors[i] += np.sum(
                (problem.y[fold] - features[fold] @ solved.coef - solved.intercept) ** 2
            )
    return alphas[int(np.argmin(errors))]


def choose(
    problem: Any,
    losses: list[str],
    alphas: list[float] | None,
    starts: dict[str, Head],
    folds: list[np.ndarray],
    *,
    tol: float,
) -> Choice:
    """Loss and alpha by the held-out error; `alphas` None means the path.

    The likelihood is preferred when it is nearly as good, because it is the efficient estimator;
    then the largest alpha within half a standard error, because too small an alpha costs more than
    too large a one.
    """
    held = np.any(folds, axis=0)
    spread = problem.spread(held)
    trials: list[Trial] = []
    for loss in losses:
        rival = min(trials, key=lambda t: t.error) if trials else None
        trials += walk(problem, loss, alphas, starts[loss], folds, spread, rival, tol=tol)
    best = min(trials, key=lambda t: t.error)
    rivals = [t for t in trials if t.loss == "likelihood" and excess(t, best) <= CLOSE * spread]
    best = min(rivals or [best], key=lambda t: t.error)
    chosen = max(
        (t for t in trials if t.loss == best.loss and equal(t, best, spread, 0.5)),
        key=lambda t: t.alpha,
    )
    rows = [{"loss": t.loss, "alpha": t.alpha, "held_out": 1 - t.error / spread} for t in trials]
    return Choice(chosen, pd.DataFrame(rows), chosen.predictions)


def equal(trial: Trial, best: Trial, spread: float, errors: float) -> bool:
    """Whether the held-out bags cannot tell a trial from the best one."""
    return excess(trial, best) <= max(SAME * spread, errors * standard_error(trial, best))


def excess(trial: Trial, best: Trial) -> float:
    """How much larger the held-out error of a trial is."""
    return trial.error - best.error


def standard_error(trial: Trial, best: Trial) -> float:
    """Standard error of the paired difference of held-out errors."""
    difference = trial.errors - best.errors
    return float(difference.std()) / np.sqrt(len(difference))


def walk(
    problem: Any,
    loss: str,
    alphas: list[float] | None,
    start: Head,
    folds: list[np.ndarray],
    spread: float,
    rival: Trial | None,
    *,
    tol: float,
) -> list[Trial]:
    """Trials from the middle of the path down, then from the middle up, until the held-out error
    stops falling.

    A loss that after three trials is clearly behind its rival is given up.
    """
    n = len(problem.y)
    first = TYPICAL_ALPHA * n if alphas is None else alphas[0]
    trials = [attempt(problem, loss, first, [start] * len(folds), folds, tol)]
    if alphas is not None:
        return trials
    for factor in (1 / FACTOR, FACTOR):
        last, since = trials[0], 0
        while since < PATIENCE and SMALLEST * n <= last.alpha * factor <= LARGEST * n:
            best = min(trials, key=lambda t: t.error)
            if (
                rival is not None
                and len(trials) >= 3
                and excess(best, rival) > 2 * standard_error(best, rival)
            ):
                return trials
            last = attempt(problem, loss, last.alpha * factor, last.heads, folds, tol)
            since = 0 if last.error < best.error - SAME * spread else since + 1
            trials.append(last)
    return trials


def attempt(
    problem: Any, loss: str, alpha: float, heads: list[Head], folds: list[np.ndarray], tol: float
) -> Trial:
    """Fit without each fold in turn, from the given heads, and predict it."""
    found: list[Head] = []
    predictions = np.full(problem.y.shape, np.nan)
    for fold, head in zip(folds, heads, strict=True):
        weights = (~fold).astype(float)
        fitted = fit_head(
            problem,
            loss,
            alpha,
            weights,
            head,
            max_iter=PATH_ITERATIONS,
            tol=LOOSE * tol,
            em_steps=0,
        )
        found.append(fitted.head)
        predictions[fold] = problem.predict(fitted.head, loss)[fold]
    return Trial(
        loss, alpha, found, problem.errors(predictions, np.any(folds, axis=0)), predictions
    )
