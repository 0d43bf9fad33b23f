"""Mean-pool ridge: the baseline that looks at no instance in particular, left out exactly."""

from typing import NamedTuple

import numpy as np
from scipy.linalg import eigh

from soloc.estimators.ridge import ridge, weighted_gram


class MeanPool(NamedTuple):
    """Ridge regression of the label on the bag mean, with the best leave-one-out ridge."""

    coef: np.ndarray  #: (d,) or (d, outputs)
    intercept: np.ndarray
    alpha: float
    left_out: np.ndarray  #: prediction of each bag by the fit without it


def without_folds(
    pooled: MeanPool, means: np.ndarray, y: np.ndarray, folds: list[np.ndarray], fit_intercept: bool
) -> MeanPool:
    """The same ridge, each bag predicted by the fit without its fold; the folds cover all bags."""
    left_out = np.empty_like(pooled.left_out)
    for fold in folds:
        solved = ridge(means, y, (~fold).astype(float), pooled.alpha, fit_intercept)
        left_out[fold] = means[fold] @ solved.coef + solved.intercept
    return pooled._replace(left_out=left_out)


def fit_mean_pool(means: np.ndarray, y: np.ndarray, fit_intercept: bool) -> MeanPool:
    """Ridge path by one eigendecomposition; leave-one-out by the leverages."""
    targets = y.reshape(len(y), -1)
    n, d = means.shape
    ones = np.ones(n)
    centre = means.mean(axis=0, dtype=np.float64) if fit_intercept else np.zeros(d)
    middle = targets.mean(axis=0) if fit_intercept else np.zeros(targets.shape[1])
    if d <= n:
        eigenvalues, vectors = eigh(weighted_gram(means, ones) - n * np.outer(centre, centre))
        rotated = means @ vectors.astype(means.dtype) - (centre @ vectors).astype(means.dtype)
    else:
        features = means - centre
        eigenvalues, left = eigh(features.astype(np.float64) @ features.T.astype(np.float64))
        eigenvalues = np.maximum(eigenvalues, 0.0)
        vectors = (
            features.T @ left / np.sqrt(np.maximum(eigenvalues, 1e-12 * eigenvalues.max() + 1e-300))
        )
        rotated = left * np.sqrt(eigenvalues)
    eigenvalues = np.maximum(eigenvalues, 0.0)
    projections = rotated.T.astype(np.float64) @ (targets - middle)
    best: tuple[float, float, np.ndarray] | None = None
    for alpha in n * np.geomspace(3.0, 3e-6, 13):
        shrunk = projections / (eigenvalues + alpha)[:, None]
        leverage = rotated.astype(np.float64) ** 2 @ (1 / (eigenvalues + alpha)) + (
            1 / n if fit_intercept else 0.0
        )
        residual = targets - middle - rotated @ shrunk
        residual /= np.maximum(1 - leverage, 1e-10)[:, None]
        error = float((residual**2).sum())
        if best is None or error < best[0]:
            best = error, float(alpha), residual
            coef = vectors @ shrunk
    assert best is not None
    left_out = (targets - best[2]).reshape(y.shape)
    return MeanPool(
        coef.reshape(d, *y.shape[1:]),
        (middle - centre @ coef).reshape(y.shape[1:]),
        best[1],
        left_out,
    )
