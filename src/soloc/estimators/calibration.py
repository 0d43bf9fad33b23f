"""Calibration: how far labels lie from leave-one-out predictions, and the intervals that follow.

Leaving bag i out moves its prediction away from its label: y_i - f_i becomes (y_i - f_i) / (1 -
h_i), with h_i the leverage of bag i in the Gauss-Newton problem of (k, v, c, b). The scores of all
bags then calibrate the intervals (conformal prediction with the approximate jackknife), so that
they hold although the fit has seen every bag. Bags that belong together (groups, or the same
decisive instance) are left out together, by fits without them.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.linalg import cholesky, solve_triangular
from scipy.special import ndtr

from soloc.estimators.coefficients import Coefficients, Reading, pooled_prediction
from soloc.estimators.instances import Instances
from soloc.estimators.objectives.data import Data
from soloc.estimators.objectives.objective import Objective
from soloc.estimators.objectives.squared import SquaredLoss
from soloc.estimators.ridge import weighted_gram
from soloc.estimators.selection import attempt

WIDEST = 3000  # parameters beyond which leverages use only the diagonal of the Gauss-Newton matrix


class LeftOut(NamedTuple):
    """What leaving each bag out, alone, would do."""

    residual: np.ndarray  #: label minus the prediction of the fit without the bag
    transform: np.ndarray  #: P(Y <= y) under that fit


def left_out_alone(data: Data, found: Coefficients) -> LeftOut:
    """Residual and integral transform of each bag, by its leverage; in blocks of bags."""
    influence = leverages(data, found)
    residuals, transforms, seen = [], [], 0
    for block in data.blocks():
        h, seen = influence[seen : seen + len(block.y)], seen + len(block.y)
        reading = block.read(found)
        residuals.append((block.y - pooled_prediction(reading, block.instances)) / (1 - h))
        moved = posterior_residual(block.y, reading, block.instances, found.noise)
        moved = block.y + moved * h / (1 - h)
        transforms.append(mixture_cdf(moved, reading, block.instances, found.noise))
    return LeftOut(np.concatenate(residuals), np.concatenate(transforms))


def leverages(data: Data, found: Coefficients) -> np.ndarray:
    """h_i of each bag: how much its own label moves its prediction, (n,)."""
    penalty = penalties(data)
    if len(penalty) > WIDEST:
        squares = (each.rows**2 * each.weights[:, None] for each in derivatives(data, found))
        diagonal = sum(each.sum(axis=0) for each in squares) + penalty
        parts = [rows**2 @ (1 / diagonal) for rows, _ in derivatives(data, found)]
    else:
        matrix = sum(weighted_gram(rows, weights) for rows, weights in derivatives(data, found))
        factor = cholesky(matrix + np.diag(penalty), lower=True, check_finite=False)
        parts = [
            (solve_triangular(factor, rows.T, lower=True, check_finite=False) ** 2).sum(axis=0)
            for rows, _ in derivatives(data, found)
        ]
    return np.clip(data.weights * np.concatenate(parts), 0.0, 0.9)


def penalties(data: Data) -> np.ndarray:
    """Penalty of each parameter of the Gauss-Newton problem: key, value, context, intercept."""
    d = data.instances.x.shape[1]
    alpha = data.alpha if data.value_alpha is None else data.value_alpha
    key = [data.alpha * data.key_share] * d
    value = [alpha] * (d if data.context is None else 2 * d)
    return np.array([*key, *value, *([0.0] if data.fit_intercept else [])]) + 1e-9 * len(data.y)


class Derivatives(NamedTuple):
    """Derivatives of the predictions of some bags in the parameters, and the bags' weights."""

    rows: np.ndarray
    weights: np.ndarray


def derivatives(data: Data, found: Coefficients) -> Iterator[Derivatives]:
    """Derivatives of the predictions in the parameters, some rows at a time."""
    for block in data.blocks():
        objective = SquaredLoss(block)
        attention, pooled = objective.pooled(found.key)
        parts = [objective.jacobian(attention, pooled, found.value), objective.features(pooled)]
        if data.fit_intercept:
            parts.append(np.ones((len(pooled), 1), dtype=pooled.dtype))
        for start in range(0, len(pooled), 4096):
            rows = slice(start, start + 4096)
            stacked = np.hstack([part[rows] for part in parts]).astype(np.float64)
            yield Derivatives(stacked, block.weights[rows])


def left_out_scores(
    data: Data,
    kind: type[Objective],
    start: Coefficients,
    folds: list[np.ndarray],
    tol: float,
) -> tuple[np.ndarray, np.ndarray]:
    """Prediction and probability integral transform of each bag by a fit without its fold.

    Used where bags come in groups: the leverages above leave out one bag, and the others of its
    group still know it.
    """
    trial = attempt(data, kind.__name__, kind, [start] * len(folds), folds, tol)
    transform = np.full(data.y.shape, np.nan)
    for fold, found in zip(folds, trial.found, strict=True):
        reading = data.read(found)
        transform[fold] = mixture_cdf(data.y, reading, data.instances, found.noise)[fold]
    return trial.predictions, transform


def mixture_cdf(y: np.ndarray, reading: Reading, instances: Instances, noise: float) -> np.ndarray:
    """P(Y <= y) of each bag under the Gaussian mixture over its instances."""
    z = (instances.spread(y - reading.offset) - reading.values) / noise
    return instances.total((reading.attention * ndtr(z).T).T)


def posterior_residual(
    y: np.ndarray, reading: Reading, instances: Instances, noise: float
) -> np.ndarray:
    """Distance of each label from the value of its instance, averaged over its posterior."""
    residual = instances.spread(y - reading.offset) - reading.values
    posterior = instances.softmax(
        np.log(np.maximum(reading.attention, 1e-30)) - 0.5 * (residual / noise) ** 2
    )
    return instances.total(posterior * residual)


def mixture_quantile(
    level: float | np.ndarray, reading: Reading, instances: Instances, noise: float
) -> np.ndarray:
    """Where the distribution function of the mixture reaches `level`, by bisection."""
    reach = noise * 12.0
    values = reading.values.astype(np.float64)
    low = np.minimum.reduceat(values, instances.starts) + reading.offset - reach
    high = np.maximum.reduceat(values, instances.starts) + reading.offset + reach
    for _ in range(60):
        middle = 0.5 * (low + high)
        below = mixture_cdf(middle, reading, instances, noise) < level
        low, high = np.where(below, middle, low), np.where(below, high, middle)
        if np.max(high - low) < 1e-9 * (1 + np.max(np.abs(middle))):
            break
    return 0.5 * (low + high)


class Calibration(NamedTuple):
    """Sorted sizes of errors of bags left out, and the weights of these bags, column by column."""

    scores: np.ndarray  #: (n,) or (n, outputs)
    weights: np.ndarray  #: of the same shape
    units: int  #: bags, or groups of bags, that are independent of each other

    def level(self, coverage: float) -> float | np.ndarray:
        """What the error of a new bag stays below with probability `coverage`."""
        if self.scores.ndim == 1:
            return conformal_level(self.scores, coverage, self.units, self.weights)
        columns = zip(self.scores.T, self.weights.T, strict=True)
        return np.array([conformal_level(each, coverage, self.units, w) for each, w in columns])


def calibration_of(scores: np.ndarray, weights: np.ndarray, units: int) -> Calibration:
    """Scores in order, with their weights; so many `units`, bags or groups, were left out."""
    order = np.argsort(scores, axis=0, kind="stable")
    return Calibration(np.take_along_axis(scores, order, axis=0), weights[order], units)


def conformal_level(
    scores: np.ndarray, coverage: float, units: int, weights: np.ndarray | None = None
) -> float:
    """The score that a new bag stays below with probability `coverage`, from sorted scores.

    A new unit, a bag or a group of bags, may lie anywhere among the others: their share is raised
    by (units + 1) / units.
    """
    n = len(scores)
    if weights is None or (weights == weights[0]).all():
        rank = int(np.ceil(coverage * n * (units + 1) / units * (1 - 1e-12))) - 1
    else:
        wanted = coverage * (units + 1) / units * weights.sum()
        rank = int(np.searchsorted(np.cumsum(weights), wanted * (1 - 1e-12)))
    return float(scores[min(max(rank, 0), n - 1)])
