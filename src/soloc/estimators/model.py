"""The model: a head is a value, and what it says about tokens in standard units.

attention  p_l = softmax(z k)_l      values  z v + b (+ context . bag mean)      prediction  sum_l
p_l value_l
"""

from typing import NamedTuple

import numpy as np

from soloc.estimators.tokens import Tokens


class Head(NamedTuple):
    """One attention head in standard units: where it looks (key), what it reads (value), and how
    sure it is (noise)."""

    key: np.ndarray  #: (d,)
    value: np.ndarray  #: (d,), or (d, classes)
    context: np.ndarray | None  #: coefficients of the bag mean, shaped like value
    intercept: float | np.ndarray
    noise: float = 1.0  #: standard deviation of the label around the value of the decisive instance


class Reading(NamedTuple):
    """What a head says about bags: attention and value of each instance, and the offset of each
    bag.
    """

    attention: np.ndarray  #: (N,)
    values: np.ndarray  #: (N,) or (N, classes): z v
    offset: np.ndarray  #: (n,) or (n, classes): intercept and context


def read(head: Head, tokens: Tokens, context: np.ndarray | None) -> Reading:
    """Attention and values in one pass over the data."""
    out = tokens.values(np.column_stack([head.key, head.value]))
    attention = tokens.softmax(np.ascontiguousarray(out[:, 0]))
    values = out[:, 1:] if head.value.ndim == 2 else out[:, 1]
    shape = (len(tokens.bags), *head.value.shape[1:])
    offset = np.broadcast_to(np.asarray(head.intercept, dtype=np.float64), shape)
    if head.context is not None and context is not None:
        offset = offset + context @ head.context
    return Reading(attention, values, offset)


def pooled_prediction(reading: Reading, tokens: Tokens) -> np.ndarray:
    """sum_l p_l (value_l + offset) of each bag, (n,) or (n, classes)."""
    weighted = (reading.attention * reading.values.T).T
    return np.add.reduceat(weighted, tokens.starts).astype(np.float64) + reading.offset


def bag_means(tokens: Tokens) -> np.ndarray:
    """The mean of each bag in standard units, (n, d)."""
    return tokens.pool((1.0 / tokens.spread(tokens.lengths)).astype(tokens.dtype))
