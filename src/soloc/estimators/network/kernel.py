"""The context of few bags: a smooth function of what bags have in sum, where trees know nothing.

Kernel regression with 1 / (1 + 3 |u - w|^2 / D) on the D statistics of a bag (mean, deviation,
least and largest of each feature, and the length), each in units of its deviation over the bags:
squared errors of numbers, the logistic loss of each class against the others.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.special import expit

from soloc.estimators.bags import Bags
from soloc.estimators.boosting import statistics
from soloc.estimators.instances import BLOCK, Instances

PENALTIES = (3.0, 1.0, 0.3, 0.1, 0.03, 0.01)
PENALTIES_OF_CLASSES = (3.0, 1.0, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001)
NARROW = 3.0  # in the kernel
LEAST_CURVATURE = 0.01  # of a logistic loss: steps beyond it would be too long
STEPS, CLOSE = 50, 1e-3  # of Newton's method; the change of a logit that ends it
ROWS = 2048  # bags at a time


class Kernel(NamedTuple):
    """A fitted kernel regression."""

    points: np.ndarray  #: statistics of the bags it was fitted to, in their units, (n, D)
    centre: np.ndarray  #: (D,)
    scale: np.ndarray  #: (D,); infinite for what never changes
    dual: np.ndarray  #: (n, outputs)
    middle: np.ndarray  #: mean label, or logit, (outputs,)

    def said(self, features: np.ndarray, classes: bool) -> np.ndarray:
        """Predictions, (n, outputs); probabilities where labels are classes."""
        found = np.empty((len(features), len(self.middle)))
        for start in range(0, len(features), ROWS):
            part = slice(start, start + ROWS)
            near = likeness((features[part] - self.centre) / self.scale, self.points)
            found[part] = self.middle + near @ self.dual
        if not classes:
            return found
        found = expit(found)
        return found / found.sum(axis=1, keepdims=True)


def sums_of_bags(instances: Instances) -> np.ndarray:
    """What the kernel sees of each bag, (n, D)."""
    found = []
    for bags in instances.few_bags(BLOCK):
        rows = instances.rows_of(bags)
        offsets = instances.bags.offsets[bags.start : bags.stop + 1]
        found.append(statistics(Bags(instances.standard(rows), offsets - rows.start)))
    return np.column_stack([np.concatenate(found), instances.lengths])


def fit_kernels(
    features: np.ndarray,
    y: np.ndarray,
    weights: np.ndarray,
    penalties: tuple[float, ...],
    classes: bool,
) -> list[Kernel]:
    """One for each penalty, falling: a bag of weight two counts like the same bag twice."""
    share = weights / weights.sum()
    centre = share @ features
    deviation = np.sqrt(share @ (features - centre) ** 2)
    scale = np.where(deviation > 1e-9, deviation, np.inf)
    points = (features - centre) / scale
    near = likeness(points, points)
    solve = logistic if classes else ridge
    return [Kernel(points, centre, scale, *found) for found in solve(near, y, weights, penalties)]


class Solved(NamedTuple):
    """Coefficients of a kernel regression."""

    dual: np.ndarray
    middle: np.ndarray


def ridge(
    near: np.ndarray, y: np.ndarray, weights: np.ndarray, penalties: tuple[float, ...]
) -> list[Solved]:
    """Squared errors about the mean label."""
    middle = weights @ y / weights.sum()
    factors = (cho_factor(near + np.diag(penalty / weights)) for penalty in penalties)
    return [Solved(cho_solve(factor, y - middle), middle) for factor in factors]


def logistic(
    near: np.ndarray, y: np.ndarray, weights: np.ndarray, penalties: tuple[float, ...]
) -> list[Solved]:
    """Each class against the others; of two classes one is the other's mirror."""
    columns = y.T[1:] if y.shape[1] == 2 else y.T
    found = []
    logits = np.zeros(y.shape[::-1])[: len(columns)]
    for penalty in penalties:  # each starts where the one before has ended
        each = [
            newton(near, column, weights, penalty, start)
            for column, start in zip(columns, logits, strict=True)
        ]
        dual = np.column_stack([one.dual for one in each])
        middle = np.array([one.middle for one in each])
        logits = (near @ dual + middle).T
        if y.shape[1] == 2:
            dual, middle = np.hstack([-dual, dual]), np.hstack([-middle, middle])
        found.append(Solved(dual, middle))
    return found


def newton(
    near: np.ndarray, y: np.ndarray, weights: np.ndarray, penalty: float, logits: np.ndarray
) -> Solved:
    """f = K a + b with penalty a = w (y - P(f)) and sum(a) = 0, by weighted least squares."""
    for _ in range(STEPS):
        probability = expit(logits)
        curvature = weights * np.maximum(probability * (1 - probability), LEAST_CURVATURE)
        wanted = logits + weights * (y - probability) / curvature
        factor = cho_factor(near + np.diag(penalty / curvature))
        of_wanted, of_one = cho_solve(factor, np.column_stack([wanted, np.ones(len(y))])).T
        middle = of_wanted.sum() / of_one.sum()
        dual = of_wanted - middle * of_one
        before, logits = logits, near @ dual + middle
        if np.abs(logits - before).max() < CLOSE:
            break
    return Solved(dual, middle)


def likeness(these: np.ndarray, those: np.ndarray) -> np.ndarray:
    """1 / (1 + 3 times the mean squared difference) of each of these and those."""
    squares = (these**2).sum(axis=1)[:, None] + (those**2).sum(axis=1) - 2 * these @ those.T
    return 1 / (1 + NARROW * np.maximum(squares, 0.0) / these.shape[1])
