"""The ensemble: members that leave out one fold each, and what they say of the bags left out."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits

from soloc.estimators.network.batches import Stock
from soloc.estimators.network.member import Member, Plan, fit_member
from soloc.estimators.tickets import of_groups

FOLDS = 5
DECAYS = (0.3, 1.0)  # of which held-out bags choose
FEW, SOME = 300, 1000  # bags below which there are more members
ALL_DECIDE = 600  # bags below which every member has a say in the choice of decay
SOMETHING = 0.05  # share of the error at the start that a member must gain to be a measure
AGAIN = 10_000  # between the seeds of a member and of its second try


class Task(NamedTuple):
    """One member to be: the fold it leaves out, its decay and its seed."""

    fold: int
    decay: float
    seed: int


class Ensemble(NamedTuple):
    """Fitted members and the fold that each left out."""

    members: list[Member]
    folds: list[int]
    fold_of: np.ndarray  #: of each bag
    decay: float
    scores: dict[float, float]  #: error of the bags left out, by decay


def members_of(n: int, groups: np.ndarray | None) -> int:
    """More members where bags, or groups, are few: each fold is left out, or left out twice."""
    units = n if groups is None else len(np.unique(groups))
    return 2 * FOLDS if n < FEW else FOLDS if units < SOME else 3


def folds_of(tickets: np.ndarray, groups: np.ndarray | None) -> np.ndarray:
    """The fold of each bag: groups whole, the large ones spread first, whatever the order."""
    n = len(tickets)
    members = np.arange(n) if groups is None else np.unique(groups, return_inverse=True)[1]
    counts = np.bincount(members)
    if len(counts) < 2:
        raise ValueError(
            "`groups` must hold at least two different groups to hold bags out, got one."
            if groups is not None
            else "a network needs at least 2 bags to leave some out, got 1 sample."
        )
    folds = min(FOLDS, len(counts))
    large = counts > n / (4 * folds)
    order = np.lexsort((of_groups(tickets, members), np.where(large, -counts, 0)))
    fold_of_unit, sizes = np.empty(len(counts), dtype=int), np.zeros(folds, dtype=int)
    for unit in order:
        fold_of_unit[unit] = np.argmin(sizes)
        sizes[fold_of_unit[unit]] += counts[unit]
    return fold_of_unit[members]


def fit_ensemble(
    stock: Stock,
    plan: Plan,
    decays: tuple[float, ...],
    fold_of: np.ndarray,
    count: int,
    seed: int,
    n_jobs: int | None = None,
    watch: Callable[[list[float]], Any] | None = None,
) -> Ensemble:
    """Members of the decay that predicts best what they left out."""
    folds = int(fold_of.max()) + 1
    places = [(number % folds, seed + number) for number in range(count)]
    judging = places if len(fold_of) < ALL_DECIDE else places[:1]
    if len(decays) == 1:
        judging = []
    tried = [Task(fold, decay, s) for fold, s in judging for decay in decays]
    found = dict(zip(tried, fit_all(stock, plan, fold_of, tried, n_jobs, watch), strict=True))
    scores = {
        decay: float(np.mean([min(m.trace) for task, m in found.items() if task.decay == decay]))
        for decay in decays
        if judging
    }
    decay = min(scores, key=lambda each: scores[each]) if scores else decays[0]
    wanted = [Task(fold, decay, s) for fold, s in places]
    missing = [task for task in wanted if task not in found]
    found |= dict(zip(missing, fit_all(stock, plan, fold_of, missing, n_jobs, watch), strict=True))
    again = [task._replace(seed=task.seed + AGAIN) for task in stuck(found, wanted)]
    for task, member in zip(
        again, fit_all(stock, plan, fold_of, again, n_jobs, watch), strict=True
    ):
        first = task._replace(seed=task.seed - AGAIN)
        if min(member.trace) < min(found[first].trace):
            found[first] = member
    members = [found[task] for task in wanted]
    return Ensemble(members, [task.fold for task in wanted], fold_of, decay, scores)


def stuck(found: dict[Task, Member], wanted: list[Task]) -> list[Task]:
    """Members that gained less than half of what the best one gained, where that is something."""
    gains = {task: 1 - min(found[task].trace) / max(found[task].trace[0], 1e-12) for task in wanted}
    best = max(gains.values())
    return [task for task in wanted if gains[task] < 0.5 * best] if best > SOMETHING else []


def fit_all(
    stock: Stock,
    plan: Plan,
    fold_of: np.ndarray,
    tasks: list[Task],
    n_jobs: int | None,
    watch: Callable[[list[float]], Any] | None,
) -> list[Member]:
    """One member for each task, on one thread each: batches are too small for more."""

    def fit(task: Task) -> Member:
        held = fold_of == task.fold
        seen, left_out = np.flatnonzero(~held), np.flatnonzero(held)
        with threadpool_limits(1):
            of_task = plan._replace(decay=task.decay)
            return fit_member(stock, seen, left_out, of_task, task.seed, watch)

    if n_jobs in (None, 1) or len(tasks) < 2:
        return [fit(task) for task in tasks]
    watch = None  # it belongs to this process
    return Parallel(n_jobs=n_jobs)(delayed(fit)(task) for task in tasks)


def left_out(ensemble: Ensemble, n: int, outputs: int, honest: bool) -> np.ndarray:
    """Mean prediction of each bag by the members that left it out, (n, outputs); NaN elsewhere.

    With `honest`, each at the epoch at which the members of *other* folds stopped: the bags that
    stopped a member flatter it.
    """
    total, count = np.zeros((n, outputs)), np.zeros(n)
    for member, fold in zip(ensemble.members, ensemble.folds, strict=True):
        epoch = member.best
        others = [
            m.best for m, f in zip(ensemble.members, ensemble.folds, strict=True) if f != fold
        ]
        if honest and others:
            epoch = min(round(float(np.median(others))), len(member.judged) - 1)
        total[member.judges] += member.judged[epoch]
        count[member.judges] += 1
    with np.errstate(invalid="ignore"):
        return total / np.where(count > 0, count, np.nan)[:, None]
