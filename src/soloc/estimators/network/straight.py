"""Half a linear value: beside what the network reads of an instance, what ridge regression reads.

A . z is relu(A . z) - relu(-A . z): a linear value is two units of the hidden layer, so that a
member stays a network of the same form. Attention stays as it was found.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from soloc.estimators.network.batches import Stock
from soloc.estimators.network.layer import Weights, forward
from soloc.estimators.ridge import ridge

PENALTIES = (1e-3, 1e-2, 1e-1)  # for each bag
MOST_BAGS = 16384  # to which the regression is fitted


class Half(NamedTuple):
    """A member half of whose value is linear, and what it says of its judges."""

    weights: Weights
    judged: np.ndarray  #: (judges, outputs)


def halves(
    weights: Weights, stock: Stock, seen: np.ndarray, judges: np.ndarray, said: np.ndarray
) -> Iterator[Half]:
    """One for each penalty; `said` is what the member as it is says of its judges."""
    seen = seen[:MOST_BAGS]
    features, of_judges = pooled(weights, stock, seen), pooled(weights, stock, judges)
    counted = stock.weights[seen].astype(np.float64)
    y = stock.y[seen].astype(np.float64)
    for penalty in PENALTIES:
        solved = ridge(features, y, counted, penalty * float(counted.sum()), True)
        linear = of_judges @ solved.coef + solved.intercept
        yield Half(mixed(weights, solved.coef, solved.intercept, 0.5), (said + linear) / 2)


def pooled(weights: Weights, stock: Stock, bags: np.ndarray) -> np.ndarray:
    """sum_l p_l z_l of some bags, (n, d)."""
    found = []
    for piece in stock.pieces(bags):
        batch = stock.batch(piece)
        attention = forward(weights, batch).attention
        found.append(np.add.reduceat(attention[:, None] * batch.x[:, :-1], batch.starts))
    return np.concatenate(found).astype(np.float64)


def unmixed(weights: Weights) -> Weights:
    """The same network with room for a linear value, which is zero."""
    width, outputs = weights.hidden.shape[1], weights.intercept.shape[1]
    return mixed(weights, np.zeros((width, outputs)), np.zeros(outputs), 0.0)


def mixed(weights: Weights, coef: np.ndarray, intercept: np.ndarray, share: float) -> Weights:
    """One member whose value is (1 - share) of what it was and `share` of coef . z + intercept."""
    (keys,), outputs = weights.key.shape[1:], len(intercept)
    columns = np.vstack([coef, np.zeros(outputs)])
    layer = np.hstack([weights.layer[0], columns, -columns])
    of_layer = weights.heads[0].copy()
    of_layer[:, keys:] *= 1 - share
    of_units = np.zeros((2 * outputs, of_layer.shape[1]))
    of_units[:outputs, keys : keys + outputs] = share * np.eye(outputs)
    of_units[outputs:, keys : keys + outputs] = -share * np.eye(outputs)
    kind = weights.layer.dtype
    return weights._replace(
        layer=layer[None].astype(kind),
        heads=np.vstack([of_layer, of_units])[None].astype(kind),
        intercept=((1 - share) * weights.intercept + share * intercept).astype(kind),
    )
