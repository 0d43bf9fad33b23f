"""The ensemble: members that leave out one fold each, and what they say of the bags left out."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from threadpoolctl import threadpool_limits

from soloc.estimators.network.batches import Stock
from soloc.estimators.network.member import Member, Plan, Task, fit_members
from soloc.estimators.tickets import of_groups

FOLDS = 5
DECAYS = (0.3, 1.0)  # of which held-out bags choose
FEW, SOME = 300, 1000  # bags below which there are more members
ALL_DECIDE = 600  # bags or groups below which members of all folds have a say in the decay
SOMETHING, MUCH = 0.05, 0.3  # shares of the error at the start: gains by which others are judged
FEWEST_MEMBERS = 2  # without whom nobody could agree or not
AGAIN, TRIES = 10_000, 3  # between the seeds of a member and of its next try; most of these


class Place(NamedTuple):
    """A member of the ensemble to be: the fold it leaves out, its decay and its seed."""

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


def members_of(n: int, units: int) -> int:
    """More members where bags, or groups, are few: each fold is left out, or left out twice."""
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
    units: int,
    seed: int,
    n_jobs: int | None = None,
    watch: Callable[[list[float]], Any] | None = None,
) -> Ensemble:
    """Members of the decay that predicts best what they left out; `units` are bags or groups."""
    folds = int(fold_of.max()) + 1
    places = [(number % folds, seed + number) for number in range(count)]
    judging = places[: folds if units < ALL_DECIDE else 1]
    if len(decays) == 1:
        judging = []
    tried = [Place(fold, decay, s) for fold, s in judging for decay in decays]
    found = dict(zip(tried, fit_all(stock, plan, fold_of, tried, n_jobs, watch), strict=True))
    scores = {
        decay: float(np.mean([min(m.trace) for place, m in found.items() if place.decay == decay]))
        for decay in decays
        if judging
    }
    decay = min(scores, key=lambda each: scores[each]) if scores else decays[0]
    wanted = [Place(fold, decay, s) for fold, s in places]
    missing = [place for place in wanted if place not in found]
    found |= dict(zip(missing, fit_all(stock, plan, fold_of, missing, n_jobs, watch), strict=True))
    sure = units >= ALL_DECIDE  # few judges would choose by chance, and flatter whom they chose
    for number in range(1, TRIES + 1 if sure else 2):
        behind = stuck(found, wanted, SOMETHING if number == 1 else MUCH)
        again = [place._replace(seed=place.seed + number * AGAIN) for place in behind]
        members = fit_all(stock, plan, fold_of, again, n_jobs, watch)
        for place, member in zip(behind, members, strict=True):
            if min(member.trace) < min(found[place].trace):
                found[place] = member
    behind = stuck(found, wanted, MUCH) if sure else []
    if len(wanted) - len(behind) >= FEWEST_MEMBERS:  # a mean with who found nothing is worse
        wanted = [place for place in wanted if place not in behind]
    members = [found[place] for place in wanted]
    return Ensemble(members, [place.fold for place in wanted], fold_of, decay, scores)


def stuck(found: dict[Place, Member], wanted: list[Place], least: float) -> list[Place]:
    """Members that gained less than half of what the best one did, where that is more than `least`.

    All as shares of the error at the start.
    """
    traces = [found[place].trace for place in wanted]
    gains = [1 - min(trace) / max(trace[0], 1e-12) for trace in traces]
    if max(gains) <= least:
        return []
    return [place for place, gain in zip(wanted, gains, strict=True) if gain < 0.5 * max(gains)]


def fit_all(
    stock: Stock,
    plan: Plan,
    fold_of: np.ndarray,
    places: list[Place],
    n_jobs: int | None,
    watch: Callable[[list[float]], Any] | None,
) -> list[Member]:
    """One member for each place, on one thread: batches are too small for more."""
    masks = {fold: fold_of == fold for fold in {place.fold for place in places}}
    wanted = [
        Task(np.flatnonzero(~masks[fold]), np.flatnonzero(masks[fold]), decay, seed)
        for fold, decay, seed in places
    ]

    fewest = len(fold_of) - int(np.bincount(fold_of).max())

    def fit(some: list[Task]) -> list[Member]:
        with threadpool_limits(1):
            return fit_members(stock, some, plan, fewest, watch)

    if n_jobs in (None, 1) or len(wanted) < 2:
        return fit(wanted) if wanted else []
    watch = None  # it belongs to this process
    jobs = min(len(wanted), effective_n_jobs(n_jobs))
    found = Parallel(n_jobs=n_jobs)(delayed(fit)(wanted[job::jobs]) for job in range(jobs))
    return [found[number % jobs][number // jobs] for number in range(len(wanted))]


def left_out(ensemble: Ensemble, n: int, outputs: int) -> np.ndarray:
    """Mean prediction of each bag by the members that left it out, (n, outputs); NaN elsewhere.

    Each at the epoch at which the members of *other* folds stopped: the bags that stopped a member
    flatter it.
    """
    total, count = np.zeros((n, outputs)), np.zeros(n)
    for member, fold in zip(ensemble.members, ensemble.folds, strict=True):
        epoch = member.best
        others = [
            m.best for m, f in zip(ensemble.members, ensemble.folds, strict=True) if f != fold
        ]
        if others:
            epoch = min(round(float(np.median(others))), len(member.judged) - 1)
        total[member.judges] += member.judged[epoch]
        count[member.judges] += 1
    with np.errstate(invalid="ignore"):
        return total / np.where(count > 0, count, np.nan)[:, None]
