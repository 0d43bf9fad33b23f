"""What an ensemble says about bags, in double precision: other bags move last bits at most."""

import numpy as np

from soloc.estimators.coefficients import Reading
from soloc.estimators.instances import Instances
from soloc.estimators.network.batches import FARTHEST, Stock
from soloc.estimators.network.layer import Weights, forward
from soloc.estimators.network.member import Member
from soloc.estimators.selection import first_of_largest

ABOVE = 1 + 1e-6  # times the mean weight: less is how equal weights are rounded


def stacked(members: list[Member]) -> Weights:
    """The parameters of all members, each with a first axis of members."""
    return Weights(*map(np.concatenate, zip(*(m.weights for m in members), strict=True)))


def one_of(weights: Weights, number: int) -> Weights:
    """The parameters of one member, in double precision."""
    return Weights(*(each[number : number + 1].astype(np.float64) for each in weights))


def read_ensemble(weights: Weights, instances: Instances) -> tuple[Reading, np.ndarray]:
    """Mean attention, value and offset of the members, and the attention of each, (members, N).

    The value of an instance is weighted by how much each member attends to it, so that weights
    times values add up to the mean prediction.
    """
    count, outputs = weights.intercept.shape
    members = [one_of(weights, number) for number in range(count)]
    attention = np.empty((count, instances.count))
    contribution = np.zeros((instances.count, outputs))
    offset = np.zeros((len(instances.bags), outputs))
    nothing = np.zeros((len(instances.bags), 0), dtype=np.float32)
    equal = np.ones(len(offset), dtype=np.float32)
    frame = Stock(instances.x, instances.rows, instances.starts, instances.lengths, nothing, equal)
    for bags in frame.pieces(np.arange(len(offset))):
        first = instances.starts[bags[0]]
        rows = slice(first, instances.starts[bags[-1]] + instances.lengths[bags[-1]])
        starts = instances.starts[bags] - first
        x = np.clip(instances.standard(rows), -FARTHEST, FARTHEST)
        x = np.column_stack([x, np.ones(len(x))])
        here = Stock(x, None, starts, instances.lengths[bags], nothing[bags], equal[bags])
        batch = here.batch(np.arange(len(bags)))
        for number, member in enumerate(members):
            said = forward(member, batch)
            attention[number, rows] = said.attention
            contribution[rows] += (said.attention * said.values).T / count
            offset[bags] += said.offset.T / count
    mean = attention.mean(axis=0)
    values = contribution / np.maximum(mean, 1e-300)[:, None]
    return Reading(mean, values, offset), attention


def named_by(attention: np.ndarray, instances: Instances) -> np.ndarray:
    """Row of the instance that each member names in each bag, (members, n).

    Who attends to all alike names none: a number below zero that no other member has.
    """
    named = np.stack([first_of_largest(each, instances) for each in attention])
    highest = np.take_along_axis(attention, named, axis=1)
    nobody = -1 - np.arange(len(named))[:, None]
    return np.where((instances.lengths > 1) & (highest * instances.lengths < ABOVE), nobody, named)


def pairs_agree(named: np.ndarray, several: np.ndarray) -> float:
    """Share of bags of several instances on which two members name the same one."""
    if not several.any() or len(named) < 2:
        return 1.0
    same = [(named[i] == named[j])[several].mean() for i in range(len(named)) for j in range(i)]
    return float(np.mean(same))
