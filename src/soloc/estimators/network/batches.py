"""Batches: instances of some bags in single precision, and sums within their bags."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.linalg import eigh

from soloc.estimators.instances import BLOCK, Instances

FARTHEST = 8.0  # standard units: what is rare in training says little, and must not shout later


class Batch(NamedTuple):
    """Instances of a few bags, one after the other, with the labels and weights of these bags.

    The bags of several members lie side by side: what is no product with a member's own parameters
    is then computed for all of them at once.
    """

    x: np.ndarray  #: (R, d), float32, in standard units
    starts: np.ndarray  #: where each bag begins, (n,)
    lengths: np.ndarray  #: (n,)
    y: np.ndarray  #: (n, outputs), float32
    weights: np.ndarray  #: of the bags, (n,), float32
    counts: np.ndarray  #: bags of each member, (members,)

    @property
    def parts(self) -> list[tuple[slice, slice]]:
        """Rows and bags of each member."""
        bags = [0, *np.cumsum(self.counts).tolist()]
        rows = [*self.starts[bags[:-1]].tolist(), len(self.x)]
        return [
            (slice(*each), slice(*some))
            for each, some in zip(pairwise(rows), pairwise(bags), strict=True)
        ]

    def of_members(self, per_bag: np.ndarray) -> np.ndarray:
        """Sum over the bags of each member, (members,)."""
        return np.add.reduceat(per_bag, np.cumsum(self.counts) - self.counts)

    def to_bags(self, per_member: np.ndarray) -> np.ndarray:
        """The entry of its member, for each bag."""
        return per_member.repeat(self.counts)

    def to_rows(self, per_member: np.ndarray) -> np.ndarray:
        """The entry of its member, for each instance; what is one for all where there is one."""
        if len(per_member) == 1:
            return per_member
        return per_member.repeat(self.of_members(self.lengths), axis=0)

    def total(self, flat: np.ndarray) -> np.ndarray:
        """Sum over the instances of each bag."""
        return np.add.reduceat(flat, self.starts, axis=0)

    def spread(self, per_bag: np.ndarray) -> np.ndarray:
        """The entry of its bag, for each instance."""
        return per_bag.repeat(self.lengths, axis=0)

    def softmax(self, scores: np.ndarray) -> np.ndarray:
        """Attention within each bag, (R,)."""
        shifted = scores - self.spread(np.maximum.reduceat(scores, self.starts))
        np.exp(shifted, out=shifted)
        shifted /= self.spread(self.total(shifted))
        return shifted


class Stock(NamedTuple):
    """All bags in single precision, from which batches are taken; instances that repeat once."""

    x: np.ndarray  #: distinct instances in standard units, float32
    rows: np.ndarray | None  #: which one each instance is; None where all are distinct
    starts: np.ndarray
    lengths: np.ndarray
    y: np.ndarray  #: (n, outputs), float32
    weights: np.ndarray  #: of the bags, one on average, (n,), float32

    def batch(self, bags: np.ndarray, counts: Sequence[int] = ()) -> Batch:
        """The given bags, in the given order; the first so many for the first member, and so on."""
        lengths = self.lengths[bags]
        offsets = np.cumsum(lengths) - lengths
        rows = np.repeat(self.starts[bags] - offsets, lengths) + np.arange(lengths.sum())
        if self.rows is not None:
            rows = self.rows[rows]
        members = np.array(counts if len(counts) else [len(bags)])
        x = self.x.take(rows, axis=0)
        return Batch(x, offsets, lengths, self.y[bags], self.weights[bags], members)

    def pieces(self, bags: np.ndarray, rows: int = 2 * BLOCK) -> list[np.ndarray]:
        """The bags in pieces of about so many instances, so that a pass needs little memory."""
        if len(bags) == 0:
            return []
        piece = np.cumsum(self.lengths[bags]) // rows
        return np.split(bags, np.flatnonzero(np.diff(piece)) + 1)


def stock_of(instances: Instances, y: np.ndarray, weights: np.ndarray) -> Stock:
    """A copy of the instances in standard units, clipped, in single precision."""
    x = np.empty(instances.x.shape, dtype=np.float32)
    inverse = 1.0 / instances.scale  # a constant feature is worth zero
    for start in range(0, len(x), BLOCK):
        part = slice(start, start + BLOCK)
        x[part] = np.clip((instances.x[part] - instances.centre) * inverse, -FARTHEST, FARTHEST)
    labels = y.reshape(len(y), -1).astype(np.float32)
    relative = (weights / weights.mean()).astype(np.float32)
    return Stock(x, instances.rows, instances.starts, instances.lengths, labels, relative)


def principal(stock: Stock, most: int) -> tuple[Stock, np.ndarray]:
    """The stock in its first principal components, and the matrix that leads there, (d, most).

    Few bags say nothing about more directions, and a network of fewer is faster. Scaled so that an
    instance stays as long as the count of its features asks.
    """
    d = stock.x.shape[1]
    gram = stock.x.T @ stock.x if d <= len(stock.x) else stock.x @ stock.x.T
    values, vectors = eigh(gram.astype(np.float64))
    values, vectors = values[::-1][:most], vectors[:, ::-1][:, :most]
    if d > len(stock.x):
        vectors = stock.x.T @ vectors / np.sqrt(np.maximum(values, 1e-9 * values[0] + 1e-30))
    matrix = (vectors * np.sqrt(vectors.shape[1] / d)).astype(np.float32)
    return stock._replace(x=stock.x @ matrix), matrix
