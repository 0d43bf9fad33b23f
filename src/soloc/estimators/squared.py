"""Squared loss by variable projection: given the attention, everything else is a ridge problem;
only k is searched.

    minimise over k   min over v, c, b of  [ sum_i w_i (y_i - v.Z_i - c.M_i - b)^2 + alpha (|v|^2 +
    |c|^2 + r
    |k|^2) ] / sum w Z_i = sum_l softmax(z_i k)_l z_il       M_i = the mean of bag i (with
    `context`)

The gradient in k is that of the inner problem at its solution (envelope theorem): one more pass
over the data.
"""

from typing import NamedTuple

import numpy as np

from soloc.estimators.model import Head
from soloc.estimators.solver import Inverse, inverse_of
from soloc.estimators.tokens import Tokens

KEY_SHARE = 0.3  # r: the key is longer than the value, so it is shrunk less
WIDE = 1000  # features beyond which the metric is only a diagonal


class Ridge(NamedTuple):
    """Solution of a weighted ridge problem with intercept, for labels (n,) or (n, outputs)."""

    coef: np.ndarray
    intercept: np.ndarray


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


class SquaredLoss:
    """The projected objective as a function of k alone, for bags with weights (0 leaves a bag out).

    Labels may have several outputs, (n, outputs), for `value` and `head`: all that the start of a
    classifier needs.
    """

    def __init__(
        self,
        tokens: Tokens,
        y: np.ndarray,
        weights: np.ndarray,
        alpha: float,
        context: np.ndarray | None,
        fit_intercept: bool,
    ) -> None:
        self.tokens, self.y, self.weights, self.alpha = tokens, y, weights, alpha
        self.context, self.fit_intercept = context, fit_intercept
        self.total = float(weights.sum())
        # penalty of the value of `head`, when not that of the search
        self.value_alpha: float | None = None

    def pooled(self, key: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Attention (N,) and pooled tokens (n, d)."""
        attention = self.tokens.softmax(self.tokens.scores(key))
        return attention, self.tokens.pool(attention)

    def inner(self, pooled: np.ndarray, alpha: float | None = None) -> Ridge:
        """Values, context and intercept, given the pooled tokens."""
        features = pooled if self.context is None else np.hstack([pooled, self.context])
        return ridge(
            features,
            self.y,
            self.weights,
            self.alpha if alpha is None else alpha,
            self.fit_intercept,
        )

    def value(self, key: np.ndarray) -> float:
        """The objective at k, without its gradient."""
        _, pooled = self.pooled(key)
        solved = self.inner(pooled)
        features = pooled if self.context is None else np.hstack([pooled, self.context])
        residual = self.y - features @ solved.coef.astype(features.dtype) - solved.intercept
        penalty = np.sum(solved.coef**2) + KEY_SHARE * key @ key
        return float(np.sum(self.weights @ residual**2) + self.alpha * penalty) / self.total

    def __call__(self, key: np.ndarray) -> tuple[float, np.ndarray]:
        """Objective and gradient at k."""
        attention, pooled = self.pooled(key)
        solved = self.inner(pooled)
        d = len(key)
        value, extra = solved.coef[:d], solved.coef[d:]
        attended = (pooled @ value.astype(pooled.dtype)).astype(np.float64)
        fitted = (
            attended + solved.intercept + (0.0 if self.context is None else self.context @ extra)
        )
        residual = self.y - fitted
        per_instance = self.tokens.values(value)
        per_instance -= self.tokens.spread(attended.astype(per_instance.dtype))
        per_instance *= attention
        per_instance *= self.tokens.spread((self.weights * residual).astype(per_instance.dtype))
        gradient = -2 * self.tokens.adjoint(per_instance) + 2 * self.alpha * KEY_SHARE * key
        penalty = solved.coef @ solved.coef + KEY_SHARE * key @ key
        objective = self.weights @ residual**2 + self.alpha * penalty
        return float(objective) / self.total, gradient / self.total

    def metric(self, key: np.ndarray) -> Inverse:
        """Inverse of the Gauss-Newton Hessian of the projected objective at k."""
        attention, pooled = self.pooled(key)
        solved = self.inner(pooled)
        d = len(key)
        jacobian = self.jacobian(attention, pooled, solved.coef[:d])
        shrink = self.alpha * KEY_SHARE
        if d > WIDE:
            diagonal = 2 * (self.weights @ jacobian.astype(np.float64) ** 2 + shrink) / self.total
            diagonal += 1e-3 * diagonal.mean() + 1e-12
            return lambda vector: vector / diagonal
        cross, inner = (
            weighted_gram(pooled, self.weights, jacobian),
            weighted_gram(pooled, self.weights),
        )
        if self.fit_intercept:  # centre the pooled tokens without a copy
            centre = column_sums(pooled, self.weights) / self.total
            cross -= np.outer(centre, column_sums(jacobian, self.weights))
            inner -= self.total * np.outer(centre, centre)
        inner[np.diag_indices(d)] += self.alpha + 1e-9 * np.trace(inner) / d + 1e-12
        hessian = weighted_gram(jacobian, self.weights) - cross.T @ inverse_of(inner)(cross)
        hessian[np.diag_indices(d)] += shrink + 1e-3 * max(np.trace(hessian) / d, 1e-12)
        return inverse_of(2 * hessian / self.total)

    def jacobian(self, attention: np.ndarray, pooled: np.ndarray, value: np.ndarray) -> np.ndarray:
        """Derivative of each bag's prediction in k, (n, d)."""
        per_instance = self.tokens.values(value)
        per_instance -= self.tokens.spread(
            (pooled @ value.astype(pooled.dtype)).astype(per_instance.dtype)
        )
        return self.tokens.pool(attention * per_instance)

    def point(self, head: Head) -> np.ndarray:
        """All that is searched of a head: its key."""
        return head.key

    def head(self, key: np.ndarray) -> Head:
        """The fitted head at k; its noise is the weighted root mean square of the residuals."""
        _, pooled = self.pooled(key)
        solved = self.inner(pooled, self.value_alpha)
        d = len(key)
        extra = None if self.context is None else solved.coef[d:]
        fitted = pooled @ solved.coef[:d].astype(pooled.dtype) + solved.intercept
        if extra is not None:
            fitted = fitted + self.context @ extra
        noise = np.sqrt(np.mean(self.weights @ (self.y - fitted) ** 2) / self.total)
        intercept = solved.intercept if self.y.ndim == 2 else float(solved.intercept)
        return Head(key, solved.coef[:d], extra, intercept, max(float(noise), 1e-6))
