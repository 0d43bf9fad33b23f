"""The ensemble: members that leave out one fold each, and what they say of the bags left out."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from scipy.special import softmax
from threadpoolctl import threadpool_limits

from soloc.estimators.diagnostics import gain
from soloc.estimators.groups import count_of
from soloc.estimators.network.batches import Stock
from soloc.estimators.network.losses import Loss, log_of
from soloc.estimators.network.member import (
    MOST_JUDGES,
    PLATEAU,
    Member,
    Plan,
    Task,
    fit_members,
    predicted,
)
from soloc.estimators.tickets import of_groups

FOLDS = 5
DECAYS_OF_FEW = (1.5, 4.0)  # of which bags left out choose; the first one where they are not sure
DECAY, DECAY_OF_MANY = 0.6, 0.2  # of others: a choice around these took a fifth more, for nothing
FEW, SOME = 300, 1000  # bags below which there are more members
MANY = 3000  # bags, or groups, from which on less decay is enough
FEW_JUDGES = 600  # bags or groups below which who is left out would be a matter of chance
PARTS = 5  # of the bags that a member leaves out
SOMETHING, MUCH = 0.05, 0.3  # shares of the error at the start: gains by which others are judged
MOST, HALF = 2 / 3, 1 / 2  # of the best member's gain: who gained less is tried again, or left out
FEWEST_MEMBERS = 2  # without whom nobody could agree or not
AGAIN = 10_000  # between the seeds of a member and of its second try
EPOCHS_AGAIN = 40  # at most of a second try: who needs more of them finds little


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

    def left_by(self) -> np.ndarray:
        """How many members left out each bag, (n,)."""
        count = np.zeros(len(self.fold_of))
        for member in self.members:
            count[member.judges] += 1
        return count


def members_of(n: int, units: int) -> int:
    """More members where bags, or groups, are few: each fold is left out, or left out twice."""
    return 2 * FOLDS if n < FEW else FOLDS if units < SOME else 3


def decays_of(n: int, units: int) -> tuple[float, ...]:
    """The decay, less of it where bags (or groups) are many; where few, those to choose among."""
    return DECAYS_OF_FEW if n < FEW else (DECAY if units < MANY else DECAY_OF_MANY,)


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
    groups: np.ndarray | None,
    seed: int,
    n_jobs: int | None = None,
    watch: Callable[[list[float]], Any] | None = None,
) -> Ensemble:
    """Members that leave out one fold each, of the decay that the trial of decays chose.

    Where members are more than folds, those of the decay that lost are members like the others: no
    fit is in vain.
    """
    folds = int(fold_of.max()) + 1
    judges = min(folds, max(1, count // folds)) if len(decays) > 1 else 0
    judging = [(fold, seed + fold) for fold in range(judges)]
    tried = [Place(fold, decay, s) for fold, s in judging for decay in decays]
    found = dict(zip(tried, fit_all(stock, plan, fold_of, tried, n_jobs, watch), strict=True))
    decay, scores = decided(found, judging, decays, stock, plan.loss, groups)
    wanted = sorted(tried, key=lambda place: place.decay != decay)
    wanted = wanted[: count if count > folds else judges]
    while len(wanted) < count:  # next who leaves out what the fewest do
        times = np.bincount([place.fold for place in wanted], minlength=folds)
        wanted.append(Place(int(np.argmin(times)), decay, seed + len(wanted)))
    missing = [place for place in wanted if place not in found]
    found |= dict(zip(missing, fit_all(stock, plan, fold_of, missing, n_jobs, watch), strict=True))
    # a fold of few bags may just be hard: only who is still on the plateau is tried again there
    enough = 1 - PLATEAU if len(fold_of) < FEW else 1.0
    behind = stuck(found, wanted, SOMETHING, MOST, enough)
    again = [place._replace(seed=place.seed + AGAIN) for place in behind]
    shorter = plan._replace(max_epochs=min(plan.max_epochs, EPOCHS_AGAIN))
    for place, member in zip(
        behind, fit_all(stock, shorter, fold_of, again, n_jobs, watch), strict=True
    ):
        if min(member.trace) < min(found[place].trace):
            found[place] = member
    behind = [] if count_of(groups, len(fold_of)) < FEW_JUDGES else stuck(found, wanted, MUCH, HALF)
    if len(wanted) - len(behind) >= FEWEST_MEMBERS:  # a mean with who found nothing is worse
        wanted = [place for place in wanted if place not in behind]
    members = [found[place] for place in wanted]
    return Ensemble(members, [place.fold for place in wanted], fold_of, decay, scores)


def decided(
    found: dict[Place, Member],
    judging: list[tuple[int, int]],
    decays: tuple[float, ...],
    stock: Stock,
    loss: type[Loss],
    groups: np.ndarray | None,
) -> tuple[float, dict[float, float]]:
    """The decay that is surely better at the folds and seeds of `judging`, else the first one.

    And the error of the bags left out, by decay, where there was something to choose.
    """
    if not judging:
        return decays[0], {}
    of = {decay: [found[Place(fold, decay, seed)] for fold, seed in judging] for decay in decays}
    errors = {
        decay: np.concatenate([judged_errors(member, stock, loss) for member in members])
        for decay, members in of.items()
    }
    together = None
    if groups is not None:
        together = np.concatenate([groups[member.judges] for member in of[decays[0]]])
    best = decays[0]
    for decay in decays[1:]:
        start = np.mean([member.trace[0] for member in of[decay]])
        ones = np.ones(len(errors[decay]))
        better = gain(errors[decays[0]] - errors[decay], ones, together)
        if better.mean > better.error and errors[decay].mean() < (1 - SOMETHING) * start:
            best = decay
    return best, {decay: float(each.mean()) for decay, each in errors.items()}


def judged_errors(member: Member, stock: Stock, loss: type[Loss]) -> np.ndarray:
    """Error of each bag that the member left out, when it was at its best."""
    errors = loss.errors(stock.y[member.judges], member.judged[member.best])
    return errors * stock.weights[member.judges]


def stuck(
    found: dict[Place, Member],
    wanted: list[Place],
    least: float,
    share: float,
    enough: float = 1.0,
) -> list[Place]:
    """Members that gained less than a share of what the best one did, where that is above `least`.

    Nobody who gained `enough`; all as shares of the error at the start.
    """
    traces = [found[place].trace for place in wanted]
    gains = [1 - min(trace) / max(trace[0], 1e-12) for trace in traces]
    if max(gains) <= least:
        return []
    limit = min(share * max(gains), enough)
    return [place for place, gain in zip(wanted, gains, strict=True) if gain < limit]


def fit_all(
    stock: Stock,
    plan: Plan,
    fold_of: np.ndarray,
    places: list[Place],
    n_jobs: int | None,
    watch: Callable[[list[float]], Any] | None,
) -> list[Member]:
    """One member for each place, each on one thread, as the fit: batches are too small for more."""
    masks = {fold: fold_of == fold for fold in {place.fold for place in places}}
    wanted = [
        Task(np.flatnonzero(~masks[fold]), np.flatnonzero(masks[fold]), decay, seed)
        for fold, decay, seed in places
    ]

    fewest = len(fold_of) - int(np.bincount(fold_of).max())

    if n_jobs in (None, 1) or len(wanted) < 2:
        return fit_members(stock, wanted, plan, fewest, watch) if wanted else []

    def fit(some: list[Task]) -> list[Member]:
        with threadpool_limits(1):  # another process, where nobody has set it
            return fit_members(stock, some, plan, fewest)

    jobs = min(len(wanted), effective_n_jobs(n_jobs))
    found = Parallel(n_jobs=n_jobs)(delayed(fit)(wanted[job::jobs]) for job in range(jobs))
    return [found[number % jobs][number // jobs] for number in range(len(wanted))]


def left_out(ensemble: Ensemble, stock: Stock, loss: type[Loss], parts: np.ndarray) -> np.ndarray:
    """Mean prediction of each bag by the members that left it out, (n, outputs); NaN elsewhere.

    Of classes it is the mean of logits that is told, as in use.
    The bags that stopped a member flatter it: each is predicted at the epoch that the other parts
    of its fold ask for.
    """
    total = np.zeros(stock.y.shape)
    for member in ensemble.members:
        judges = member.judges
        errors = stock.weights[judges] * [loss.errors(stock.y[judges], e) for e in member.judged]
        for part in np.unique(parts[judges]):
            own = parts[judges] == part
            epoch = member.best if own.all() else int(np.argmin(errors[:, ~own].sum(axis=1)))
            said = member.judged[epoch][own]
            total[judges[own]] += said if loss.averaged else log_of(said)
    count = ensemble.left_by()
    with np.errstate(invalid="ignore"):
        mean = total / np.where(count > 0, count, np.nan)[:, None]
    return mean if loss.averaged else softmax(mean, axis=1)


def parts_of(groups: np.ndarray | None, n: int) -> np.ndarray:
    """Bags in a few parts, groups whole: what some parts of a fold decide is judged by another."""
    members = np.arange(n) if groups is None else np.unique(groups, return_inverse=True)[1]
    return members % PARTS


def excess(ensemble: Ensemble, stock: Stock, loss: type[Loss]) -> np.ndarray:
    """By how much the error of a bag left out exceeds that of all members' mean, (n, outputs).

    Bags are left out by k of M members. With V the variance of the members about their mean, the
    squared error of the mean of k of them is V / k above that of infinitely many: here
    V (1 / k - 1 / M). V is that of the bag, or its mean for bags beyond the first so many. Of
    classes it is the log-loss that exceeds, by `spread_of_logits`, (n, 1).
    """
    count = len(ensemble.members)
    left_by = ensemble.left_by()
    if count < FEWEST_MEMBERS or not left_by.any():
        return np.zeros(stock.y.shape)
    bags = np.arange(min(len(stock.y), MOST_JUDGES))
    said = np.stack([predicted(loss, m.weights, stock, bags) for m in ensemble.members])
    of_bags = said.var(axis=0, ddof=1) if loss.averaged else spread_of_logits(said)
    mean = np.average(of_bags, axis=0, weights=stock.weights[bags])
    variance = np.broadcast_to(mean, (len(stock.y), len(mean))).copy()
    variance[bags] = of_bags
    return variance * max(float(np.mean(1 / left_by[left_by > 0])) - 1 / count, 0.0)


def spread_of_logits(said: np.ndarray) -> np.ndarray:
    """Half the variance of the members' logits, weighted by the mean's probabilities, (n, 1).

    To second order the mean log-loss of logits z + e exceeds that of z by it, whatever the class:
    its curvature there is diag(p) - p p'.
    """
    logits = log_of(said)
    mean = logits.mean(axis=0)
    probability, away = softmax(mean, axis=1), logits - mean
    away = away - (probability * away).sum(axis=2, keepdims=True)
    squares = (probability * away**2).sum(axis=2, keepdims=True)
    return np.asarray(0.5 * squares.sum(axis=0) / (len(said) - 1))
