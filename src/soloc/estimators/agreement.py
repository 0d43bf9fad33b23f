"""Agreement: do fits to separate halves of the bags name the same instances as the model does?

Each half has its own many starts, so two fits agree about instances only where the data say who
decides: on noise they agree by chance, and where the model sits in a local optimum that better
starts avoid, they disagree with it.
"""

from typing import NamedTuple

import numpy as np

from soloc.estimators.coefficients import Coefficients, bag_means
from soloc.estimators.fitting import fit_objective
from soloc.estimators.mean_pool import fit_mean_pool
from soloc.estimators.objectives.data import Data
from soloc.estimators.objectives.objective import Objective
from soloc.estimators.selection import first_of_largest
from soloc.estimators.starts import best_starts
from soloc.estimators.tickets import drawn, of_groups

MOST_BAGS = 1000  # of both halves together
FEWEST_BAGS = 20
STARTS = 24
ITERATIONS = 30


class Agreement(NamedTuple):
    """Shares of bags of several instances on which two fits name the same instance."""

    with_halves: float  #: the model and a fit to half of the bags, the mean of both
    chance: float  #: two fits that know nothing


def half_agreement(
    data: Data,
    kind: type[Objective],
    found: Coefficients,
    groups: np.ndarray | None,
    rng: np.random.Generator,
    tickets: np.ndarray,
    tol: float,
) -> Agreement:
    """How often fits to two halves of the bags name the instance that the model names."""
    lengths = data.instances.lengths
    several = lengths > 1
    chance = float(np.mean(1 / lengths[several])) if several.any() else 1.0
    if several.sum() < FEWEST_BAGS:
        return Agreement(chance, chance)
    chosen = np.arange(len(data.y))
    if len(chosen) > 1.2 * MOST_BAGS:
        chosen = drawn(tickets, MOST_BAGS)
        data = data.part(chosen)
    members = chosen if groups is None else groups[chosen]
    members = np.unique(members, return_inverse=True)[1]
    rank = np.argsort(np.argsort(of_groups(tickets[chosen], members), kind="stable"))
    first = (rank < len(rank) / 2)[members]
    named = pointed_at(data, found)
    several = several[chosen]
    shares = []
    for half in (first, ~first):
        if half.sum() < FEWEST_BAGS // 2 or not varied(data.y[half]):
            return Agreement(chance, chance)
        part = data.part(np.flatnonzero(half))
        pooled = fit_mean_pool(bag_means(part.instances), part.y, True)
        lots = tickets[chosen][half]
        start = best_starts(part, {"": kind}, pooled, STARTS, rng, lots, tol)[""]
        fitted = fit_objective(kind(part), start, max_iter=ITERATIONS, tol=10 * tol)
        other = pointed_at(data, fitted.coefficients)
        shares.append(float(np.mean(named[several] == other[several])))
    return Agreement(float(np.mean(shares)), chance)


def pointed_at(data: Data, found: Coefficients) -> np.ndarray:
    """Row of the instance with the largest weight of each bag."""
    return first_of_largest(data.read(found).attention, data.instances)


def varied(y: np.ndarray) -> bool:
    """Whether labels vary; of classes, whether there are two."""
    return bool((y != y[0]).any())
