"""Agreement: do fits to separate halves of the bags name the same instances as the model does?

Each half has its own many starts, so the fits agree about instances only where the data say who
decides: on noise they agree by chance, and where the model sits in a local optimum that better
starts avoid, they disagree with it.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from soloc.estimators.coefficients import Coefficients, bag_means
from soloc.estimators.diagnostics import largest_and_effective, mean_concentration
from soloc.estimators.fitting import fit_objective
from soloc.estimators.mean_pool import fit_mean_pool
from soloc.estimators.objectives.data import Data
from soloc.estimators.objectives.objective import Objective
from soloc.estimators.selection import TYPICAL_ALPHA, first_of_largest
from soloc.estimators.starts import START_INSTANCES, best_of, best_starts
from soloc.estimators.thinning import thinned
from soloc.estimators.tickets import drawn, of_groups

MOST_BAGS = 1000  # of both halves together
FEWEST_BAGS = 20
FEWEST_STARTS = 8  # of each half, although the model may have had fewer
ITERATIONS = 20


class Agreement(NamedTuple):
    """Shares of bags of several instances on which fits name the same instance."""

    agreement: float  #: the model and the fits to both halves, all three
    chance_agreement: float  #: three that know nothing


def fits_to_halves(
    data: Data,
    kind: type[Objective],
    rival: Coefficients,
    groups: np.ndarray | None,
    n_starts: int,
    rng: np.random.Generator,
    tickets: np.ndarray,
    tol: float,
) -> list[Coefficients]:
    """Fits to two halves of the bags, from starts of their own; none where bags are few.

    A half that finds no better optimum than the `rival`, where the model begins, goes on from it:
    not to have found it says nothing against it.
    """
    if (data.instances.lengths > 1).sum() < FEWEST_BAGS:
        return []
    chosen = np.arange(len(data.y))
    if len(chosen) > 1.2 * MOST_BAGS:
        chosen = drawn(tickets, MOST_BAGS)
    members = chosen if groups is None else groups[chosen]
    members = np.unique(members, return_inverse=True)[1]
    rank = np.argsort(np.argsort(of_groups(tickets[chosen], members), kind="stable"))
    first = (rank < len(rank) / 2)[members]
    found = []
    for half in (chosen[first], chosen[~first]):
        if len(half) < FEWEST_BAGS // 2 or not varied(data.y[half]):
            return []
        part = data.part(half)
        searched = part._replace(alpha=TYPICAL_ALPHA * float(part.weights.sum()))
        pooled = fit_mean_pool(bag_means(part.instances), part.y, True, part.weights)
        start = best_starts(searched, {"": kind}, pooled, n_starts, rng, tickets[half], tol)[""]
        objective = kind(thinned(part, [start.key, rival.key], START_INSTANCES))
        start = best_of(objective, [start, rival], tol)
        fitted = fit_objective(objective, start, max_iter=ITERATIONS, tol=10 * tol)
        found.append(fitted.coefficients)
    return found


def agreement_of(data: Data, found: Coefficients, halves: Sequence[Coefficients]) -> Agreement:
    """How often the fits to both halves name the instance that the model names."""
    lengths = data.instances.lengths
    several = lengths > 1
    chance = float(np.mean(1.0 / lengths[several] ** 2)) if several.any() else 1.0
    if not halves:
        return Agreement(chance, chance)
    same = np.concatenate([named_alike(block, found, halves) for block in data.blocks()])
    return Agreement(float(np.mean(same[several])), chance)


def named_alike(data: Data, found: Coefficients, halves: Sequence[Coefficients]) -> np.ndarray:
    """Whether the fits to both halves name the instance that the model names, (n,)."""
    named = pointed_at(data, found)
    return np.all([pointed_at(data, fitted) == named for fitted in halves], axis=0)


def concentration_of(data: Data, found: Coefficients) -> tuple[Any, ...]:
    """Mean largest weight and effective number of instances, over bags of several, if any is."""
    return mean_concentration(
        np.concatenate(
            [
                largest_and_effective(block.read(found).attention, block.instances)
                for block in data.blocks()
            ]
        )
    )


def pointed_at(data: Data, found: Coefficients) -> np.ndarray:
    """Row of the instance with the largest weight of each bag."""
    return first_of_largest(data.read(found).attention, data.instances)


def varied(y: np.ndarray) -> bool:
    """Whether labels vary; of classes, whether there are two."""
    return bool((y != y[0]).any())
