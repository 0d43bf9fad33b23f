"""Weighted ridge regression, for the inner problem of the squared loss and for mean-pool ridge."""

from typing import NamedTuple

import numpy as np

from soloc.estimators.solver import inverse_of


class Ridge(NamedTuple):
    """Solution of a weighted ridge problem with intercept, for labels (n,) or (n, outputs)."""

    coef: np.ndarray
    intercept: np.ndarray


class Sums(NamedTuple):
    """What ridge regression in the primal needs to know of weighted rows."""

    gram: np.ndarray  #: F' W F
    right: np.ndarray  #: F' W y
    features: np.ndarray  #: F' w
    labels: np.ndarray  #: y' w
    total: float  #: sum of w

    def __add__(self, other: "Sums") -> "Sums":  # type: ignore[override]
        return Sums(
            self.gram + other.gram,
            self.right + other.right,
            self.features + other.features,
            self.labels + other.labels,
            self.total + other.total,
        )


def sums_of(features: np.ndarray, y: np.ndarray, weights: np.ndarray) -> Sums:
    """The sums over some rows; those of parts add up."""
    return Sums(
        weighted_gram(features, weights),
        column_sums(features, (weights * y.T).T),
        column_sums(features, weights),
        weights @ y,
        float(weights.sum()),
    )


def solved_from(sums: Sums, alpha: float, fit_intercept: bool) -> Ridge:
    """Ridge regression from sums over rows."""
    gram, right = sums.gram.copy(), sums.right
    centre, middle = np.zeros(len(gram)), np.zeros_like(sums.labels)
    if fit_intercept:
        centre, middle = sums.features / sums.total, sums.labels / sums.total
        gram -= sums.total * np.outer(centre, centre)
        right = right - sums.total * np.multiply.outer(centre, middle)
    gram[np.diag_indices(len(gram))] += alpha
    coef = inverse_of(gram)(right)
    return Ridge(coef, middle - centre @ coef)


def ridge(
    features: np.ndarray, y: np.ndarray, weights: np.ndarray, alpha: float, fit_intercept: bool
) -> Ridge:
    """Weighted ridge regression, in the primal or the dual, whichever is smaller."""
    total = weights.sum()
    n, d = features.shape
    centre = column_sums(features, weights) / total if fit_intercept else np.zeros(d)
    middle = weights @ y / total if fit_intercept else np.zeros(y.shape[1:])
    target = (weights * (y - middle).T).T
    if d <= n:
        gram = weighted_gram(features, weights) - total * np.outer(centre, centre)
        gram[np.diag_indices(d)] += alpha
        right = column_sums(features, target) - np.multiply.outer(centre, target.sum(axis=0))
        coef = inverse_of(gram)(right)
    else:
        root = np.sqrt(weights)
        rows = root[:, None] * (features.astype(np.float64) - centre)
        kernel = rows @ rows.T
        kernel[np.diag_indices(n)] += alpha
        coef = rows.T @ inverse_of(kernel)((root * (y - middle).T).T)
    return Ridge(coef, middle - centre @ coef)


def column_sums(features: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """F' w without a copy of the features in another precision."""
    return (features.T @ weights.astype(features.dtype)).astype(np.float64)


def weighted_gram(
    features: np.ndarray, weights: np.ndarray, others: np.ndarray | None = None
) -> np.ndarray:
    """F' W F (or F' W G), blocks summed in double precision; rows of weight zero cost nothing."""
    gram = np.zeros((features.shape[1], (features if others is None else others).shape[1]))
    live = np.flatnonzero(weights) if not weights.all() else None
    count = len(features) if live is None else len(live)
    for start in range(0, count, 4096):
        part = slice(start, start + 4096) if live is None else live[start : start + 4096]
        root = np.sqrt(weights[part])[:, None].astype(features.dtype)
        left = features[part] * root
        # the same array twice halves the work
        right = left if others is None else others[part] * root
        gram += left.T @ right
    return gram
