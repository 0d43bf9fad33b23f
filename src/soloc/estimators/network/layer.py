"""One shared layer, a score and a value on it, and the gradients of both losses by hand.

h_l = relu(W z_l + w)                             the layer that score, value and context share
p_l = softmax(k . tanh(U h_l + u)) in the bag     P(instance l decides)
f_l = V h_l + C mean_l h_l + b                    what instance l says
"""

from typing import NamedTuple

import numpy as np

from soloc.estimators.network.batches import Batch


class Weights(NamedTuple):
    """Parameters of a network, float32; views of one flat vector."""

    hidden: np.ndarray  #: W, (d, units)
    bias: np.ndarray  #: w, (units,)
    key_hidden: np.ndarray  #: U, (units, key units)
    key_bias: np.ndarray  #: u, (key units,)
    key: np.ndarray  #: k, (key units,)
    value: np.ndarray  #: V, (units, outputs)
    context: np.ndarray  #: C, (units, outputs)
    intercept: np.ndarray  #: b, (outputs,)


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
        return sum(int(np.prod(shape)) for shape in self.shapes())

    def views(self, flat: np.ndarray) -> Weights:
        """The parameters as views of a flat vector."""
        shapes = self.shapes()
        ends = np.cumsum([int(np.prod(shape)) for shape in shapes])
        return Weights(*(p.reshape(s) for p, s in zip(np.split(flat, ends), shapes, strict=False)))


class Said(NamedTuple):
    """What a network says about a batch."""

    hidden: np.ndarray  #: h, (R, units)
    key_hidden: np.ndarray  #: tanh(U h + u), (R, key units)
    means: np.ndarray  #: mean of h in each bag, (n, units)
    attention: np.ndarray  #: p, (R,)
    values: np.ndarray  #: V h, (R, outputs)
    offset: np.ndarray  #: C mean h + b, (n, outputs)


def forward(weights: Weights, batch: Batch) -> Said:
    """One pass over the instances."""
    hidden = batch.x @ weights.hidden
    hidden += weights.bias
    np.maximum(hidden, 0, out=hidden)
    key_hidden = hidden @ weights.key_hidden
    key_hidden += weights.key_bias
    np.tanh(key_hidden, out=key_hidden)
    attention = batch.softmax(key_hidden @ weights.key)
    means = batch.total(hidden) / batch.lengths[:, None].astype(np.float32)
    offset = means @ weights.context + weights.intercept
    return Said(hidden, key_hidden, means, attention, hidden @ weights.value, offset)


def backward(
    weights: Weights, gradient: Weights, batch: Batch, said: Said, ds: np.ndarray, df: np.ndarray
) -> None:
    """Write the gradient of a loss whose derivatives by score and value are `ds` and `df`."""
    of_bags = batch.total(df)
    np.matmul(said.hidden.T, df, out=gradient.value)
    np.matmul(said.means.T, of_bags, out=gradient.context)
    gradient.intercept[:] = of_bags.sum(axis=0)
    np.matmul(said.key_hidden.T, ds, out=gradient.key)
    inner = said.key_hidden * said.key_hidden
    np.subtract(1, inner, out=inner)
    inner *= ds[:, None]
    inner *= weights.key
    np.matmul(said.hidden.T, inner, out=gradient.key_hidden)
    gradient.key_bias[:] = inner.sum(axis=0)
    outer = inner @ weights.key_hidden.T
    outer += df @ weights.value.T
    shared = of_bags @ weights.context.T
    shared /= batch.lengths[:, None].astype(np.float32)
    outer += batch.spread(shared)
    outer *= said.hidden > 0
    np.matmul(batch.x.T, outer, out=gradient.hidden)
    gradient.bias[:] = outer.sum(axis=0)
