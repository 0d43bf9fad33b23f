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
    """What networks say about a batch."""

    hidden: np.ndarray  #: h, (R, units)
    key_hidden: np.ndarray  #: tanh(U h + u), (R, key units)
    attention: np.ndarray  #: p, (R,)
    values: np.ndarray  #: V h, (R, outputs)
    offset: np.ndarray  #: C mean h + b, (n, outputs)


def forward(weights: Weights, batch: Batch) -> Said:
    """One pass over the instances; parameters have a first axis of members.

    Only products with a member's own parameters are computed member by member.
    """
    (keys,), (outputs,) = weights.key.shape[1:], weights.intercept.shape[1:]
    rows, type_ = len(batch.x), weights.layer.dtype
    hidden = np.empty((rows, weights.layer.shape[2]), dtype=type_)
    below = np.empty((rows, weights.heads.shape[2]), dtype=type_)
    scores = np.empty(rows, dtype=type_)
    for own, layer in zip(batch.parts, weights.layer, strict=True):
        np.matmul(batch.x[own], layer, out=hidden[own])
    rectify(hidden)
    for own, heads in zip(batch.parts, weights.heads, strict=True):
        np.matmul(hidden[own], heads, out=below[own])
    key_hidden = below[:, :keys] + batch.to_rows(weights.key_bias)
    np.tanh(key_hidden, out=key_hidden)
    for own, key in zip(batch.parts, weights.key, strict=True):
        np.matmul(key_hidden[own], key, out=scores[own])
    offset = batch.total(below[:, keys + outputs :])  # the mean of C h is C times that of h
    offset *= batch.inverse_lengths
    offset += batch.to_bags(weights.intercept)
    return Said(hidden, key_hidden, batch.softmax(scores), below[:, keys : keys + outputs], offset)


def rectify(x: np.ndarray) -> None:
    """max(x, 0) in place and to the last bit, as (x + |x|) / 2: two thirds of the time."""
    x += np.abs(x)
    x *= 0.5


def backward(
    weights: Weights, gradient: Weights, batch: Batch, said: Said, ds: np.ndarray, df: np.ndarray
) -> None:
    """Write the gradient of a loss whose derivatives by score and value are `ds` and `df`."""
    of_bags = batch.total(df)
    (keys,), outputs = weights.key.shape[1:], df.shape[1]
    below = np.empty((len(df), weights.heads.shape[2]), dtype=weights.heads.dtype)
    inner = below[:, :keys]
    np.multiply(said.key_hidden, said.key_hidden, out=inner)
    np.subtract(1, inner, out=inner)
    inner *= ds[:, None]
    inner *= batch.to_rows(weights.key)
    below[:, keys : keys + outputs] = df
    below[:, keys + outputs :] = batch.spread(of_bags * batch.inverse_lengths)
    outer = np.empty_like(said.hidden)
    ones = np.ones(len(df), dtype=df.dtype)
    for i, own in enumerate(batch.parts):
        here = below[own]
        np.matmul(said.hidden[own].T, here, out=gradient.heads[i])
        np.matmul(here, weights.heads[i].T, out=outer[own])
        np.matmul(ones[own], inner[own], out=gradient.key_bias[i])
        np.matmul(ds[own], said.key_hidden[own], out=gradient.key[i])
    outer *= said.hidden > 0
    for i, own in enumerate(batch.parts):
        np.matmul(batch.x[own].T, outer[own], out=gradient.layer[i])
    gradient.intercept[:] = batch.of_members(of_bags)
