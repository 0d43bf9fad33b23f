"""Selection on held-out bags: for each loss a path of alphas with warm starts."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from soloc.estimators.coefficients import Coefficients
from soloc.estimators.fitting import fit_objective
from soloc.estimators.instances import Instances
from soloc.estimators.objectives.data import Data
from soloc.estimators.objectives.objective import Objective
from soloc.estimators.objectives.squared import SquaredLoss
from soloc.estimators.ridge import solved_from, sums_of
from soloc.estimators.starts import mean_key
from soloc.estimators.thinning import thinned
from soloc.estimators.tickets import drawn, of_groups

TYPICAL_ALPHA = 0.02  # alpha per bag in the middle of the path

FACTOR = 3.0  # between neighbours on the path
LARGEST, SMALLEST = 3.0, 1e-6  # alpha per bag at the ends of the path
KEY_FACTOR = 4.0  # between neighbours on the path of the penalty of the key
MOST_TRIALS = 6  # with other penalties of the key
PATIENCE = 1  # steps without a better held-out error before a direction is given up
PATH_ITERATIONS = 15
SAME = 0.002  # share of the variance of the label below which two errors count as equal
FEWEST_BAGS, MOST_NUMBERS = 1500, 8e6  # the path runs on a part of the bags beyond this size
LONG = 1000  # instances of a bag on average beyond which bags are long
SHORT_NUMBERS = 4e6  # of long bags, for all folds together
CLASSES_AT_ONCE = 4  # classes that cost as much as one number for each feature
CLOSE = 0.005  # the likelihood is preferred when it is at most this much worse
FEWEST_GROUPS = 10  # below it, bags that share an instance are not held out together
LOOSE = 10.0  # the path needs less precision than the last fit


class Trial(NamedTuple):
    """One setting tried on every fold: what it found there, and the error of each held-out bag."""

    loss: str
    data: Data  #: with its penalties
    found: list[Coefficients]
    errors: np.ndarray
    weights: np.ndarray  #: of the held-out bags
    predictions: np.ndarray  #: NaN where a bag was not held out

    @property
    def alpha(self) -> float:
        """Penalty of the value."""
        return self.data.alpha

    @property
    def error(self) -> float:
        """Mean error of the held-out bags."""
        return float(np.average(self.errors, weights=self.weights))


class Choice(NamedTuple):
    """The setting that the held-out bags chose, and every score on the way."""

    trial: Trial
    #: loss, alpha, held_out (share of the error of a constant that is removed: R^2)
    scores: pd.DataFrame
    predictions: np.ndarray  #: of the chosen setting on the held-out bags; NaN on the others


def pointed_groups(instances: Instances, attention: np.ndarray) -> np.ndarray | None:
    """Bags that point at the same instance, as groups, (n,); None where few do, or all do.

    Bags that share their decisive instance (a word, an image, a bag given twice) are no test of
    each other: whoever has seen one of them knows the answer of all. So they are held out together.
    """
    if instances.repeated is None:
        return None
    groups = instances.repeated[first_of_largest(attention, instances)]
    counts = np.bincount(groups)
    counts = counts[counts > 0]
    return groups if len(counts) >= FEWEST_GROUPS and 2 * counts.max() <= len(groups) else None


def first_of_largest(attention: np.ndarray, instances: Instances) -> np.ndarray:
    """Row of the instance with the largest weight of each bag; of equal ones the first, (n,)."""
    top = instances.spread(np.maximum.reduceat(attention, instances.starts))
    candidates = np.flatnonzero(attention == top)
    owners = instances.owner[candidates]
    return candidates[np.concatenate([[True], owners[1:] != owners[:-1]])]


def held_out_folds(
    tickets: np.ndarray, groups: np.ndarray | None, *, every: bool = False, long: bool = False
) -> list[np.ndarray]:
    """Masks of held-out bags: a quarter of many, or every one in turn of few (or with `every`).

    Groups stay together. Tickets decide, so that the order of bags does not. Few bags that are
    `long` are held out in three turns instead of five.
    """
    n = len(tickets)
    folds, used = (4, 4 if every else 1) if n >= 1200 else (3, 3) if n >= 300 or long else (5, 5)
    members = np.arange(n) if groups is None else np.unique(groups, return_inverse=True)[1]
    units = int(members.max()) + 1
    if units < 2:
        raise ValueError(
            "`groups` must hold at least two different groups to hold bags out, got one; leave it"
            " out if bags are independent."
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
    for unit in np.argsort(of_groups(tickets, members), kind="stable"):
        fold_of_unit[unit] = np.argmin(sizes)
        sizes[fold_of_unit[unit]] += counts[unit]
    return [fold_of_unit[members] == fold for fold in range(min(used, folds))]


def are_long(data: Data) -> bool:
    """Whether a search costs so much for each bag that it is made less often."""
    return data.instances.count > LONG * len(data.y)


def selected_bags(data: Data, tickets: np.ndarray) -> np.ndarray:
    """Positions of the bags on which penalties are chosen: a part when there are very many."""
    n = len(data.y)
    numbers = data.instances.count * data.instances.x.shape[1]
    if data.y.ndim == 2:  # every class is computed beside the others
        numbers *= 1 + data.y.shape[1] / CLASSES_AT_ONCE
    most = max(FEWEST_BAGS, int(MOST_NUMBERS / numbers * n))
    return np.arange(n) if n <= 1.2 * most else drawn(tickets, most)


def shortened(data: Data, starts: dict[str, list[Coefficients]], times: int) -> Data:
    """Long bags with fewer instances, chosen by the starts; the path is walked `times` times."""
    most = SHORT_NUMBERS / data.instances.x.shape[1] / times
    return thinned(data, [c.key for found in starts.values() for c in found], int(most))


def choose_value_alpha(data: Data, key: np.ndarray, folds: list[np.ndarray]) -> float:
    """The penalty of the value that predicts held-out bags best, given the key.

    A path of ridge problems, upwards from the penalty of the search.
    """
    n = float(data.weights.sum())
    alphas = [data.alpha]
    while alphas[-1] * FACTOR <= LARGEST * n:
        alphas.append(alphas[-1] * FACTOR)
    errors = np.zeros(len(alphas))
    objective = SquaredLoss(data)
    _, pooled = objective.pooled(key)
    features = objective.features(pooled)
    for fold in folds:
        sums = sums_of(features, data.y, data.weights * ~fold)
        for i, candidate in enumerate(alphas):
            solved = solved_from(sums, candidate, data.fit_intercept)
            residual = data.y[fold] - features[fold] @ solved.coef - solved.intercept
            errors[i] += np.sum(data.weights[fold] @ residual**2)
    return alphas[int(np.argmin(errors))]


def choose(
    data: Data,
    losses: dict[str, type[Objective]],
    alpha: float | None,
    starts: dict[str, list[Coefficients]],
    folds: list[np.ndarray],
    *,
    tol: float,
) -> Choice:
    """Loss and alpha by the held-out error; `alpha` None means the path.

    A loss with a latent location is preferred when it is nearly as good, because it is the
    efficient estimator; then the largest alpha within half a standard error, because too small an
    alpha costs more than too large a one.
    """
    held = np.any(folds, axis=0)
    spread = next(iter(losses.values())).constant_error(data.y[held], data.weights[held])
    trials: list[Trial] = []
    for loss, kind in losses.items():
        rival = min(trials, key=lambda t: t.error) if trials else None
        trials += walk(data, loss, kind, alpha, starts[loss], folds, spread, rival, tol=tol)
    if alpha is None:
        for loss, kind in losses.items():
            own = [t for t in trials if t.loss == loss]
            if contends(own, trials):
                trials += refine(kind, min(own, key=lambda t: t.error), folds, spread, tol=tol)
        leader = min(trials, key=lambda t: t.error)
        for loss, kind in losses.items():  # each begins once more where the best one ended
            if loss != leader.loss and leader.data.key_share != data.key_share:
                there = attempt(leader.data, loss, kind, leader.found, folds, tol)
                trials.append(there)
                if contends([there], trials):
                    trials += refine(kind, there, folds, spread, tol=tol)
    best = min(trials, key=lambda t: t.error)
    rivals = [t for t in trials if losses[t.loss].latent and excess(t, best) <= CLOSE * spread]
    best = min(rivals or [best], key=lambda t: t.error)
    chosen = max((t for t in trials if alike(t, best, spread)), key=lambda t: t.alpha)
    rows = [
        {
            "loss": t.loss,
            "alpha": t.alpha,
            "key_alpha": t.alpha * t.data.key_share,
            "mean_key": t.data.key_prior is not None,
            "held_out": 1 - t.error / spread,
        }
        for t in trials
    ]
    return Choice(chosen, pd.DataFrame(rows), chosen.predictions)


def contends(own: list[Trial], trials: list[Trial]) -> bool:
    """Whether a loss may still turn out to be the best one."""
    best, leader = min(own, key=lambda t: t.error), min(trials, key=lambda t: t.error)
    return best is leader or excess(best, leader) <= 2 * standard_error(best, leader)


def alike(trial: Trial, best: Trial, spread: float) -> bool:
    """Whether a trial differs from the best in alpha alone, and held-out bags cannot tell them."""
    same = trial.loss == best.loss and trial.data.key_share == best.data.key_share
    same = same and (trial.data.key_prior is None) == (best.data.key_prior is None)
    return same and equal(trial, best, spread, 0.5)


def refine(
    kind: type[Objective], best: Trial, folds: list[np.ndarray], spread: float, *, tol: float
) -> list[Trial]:
    """Trials with other penalties of the key, towards zero and towards the mean instance.

    Each direction is followed while the held-out error falls.
    """
    trials = [best]

    def follow(changed: Data, found: list[Coefficients]) -> bool:
        leader = min(trials, key=lambda t: t.error)
        trials.append(attempt(changed, best.loss, kind, found, folds, tol))
        return trials[-1].error < leader.error - SAME * spread

    def leader() -> Trial:
        return min(trials, key=lambda t: t.error)

    while follow(wider(leader().data, KEY_FACTOR), leader().found) and len(trials) < MOST_TRIALS:
        pass
    prior = mean_key(best.data) if best.data.key_prior is None else None
    if prior is not None:
        towards = wider(best.data, KEY_FACTOR)._replace(key_prior=prior)
        start = [c._replace(key=prior) for c in best.found]
        if best.data.y.ndim == 1:
            parts = [
                SquaredLoss(towards._replace(weights=towards.weights * ~fold)) for fold in folds
            ]
            start = [part.coefficients(prior) for part in parts]
        better = follow(towards, start)
        while better and len(trials) < MOST_TRIALS:
            better = follow(wider(leader().data, KEY_FACTOR), leader().found)
    if leader() is not best or best.data.key_prior is not None:
        for factor in (1 / FACTOR, FACTOR):
            alpha = leader().alpha * factor
            share = leader().data.key_share / factor  # the key keeps its own penalty
            follow(leader().data._replace(alpha=alpha, key_share=share), leader().found)
    return trials[1:]


def wider(data: Data, factor: float) -> Data:
    """The data with a larger penalty of the key."""
    return data._replace(key_share=data.key_share * factor)


def equal(trial: Trial, best: Trial, spread: float, errors: float) -> bool:
    """Whether the held-out bags cannot tell a trial from the best one."""
    return excess(trial, best) <= max(SAME * spread, errors * standard_error(trial, best))


def excess(trial: Trial, best: Trial) -> float:
    """How much larger the held-out error of a trial is."""
    return trial.error - best.error


def standard_error(trial: Trial, best: Trial) -> float:
    """Standard error of the paired difference of held-out errors."""
    shares = best.weights / best.weights.sum()
    difference = trial.errors - best.errors
    return float(np.sqrt(shares**2 @ (difference - shares @ difference) ** 2))


def walk(
    data: Data,
    loss: str,
    kind: type[Objective],
    alpha: float | None,
    starts: list[Coefficients],
    folds: list[np.ndarray],
    spread: float,
    rival: Trial | None,
    *,
    tol: float,
) -> list[Trial]:
    """Trials from the middle of the path down, then up, until the held-out error stops falling.

    A loss that after three trials is clearly behind its rival is given up.
    """
    n = float(data.weights.sum())
    first = TYPICAL_ALPHA * n if alpha is None else alpha
    trials = [attempt(data._replace(alpha=first), loss, kind, starts, folds, tol)]
    if alpha is not None:
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
            nearby = data._replace(alpha=last.alpha * factor)
            last = attempt(nearby, loss, kind, last.found, folds, tol)
            since = 0 if last.error < best.error - SAME * spread else since + 1
            trials.append(last)
    return trials


def attempt(
    data: Data,
    loss: str,
    kind: type[Objective],
    starts: list[Coefficients],
    folds: list[np.ndarray],
    tol: float,
) -> Trial:
    """Fit without each fold in turn, from the given starts, and predict it."""
    found: list[Coefficients] = []
    predictions = np.full(data.y.shape, np.nan)
    for fold, start in zip(folds, starts, strict=True):
        objective = kind(data._replace(weights=data.weights * ~fold))
        fitted = fit_objective(
            objective, start, max_iter=PATH_ITERATIONS, tol=LOOSE * tol, em_steps=0
        )
        found.append(fitted.coefficients)
        reading = data.read(fitted.coefficients)
        predictions[fold] = kind.predict(reading, data.instances)[fold]
    held = np.any(folds, axis=0)
    errors = kind.errors(data.y[held], predictions[held])
    return Trial(loss, data, found, errors, data.weights[held], predictions)
