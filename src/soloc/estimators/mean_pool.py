"""Mean-pool ridge: the baseline that looks at no instance in particular, left out exactly."""

from collections.abc import Callable, Iterator
from functools import reduce
from operator import add
from typing import NamedTuple

import numpy as np
from scipy.linalg import eigh

from soloc.estimators.coefficients import bag_means
from soloc.estimators.objectives.data import Data
from soloc.estimators.ridge import column_sums, ridge, sums_of, weighted_gram

PATH = np.geomspace(3.0, 3e-6, 13)  # alpha for each bag


class MeanPool(NamedTuple):
    """Ridge regression of the label on the bag mean, with the best leave-one-out ridge."""

    coef: np.ndarray  #: (d,) or (d, outputs)
    intercept: np.ndarray
    alpha: float
    left_out: np.ndarray  #: prediction of each bag by the fit without it


def without_folds(
    pooled: MeanPool,
    means: np.ndarray | Callable[[np.ndarray], np.ndarray],
    y: np.ndarray,
    weights: np.ndarray,
    folds: list[np.ndarray],
    fit_intercept: bool,
) -> MeanPool:
    """The same ridge, each bag predicted by the fit without its fold; the folds cover all bags.

    `means` are those of all bags, or what they are without a fold.
    """
    left_out = np.empty_like(pooled.left_out)
    for fold in folds:
        x = means(fold) if callable(means) else means
        solved = ridge(x, y, weights * ~fold, pooled.alpha, fit_intercept)
        left_out[fold] = x[fold] @ solved.coef + solved.intercept
    return pooled._replace(left_out=left_out)


def fit_mean_pool(
    means: np.ndarray, y: np.ndarray, fit_intercept: bool, weights: np.ndarray | None = None
) -> MeanPool:
    """Ridge path by one eigendecomposition; leave-one-out by the leverages."""
    targets = y.reshape(len(y), -1)
    n, d = means.shape
    weights = np.ones(n) if weights is None else weights
    total, root = float(weights.sum()), np.sqrt(weights)[:, None].astype(means.dtype)
    centre = column_sums(means, weights) / total if fit_intercept else np.zeros(d)
    middle = weights @ targets / total if fit_intercept else np.zeros(targets.shape[1])
    if d <= n:
        gram = weighted_gram(means, weights) - total * np.outer(centre, centre)
        eigenvalues, vectors = eigh(gram)
        rotated = means @ vectors.astype(means.dtype) - (centre @ vectors).astype(means.dtype)
        rotated *= root
    else:
        features = root * (means - centre)
        eigenvalues, left = eigh(features.astype(np.float64) @ features.T.astype(np.float64))
        eigenvalues = np.maximum(eigenvalues, 0.0)
        vectors = (
            features.T @ left / np.sqrt(np.maximum(eigenvalues, 1e-12 * eigenvalues.max() + 1e-300))
        )
        rotated = left * np.sqrt(eigenvalues)
    eigenvalues = np.maximum(eigenvalues, 0.0)
    wanted = root * (targets - middle)
    projections = rotated.T.astype(np.float64) @ wanted
    best: tuple[float, float, np.ndarray] | None = None
    for alpha in total * PATH:
        shrunk = projections / (eigenvalues + alpha)[:, None]
        leverage = rotated.astype(np.float64) ** 2 @ (1 / (eigenvalues + alpha))
        leverage += weights / total if fit_intercept else 0.0
        residual = wanted - rotated @ shrunk
        residual /= np.maximum(1 - leverage, 1e-10)[:, None]
        error = float((residual**2).sum())
        if best is None or error < best[0]:
            best = error, float(alpha), residual
            coef = vectors @ shrunk
    assert best is not None
    left_out = (targets - best[2] / root).reshape(y.shape)
    return MeanPool(
        coef.reshape(d, *y.shape[1:]),
        (middle - centre @ coef).reshape(y.shape[1:]),
        best[1],
        left_out,
    )


def mean_pool_of(data: Data, fit_intercept: bool) -> MeanPool:
    """The baseline of all bags: three passes over blocks where they are on disk."""
    if not data.on_disk:
        return fit_mean_pool(bag_means(data.instances), data.y, fit_intercept, data.weights)
    n, shape = len(data.y), data.y.shape
    sums = reduce(add, (sums_of(bag_means(b.instances), b.y, b.weights) for b in data.blocks()))
    centre = sums.features / n if fit_intercept else np.zeros(len(sums.gram))
    middle = sums.labels / n if fit_intercept else np.zeros_like(sums.labels)
    eigenvalues, vectors = eigh(sums.gram - n * np.outer(centre, centre))
    eigenvalues = np.maximum(eigenvalues, 0.0)
    right = sums.right - n * np.multiply.outer(centre, middle)
    projections = vectors.T @ right.reshape(len(right), -1)

    def residuals(block: Data, alphas: np.ndarray) -> Iterator[np.ndarray]:
        targets = (block.y - middle).reshape(len(block.y), -1)
        rotated = (bag_means(block.instances) - centre) @ vectors
        for alpha in alphas:
            leverage = rotated**2 @ (1 / (eigenvalues + alpha)) + (1 / n if fit_intercept else 0.0)
            residual = targets - rotated @ (projections / (eigenvalues + alpha)[:, None])
            yield residual / np.maximum(1 - leverage, 1e-10)[:, None]

    errors = np.zeros(len(PATH))
    for block in data.blocks():
        errors += [float((residual**2).sum()) for residual in residuals(block, n * PATH)]
    alpha = n * PATH[int(np.argmin(errors))]
    left = np.concatenate([next(residuals(b, np.array([alpha]))) for b in data.blocks()])
    coef = (vectors @ (projections / (eigenvalues + alpha)[:, None])).reshape(right.shape)
    return MeanPool(coef, middle - centre @ coef, float(alpha), data.y - left.reshape(shape))
