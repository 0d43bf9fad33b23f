"""Calibration: how far labels lie from leave-one-out predictions, and the intervals that follow.

Leaving bag i out moves its prediction away from its label: y_i - f_i becomes (y_i - f_i) / (1 -
h_i), with h_i the leverage of bag i in the Gauss-Newton problem of (k, v, c, b). The scores of all
bags then calibrate the intervals (conformal prediction with the approximate jackknife), so that
they hold although the fit has seen every bag. Bags that belong together (groups, or the same
decisive instance) are left out together, by fits without them.
"""

import numpy as np
from scipy.linalg import cholesky, solve_triangular
from scipy.special import ndtr

from soloc.estimators.coefficients import Coefficients, Reading
from soloc.estimators.instances import Instances
from soloc.estimators.objectives.data import Data
from soloc.estimators.objectives.objective import Objective
from soloc.estimators.objectives.squared import SquaredLoss
from soloc.estimators.ridge import weighted_gram
from soloc.estimators.selection import attempt

WIDEST = 3000  # parameters beyond which leverages use only the diagonal of the Gauss-Newton matrix


def leverages(objective: SquaredLoss, fitted: Coefficients) -> np.ndarray:
    """h_i of each bag: how much its own label moves its prediction, (n,)."""
    attention, pooled = objective.pooled(fitted.key)
    blocks = [objective.jacobian(attention, pooled, fitted.value), pooled]
    if objective.context is not None:
        blocks.append(objective.context)
    data = objective.data
    alpha = data.alpha if data.value_alpha is None else data.value_alpha
    penalties = [np.full(block.shape[1], alpha) for block in blocks]
    penalties[0][:] = objective.key_penalty
    if objective.fit_intercept:
        blocks.append(np.ones((len(pooled), 1), dtype=pooled.dtype))
        penalties.append(np.zeros(1))
    penalty = np.concatenate(penalties) + 1e-9 * len(pooled)
    h = np.empty(len(pooled))
    parts = [slice(start, start + 4096) for start in range(0, len(pooled), 4096)]
    if len(penalty) > WIDEST:
        diagonal = (
            sum(np.concatenate([(b[part] ** 2.0).sum(axis=0) for b in blocks]) for part in parts)
            + penalty
        )
        for part in parts:
            h[part] = np.hstack([b[part] for b in blocks]) ** 2.0 @ (1 / diagonal)
        return np.clip(h, 0.0, 0.9)
    matrix = np.diag(penalty)
    for part in parts:
        rows = np.hstack([b[part] for b in blocks]).astype(np.float64)
        matrix += weighted_gram(rows, np.ones(len(rows)))
    factor = cholesky(matrix, lower=True, check_finite=False)
    for part in parts:
        rows = np.hstack([b[part] for b in blocks]).astype(np.float64)
        h[part] = (solve_triangular(factor, rows.T, lower=True, check_finite=False) ** 2).sum(
            axis=0
        )
    return np.clip(h, 0.0, 0.9)


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
    transform = np.full(len(data.y), np.nan)
    for fold, found in zip(folds, trial.found, strict=True):
        reading = data.read(found)
        transform[fold] = mixture_cdf(data.y, reading, data.instances, found.noise)[fold]
    return trial.predictions, transform


def mixture_cdf(y: np.ndarray, reading: Reading, instances: Instances, noise: float) -> np.ndarray:
    """P(Y <= y) of each bag under the Gaussian mixture over its instances."""
    z = (instances.spread(y - reading.offset) - reading.values) / noise
    return instances.total(reading.attention * ndtr(z))


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
    level: float, reading: Reading, instances: Instances, noise: float
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


def conformal_level(scores: np.ndarray, coverage: float) -> float:
    """The score that a new bag stays below with probability `coverage`, from sorted scores."""
    rank = int(np.ceil(coverage * (len(scores) + 1))) - 1
    return float(scores[min(max(rank, 0), len(scores) - 1)])
