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

    hidden: np.ndarray  #: W, (members, d, units)
    bias: np.ndarray  #: w, (members, units)
    key_hidden: np.ndarray  #: U, (members, units, key units)
    key_bias: np.ndarray  #: u, (members, key units)
    key: np.ndarray  #: k, (members, key units)
    value: np.ndarray  #: V, (members, units, outputs)
    context: np.ndarray  #: C, (members, units, outputs)
    intercept: np.ndarray  #: b, (members, outputs)


class Shape(NamedTuple):
    """Sizes of a network."""

    width: int
    units: int
    key_units: int
    outputs: int

    def shapes(self) -> Weights:
        """The shape of each parameter."""
        d, m, q, c = self
        shapes = ((d, m), (m,), (m, q), (q,), (q,), (m, c), (m, c), (c,))
        return Weights(*shapes)  # type: ignore[arg-type]

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
    shapes = [tuple(shape) for shape in sizes.shapes()]
    ends = [0, *accumulate(prod(shape) for shape in shapes)]
    return [(slice(*place), shape) for place, shape in zip(pairwise(ends), shapes, strict=True)]


class Said(NamedTuple):
    """What networks say about a batch."""

    hidden: np.ndarray  #: h, (R, units)
    key_hidden: np.ndarray  #: tanh(U h + u), (R, key units)
    attention: np.ndarray  #: p, (R,)
    values: np.ndarray  #: V h, (R, outputs)
    offset: np.ndarray  #: C mean h + b, (n, outputs)


def heads_of(weights: Weights) -> np.ndarray:
    """U, V and C side by side, (members, units, key units + 2 outputs): one product for three."""
    return np.concatenate([weights.key_hidden, weights.value, weights.context], axis=2)


def forward(weights: Weights, batch: Batch) -> Said:
    """One pass over the instances; parameters have a first axis of members."""
    parts, rows, heads = batch.parts, len(batch.x), heads_of(weights)
    units, keys, outputs = weights.value.shape[1], *weights.key.shape[1:], *weights.value.shape[2:]
    hidden = np.empty((rows, units), dtype=heads.dtype)
    below = np.empty((rows, heads.shape[2]), dtype=heads.dtype)
    for i, (own, _) in enumerate(parts):
        layer = hidden[own]
        np.matmul(batch.x[own], weights.hidden[i], out=layer)
        layer += weights.bias[i]
        rectify(layer)
        np.matmul(layer, heads[i], out=below[own])
    scores = np.empty(rows, dtype=heads.dtype)
    key_hidden = below[:, :keys] + batch.to_rows(weights.key_bias)
    np.tanh(key_hidden, out=key_hidden)
    for i, (own, _) in enumerate(parts):
        np.matmul(key_hidden[own], weights.key[i], out=scores[own])
    values = below[:, keys : keys + outputs]
    offset = batch.total(below[:, keys + outputs :])  # the mean of C h is C times that of h
    offset /= batch.lengths[:, None].astype(np.float32)
    offset += np.repeat(weights.intercept, batch.counts, axis=0)
    return Said(hidden, key_hidden, batch.softmax(scores), values, offset)


def rectify(x: np.ndarray) -> None:
    """max(x, 0) in place and to the last bit, as (x + |x|) / 2: two thirds of the time."""
    x += np.abs(x)
    x *= 0.5


def backward(
    weights: Weights, gradient: Weights, batch: Batch, said: Said, ds: np.ndarray, df: np.ndarray
) -> None:
    """Write the gradient of a loss whose derivatives by score and value are `ds` and `df`."""
    parts, heads, of_bags = batch.parts, heads_of(weights), batch.total(df)
    keys, outputs, ones = weights.key.shape[1], df.shape[1], np.ones(len(df), dtype=df.dtype)
    below = np.empty((len(df), heads.shape[2]), dtype=heads.dtype)
    inner = below[:, :keys]
    np.multiply(said.key_hidden, said.key_hidden, out=inner)
    np.subtract(1, inner, out=inner)
    inner *= ds[:, None]
    inner *= batch.to_rows(weights.key)
    below[:, keys : keys + outputs] = df
    spread = of_bags / batch.lengths[:, None].astype(np.float32)
    below[:, keys + outputs :] = batch.spread(spread)
    for i, (own, bags) in enumerate(parts):
        of_heads = said.hidden[own].T @ below[own]
        gradient.key_hidden[i] = of_heads[:, :keys]
        gradient.value[i] = of_heads[:, keys : keys + outputs]
        gradient.context[i] = of_heads[:, keys + outputs :]
        np.matmul(ones[own], inner[own], out=gradient.key_bias[i])
        gradient.intercept[i] = of_bags[bags].sum(axis=0)
        np.matmul(ds[own], said.key_hidden[own], out=gradient.key[i])
        outer = below[own] @ heads[i].T
        outer *= said.hidden[own] > 0
        np.matmul(batch.x[own].T, outer, out=gradient.hidden[i])
        np.matmul(ones[own], outer, out=gradient.bias[i])
