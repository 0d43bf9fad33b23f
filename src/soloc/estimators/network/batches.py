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

    x: np.ndarray  #: (R, d + 1), float32, in standard units; the last column is one
    starts: np.ndarray  #: where each bag begins, (n,)
    lengths: np.ndarray  #: (n,)
    y: np.ndarray  #: (n, outputs), float32
    weights: np.ndarray  #: of the bags, (n,), float32
    counts: np.ndarray  #: bags of each member, (members,)

    parts: list[slice]  #: rows of each member

    @property
    def inverse_lengths(self) -> np.ndarray:
        """One over the length of each bag, (n, 1), in the precision of the instances."""
        return (1 / self.lengths[:, None]).astype(self.x.dtype)

    def of_members(self, per_bag: np.ndarray) -> np.ndarray:
        """Sum over the bags of each member, (members, ...)."""
        return np.add.reduceat(per_bag, np.cumsum(self.counts) - self.counts)

    def to_bags(self, per_member: np.ndarray) -> np.ndarray:
        """The entry of its member, for each bag."""
        return per_member.repeat(self.counts, axis=0)

    def to_rows(self, per_member: np.ndarray) -> np.ndarray:
        """The entry of its member, for each instance; what is one for all where there is one."""
        if len(per_member) == 1:
            return per_member
        return per_member.repeat([own.stop - own.start for own in self.parts], axis=0)

    def total(self, flat: np.ndarray) -> np.ndarray:
        """Sum over the instances of each bag."""
        return np.add.reduceat(flat, self.starts, axis=0)

    def spread(self, per_bag: np.ndarray) -> np.ndarray:
        """The entry of its bag, for each instance."""
        return per_bag.repeat(self.lengths, axis=0)

    def softmax(self, scores: np.ndarray) -> np.ndarray:
        """Attention within each bag, (R,)."""
        return self.posterior(scores)[0]

    def posterior(self, joint: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """exp(joint) over its sum in the bag, (R,), and the logarithm of that sum, (n,)."""
        top = np.maximum.reduceat(joint, self.starts)
        shifted = joint - self.spread(top)
        np.exp(shifted, out=shifted)
        total = self.total(shifted)
        shifted /= self.spread(total)
        return shifted, np.log(total) + top


def batch_of(
    x: np.ndarray,
    starts: np.ndarray,
    lengths: np.ndarray,
    y: np.ndarray,
    weights: np.ndarray,
    counts: Sequence[int] = (),
) -> Batch:
    """A batch of bags; the first so many for the first member, and so on, or all for one."""
    members = np.array(counts if len(counts) else [len(lengths)])
    firsts = starts[np.cumsum(members)[:-1]].tolist()
    parts = [slice(*ends) for ends in pairwise([0, *firsts, len(x)])]
    return Batch(x, starts, lengths, y, weights, members, parts)


class Stock(NamedTuple):
    """All bags in single precision, from which batches are taken; instances that repeat once."""

    x: np.ndarray  #: distinct instances in standard units, float32; the last column is one
    rows: np.ndarray | None  #: which one each instance is; None where all are distinct
    starts: np.ndarray
    lengths: np.ndarray
    y: np.ndarray  #: (n, outputs), float32
    weights: np.ndarray  #: of the bags, one on average, (n,), float32

    @property
    def width(self) -> int:
        """Features of an instance."""
        return self.x.shape[1] - 1

    def batch(self, bags: np.ndarray, counts: Sequence[int] = ()) -> Batch:
        """The given bags, in the given order; the first so many for the first member, and so on."""
        lengths = self.lengths[bags]
        offsets = np.cumsum(lengths) - lengths
        rows = np.repeat(self.starts[bags] - offsets, lengths) + np.arange(lengths.sum())
        if self.rows is not None:
            rows = self.rows[rows]
        return batch_of(
            self.x.take(rows, axis=0), offsets, lengths, self.y[bags], self.weights[bags], counts
        )

    def pieces(self, bags: np.ndarray, rows: int = 2 * BLOCK) -> list[np.ndarray]:
        """The bags in pieces of about so many instances, so that a pass needs little memory."""
        if len(bags) == 0:
            return []
        piece = np.cumsum(self.lengths[bags]) // rows
        return np.split(bags, np.flatnonzero(np.diff(piece)) + 1)


def stock_of(instances: Instances, y: np.ndarray, weights: np.ndarray) -> Stock:
    """A copy of the instances in standard units, clipped, in single precision."""
    x = np.ones((len(instances.x), instances.x.shape[1] + 1), dtype=np.float32)
    inverse = 1.0 / instances.scale  # a constant feature is worth zero
    for start in range(0, len(x), BLOCK):
        part = slice(start, start + BLOCK)
        standard = (instances.x[part] - instances.centre) * inverse
        np.clip(standard, -FARTHEST, FARTHEST, out=x[part, :-1], casting="same_kind")
    labels = y.reshape(len(y), -1).astype(np.float32)
    relative = (weights / weights.mean()).astype(np.float32)
    return Stock(x, instances.rows, instances.starts, instances.lengths, labels, relative)


def principal(stock: Stock, most: int) -> tuple[Stock, np.ndarray]:
    """The stock in its first principal components, and the matrix that leads there, (d, most).

    Few bags say nothing about more directions, and a network of fewer is faster. Scaled so that an
    instance stays as long as the count of its features asks.
    """
    x, d = stock.x[:, :-1], stock.width
    gram = x.T @ x if d <= len(x) else x @ x.T
    values, vectors = eigh(gram.astype(np.float64))
    values, vectors = values[::-1][:most], vectors[:, ::-1][:, :most]
    if d > len(x):
        vectors = x.T @ vectors / np.sqrt(np.maximum(values, 1e-9 * values[0] + 1e-30))
    matrix = (vectors * np.sqrt(vectors.shape[1] / d)).astype(np.float32)
    return stock._replace(x=np.column_stack([x @ matrix, stock.x[:, -1]])), matrix
