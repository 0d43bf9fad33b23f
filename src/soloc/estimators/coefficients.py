"""Coefficients: the fitted numbers in standard units, and what they say about instances.

attention  p_l = softmax(z k)_l
values     z v + b (+ c . bag mean)
prediction sum_l p_l value_l
"""

from typing import NamedTuple

import numpy as np

from soloc.estimators.instances import Instances


class Coefficients(NamedTuple):
    """Where to look (key), what to read there (value), and how sure the answer is (noise)."""

    key: np.ndarray  #: (d,)
    value: np.ndarray  #: (d,), or (d, classes)
    context: np.ndarray | None  #: coefficients of the bag mean, shaped like value
    intercept: float | np.ndarray
    noise: float = 1.0  #: standard deviation of the label around the value of the decisive instance


class Reading(NamedTuple):
    """What coefficients say about bags."""

    attention: np.ndarray  #: of each instance, (N,)
    values: np.ndarray  #: z v of each instance, (N,) or (N, classes)
    offset: np.ndarray  #: intercept and context of each bag, (n,) or (n, classes)


def read(
    coefficients: Coefficients, instances: Instances, context: np.ndarray | None = None
) -> Reading:
    """Attention and values in one pass over the data."""
    out = instances.values(np.column_stack([coefficients.key, coefficients.value]))
    attention = instances.softmax(instances.counted(np.ascontiguousarray(out[:, 0])))
    values = out[:, 1:] if coefficients.value.ndim == 2 else out[:, 1]
    shape = (len(instances.bags), *coefficients.value.shape[1:])
    offset = np.broadcast_to(np.asarray(coefficients.intercept, dtype=np.float64), shape)
    if coefficients.context is not None and context is not None:
        offset = offset + context @ coefficients.context
    return Reading(attention, values, offset)


def pooled_prediction(reading: Reading, instances: Instances) -> np.ndarray:
    """sum_l p_l (value_l + offset) of each bag, (n,) or (n, classes)."""
    weighted = (reading.attention * reading.values.T).T
    return np.add.reduceat(weighted, instances.starts).astype(np.float64) + reading.offset


def bag_means(instances: Instances) -> np.ndarray:
    """The mean of each bag in standard units, (n, d)."""
    return instances.pool((1.0 / instances.spread(instances.lengths)).astype(instances.dtype))
