"""The context of few bags: a smooth function of what bags have in sum, where trees know nothing.

Kernel ridge regression with exp(-|u - w|^2 / D) on the D statistics of a bag (mean, deviation,
least and largest of each feature, and the length), each in units of its deviation over the bags.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from soloc.estimators.bags import Bags
from soloc.estimators.boosting import statistics
from soloc.estimators.instances import Instances

PENALTIES = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
LEAST_PROBABILITY = 0.01


class Kernel(NamedTuple):
    """A fitted kernel regression."""

    points: np.ndarray  #: statistics of the bags it was fitted to, in their units, (n, D)
    centre: np.ndarray  #: (D,)
    scale: np.ndarray  #: (D,); infinite for what never changes
    dual: np.ndarray  #: (n, outputs)
    middle: np.ndarray  #: mean label, (outputs,)

    def said(self, features: np.ndarray, classes: bool) -> np.ndarray:
        """Predictions, (n, outputs); probabilities where labels are classes."""
        near = likeness((features - self.centre) / self.scale, self.points)
        return (
            bounded(self.middle + near @ self.dual) if classes else self.middle + near @ self.dual
        )


def sums_of_bags(instances: Instances) -> np.ndarray:
    """What the kernel sees of each bag, (n, D)."""
    values = instances.standard(slice(0, instances.count))
    found = statistics(Bags(values, instances.bags.offsets))
    return np.column_stack([found, instances.lengths])


def fit_kernel(features: np.ndarray, y: np.ndarray, weights: np.ndarray, penalty: float) -> Kernel:
    """Ridge regression: a bag of weight two counts like the same bag twice."""
    share = weights / weights.sum()
    centre = share @ features
    deviation = np.sqrt(share @ (features - centre) ** 2)
    scale = np.where(deviation > 1e-9, deviation, np.inf)
    points, middle = (features - centre) / scale, share @ y
    matrix = likeness(points, points) + np.diag(penalty / weights)
    return Kernel(points, centre, scale, cho_solve(cho_factor(matrix), y - middle), middle)


def likeness(these: np.ndarray, those: np.ndarray) -> np.ndarray:
    """exp of minus the mean squared difference of each of these and those."""
    squares = (these**2).sum(axis=1)[:, None] + (those**2).sum(axis=1) - 2 * these @ those.T
    return np.exp(-np.maximum(squares, 0.0) / these.shape[1])


def bounded(scores: np.ndarray) -> np.ndarray:
    """Regressions of indicators as probabilities."""
    kept = np.maximum(scores, LEAST_PROBABILITY)
    return kept / kept.sum(axis=1, keepdims=True)
