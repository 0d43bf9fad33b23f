"""Batches: instances of some bags in single precision, and sums within their bags."""

from collections.abc import Iterator, Sequence
from itertools import accumulate, chain, pairwise
from typing import NamedTuple

import numpy as np
from scipy.linalg import eigh

from soloc.estimators.instances import BLOCK, Instances

FARTHEST = 8.0  # standard units: what is rare in training says little, and must not shout later


class Batch(NamedTuple):
    """Instances of a few bags, one after the other, with the labels and shares of these bags.

    The bags of several members lie side by side: what is no product with a member's own parameters
    is then computed for all of them at once. The last axis is that of bags or instances, and sums
    and entries of bags go along it.
    """

    x: np.ndarray  #: (R, d + 1), float32, in standard units; the last column is one
    starts: np.ndarray  #: where each bag begins, (n,)
    owner: np.ndarray  #: the bag of each instance, (R,)
    y: np.ndarray  #: (outputs, n), float32
    share: np.ndarray  #: of each bag in the mean over the bags of its member, (n,)
    inverse_lengths: np.ndarray  #: (n,)
    counts: np.ndarray  #: bags of each member, (members,)
    first_bags: np.ndarray  #: the first bag of each member, (members,)
    first_rows: np.ndarray  #: the first instance of each member, (members,)
    parts: list[slice]  #: instances of each member

    def over_bags(self, per_bag: np.ndarray) -> np.ndarray:
        """Sum over the bags of each member, (..., members)."""
        return np.add.reduceat(per_bag, self.first_bags, axis=-1)

    def over_rows(self, flat: np.ndarray) -> np.ndarray:
        """Sum over the instances of each member, (..., members)."""
        return np.add.reduceat(flat, self.first_rows, axis=-1)

    def to_bags(self, per_member: np.ndarray) -> np.ndarray:
        """The entry of its member, for each bag; what is one for all where there is one."""
        if len(self.counts) == 1:
            return per_member
        return per_member.repeat(self.counts, axis=-1)

    def to_rows(self, per_member: np.ndarray) -> np.ndarray:
        """The entry of its member, for each instance; what is one for all where there is one."""
        if len(self.counts) == 1:
            return per_member
        return self.spread(self.to_bags(per_member))

    def total(self, flat: np.ndarray) -> np.ndarray:
        """Sum over the instances of each bag."""
        return np.add.reduceat(flat, self.starts, axis=-1)

    def spread(self, per_bag: np.ndarray) -> np.ndarray:
        """The entry of its bag, for each instance."""
        return per_bag.take(self.owner, axis=-1)

    def shifted(self, scores: np.ndarray) -> np.ndarray:
        """Scores minus the largest of the bag, (R,)."""
        return scores - self.spread(np.maximum.reduceat(scores, self.starts))

    def softmax(self, shifted: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """exp of shifted scores over its sum in the bag, (R,), and this sum, (n,)."""
        found = np.exp(shifted)
        total = self.total(found)
        found *= self.spread(1 / total)
        return found, total


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

    def batch(self, *bags: np.ndarray) -> Batch:
        """The given bags, in the given order: those of the first member, and so on."""
        return next(self.batches([bags]))

    def batches(self, steps: Sequence[Sequence[np.ndarray]]) -> Iterator[Batch]:
        """One batch for each step, which names the bags of each member; counted all at once."""
        counts = np.array([[len(each) for each in step] for step in steps])
        bags = np.concatenate([*chain.from_iterable(steps)])
        lengths = self.lengths[bags]
        ends = np.cumsum(lengths)
        per_step, last_bag = counts.sum(axis=1), np.cumsum(counts.ravel())
        row_ends = ends[last_bag - 1].reshape(counts.shape)
        first_bag = np.cumsum(per_step) - per_step
        first_row = np.concatenate([[0], row_ends[:-1, -1]])
        places = np.repeat(self.starts[bags] - (ends - lengths), lengths)
        places += np.arange(len(places))
        if self.rows is not None:
            places = self.rows[places]
        starts = ends - lengths - np.repeat(first_row, per_step)
        owner = np.repeat(np.arange(len(bags)) - np.repeat(first_bag, per_step), lengths)
        labels, weights = np.ascontiguousarray(self.y[bags].T), self.weights[bags]
        total = np.add.reduceat(weights, last_bag - counts.ravel())
        share = weights / np.repeat(total, counts.ravel())
        inverse = (1 / lengths).astype(self.x.dtype)
        begun = np.column_stack([first_row, row_ends]) - first_row[:, None]
        of_members = np.cumsum(counts, axis=1) - counts
        for step, (bag, row) in enumerate(
            zip(
                pairwise([0, *accumulate(per_step.tolist())]),
                pairwise([0, *row_ends[:, -1].tolist()]),
                strict=True,
            )
        ):
            of_bags, of_rows = slice(*bag), slice(*row)
            yield Batch(
                self.x.take(places[of_rows], axis=0),
                starts[of_bags],
                owner[of_rows],
                labels[:, of_bags],
                share[of_bags],
                inverse[of_bags],
                counts[step],
                of_members[step],
                begun[step, :-1],
                [slice(*ends_of) for ends_of in pairwise(begun[step].tolist())],
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
