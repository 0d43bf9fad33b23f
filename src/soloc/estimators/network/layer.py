"""One shared layer, a score and a value on it, and the gradients of both losses by hand.

h_l = relu(W z_l + w)                             the layer that score, value and context share
p_l = softmax(k . tanh(U h_l + u)) in the bag     P(instance l decides)
f_l = V h_l + C mean_l h_l + b                    what instance l says
"""

from functools import cache
from itertools import accumulate, pairwise
from math import prod
from typing import NamedTuple

import numpy as np

from soloc.estimators.network.batches import Batch


class Weights(NamedTuple):
    """Parameters of networks, each with a first axis of members; views of flat vectors."""

    layer: np.ndarray  #: W over w, (members, d + 1, units)
    heads: np.ndarray  #: U, V and C side by side, (members, units, key units + 2 outputs)
    key_bias: np.ndarray  #: u, (members, key units)
    key: np.ndarray  #: k, (members, key units)
    intercept: np.ndarray  #: b, (members, outputs)

    @property
    def hidden(self) -> np.ndarray:
        """W, (members, d, units)."""
        return self.layer[:, :-1]

    @property
    def bias(self) -> np.ndarray:
        """w, (members, units)."""
        return self.layer[:, -1]

    @property
    def key_hidden(self) -> np.ndarray:
        """U, (members, units, key units)."""
        return self.heads[:, :, : self.key.shape[1]]

    @property
    def value(self) -> np.ndarray:
        """V, (members, units, outputs)."""
        first = self.key.shape[1]
        return self.heads[:, :, first : first + self.intercept.shape[1]]

    @property
    def context(self) -> np.ndarray:
        """C, (members, units, outputs)."""
        return self.heads[:, :, self.key.shape[1] + self.intercept.shape[1] :]


class Shape(NamedTuple):
    """Sizes of a network."""

    width: int
    units: int
    key_units: int
    outputs: int

    @property
    def size(self) -> int:
        """Number of parameters."""
        return places_of(self)[-1][0].stop

    def views(self, flat: np.ndarray) -> Weights:
        """The parameters as views of flat vectors, one for each member, (members, size)."""
        count = len(flat)
        return Weights(*(flat[:, place].reshape(count, *shape) for place, shape in places_of(self)))


@cache
def places_of(sizes: Shape) -> list[tuple[slice, tuple[int, ...]]]:
    """Where each parameter lies in a flat vector, and its shape; once, since every step asks."""
    d, m, q, c = sizes
    shapes: list[tuple[int, ...]] = [(d + 1, m), (m, q + 2 * c), (q,), (q,), (c,)]
    ends = [0, *accumulate(prod(shape) for shape in shapes)]
    return [(slice(*place), shape) for place, shape in zip(pairwise(ends), shapes, strict=True)]


class Said(NamedTuple):
    """What networks say about a batch; the last axis is that of instances or bags."""

    hidden: np.ndarray  #: h, (units, R)
    active: np.ndarray  #: bits that are set where h has a slope, (units, R)
    key_hidden: np.ndarray  #: tanh(U h + u), (key units, R)
    scores: np.ndarray  #: log p and a number of the bag, (R,)
    attention: np.ndarray  #: p, (R,)
    total: np.ndarray  #: sum of exp(scores) in each bag, (n,)
    values: np.ndarray  #: V h, (outputs, R)
    offset: np.ndarray  #: C mean h + b, (outputs, n)


def forward(weights: Weights, batch: Batch) -> Said:
    """One pass over the instances; parameters have a first axis of members.

    Only products with a member's own parameters are computed member by member.
    """
    (keys,), (outputs,) = weights.key.shape[1:], weights.intercept.shape[1:]
    rows, type_ = len(batch.x), weights.layer.dtype
    hidden = np.empty((weights.layer.shape[2], rows), dtype=type_)
    below = np.empty((weights.heads.shape[2], rows), dtype=type_)
    scores = np.empty(rows, dtype=type_)
    key_hidden, said = below[:keys], below[keys:]
    for own, layer in zip(batch.parts, weights.layer, strict=True):
        np.matmul(layer.T, batch.x[own].T, out=hidden[:, own])
    active = rectify(hidden)
    for own, heads, bias in zip(batch.parts, weights.heads, weights.key_bias, strict=True):
        np.matmul(heads.T, hidden[:, own], out=below[:, own])
        key_hidden[:, own] += bias[:, None]
    np.tanh(key_hidden, out=key_hidden)
    for own, key in zip(batch.parts, weights.key, strict=True):
        np.matmul(key, key_hidden[:, own], out=scores[own])
    scores = batch.shifted(scores)
    attention, total = batch.softmax(scores)
    offset = batch.total(said[outputs:])  # the mean of C h is C times that of h
    offset *= batch.inverse_lengths
    offset += batch.to_bags(weights.intercept.T)
    return Said(hidden, active, key_hidden, scores, attention, total, said[:outputs], offset)


def rectify(x: np.ndarray) -> np.ndarray:
    """max(x, 0) in place; bits that are all set where x was not negative, all clear elsewhere.

    By the sign bit: half of the time of comparing and multiplying.
    """
    bits = as_bits(x)
    kept = np.right_shift(bits, 8 * x.itemsize - 1)
    np.invert(kept, out=kept)
    bits &= kept
    return kept


def as_bits(x: np.ndarray) -> np.ndarray:
    """The same memory, read as integers."""
    return x.view(f"i{x.itemsize}")


def backward(
    weights: Weights, gradient: Weights, batch: Batch, said: Said, ds: np.ndarray, df: np.ndarray
) -> None:
    """Write the gradient of a loss whose derivatives by score and value are `ds` and `df`."""
    (keys,), outputs = weights.key.shape[1:], len(df)
    of_bags = batch.total(df)
    below = np.empty((weights.heads.shape[2], len(ds)), dtype=weights.heads.dtype)
    inner, outer = below[:keys], np.empty_like(said.hidden)
    np.multiply(said.key_hidden, said.key_hidden, out=inner)
    np.subtract(1, inner, out=inner)
    inner *= ds
    below[keys : keys + outputs] = df
    below[keys + outputs :] = batch.spread(of_bags * batch.inverse_lengths)
    for i, own in enumerate(batch.parts):
        inner[:, own] *= weights.key[i][:, None]
        np.matmul(said.hidden[:, own], below[:, own].T, out=gradient.heads[i])
        np.matmul(weights.heads[i], below[:, own], out=outer[:, own])
        np.matmul(said.key_hidden[:, own], ds[own], out=gradient.key[i])
    bits = as_bits(outer)
    bits &= said.active
    for i, own in enumerate(batch.parts):
        np.matmul(batch.x[own].T, outer[:, own].T, out=gradient.layer[i])
    gradient.key_bias[:] = batch.over_rows(inner).T
    gradient.intercept[:] = batch.over_bags(of_bags).T
