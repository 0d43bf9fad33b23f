"""Squared loss by variable projection: given the attention, the rest is a ridge problem in v.

    minimise over k  min over v, c, b of
        [ sum_i w_i (y_i - v.Z_i - c.M_i - b)^2 + alpha (|v|^2 + |c|^2 + r |k - k0|^2) ] / sum_i w_i

    Z_i = sum_l softmax(z_i k)_l z_il        M_i = the mean of bag i (with `context`)

Only k is searched. Its gradient is that of the inner problem at the solution (envelope theorem):
one more pass over the data.
"""

import numpy as np

from soloc.estimators.coefficients import Coefficients
from soloc.estimators.objectives.objective import NumberObjective
from soloc.estimators.ridge import Ridge, column_sums, ridge, weighted_gram
from soloc.estimators.solver import Inverse, inverse_of

WIDE = 1000  # features beyond which the metric is only a diagonal


class SquaredLoss(NumberObjective):
    """The projected objective as a function of k alone.

    Labels may have several outputs, (n, outputs), for `value` and `coefficients`: all that the
    start of a classifier needs.
    """

    in_auto = True

    def pooled(self, key: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Attention (N,) and pooled instances (n, d)."""
        attention = self.instances.softmax(self.instances.scores(key))
        return attention, self.instances.pool(attention)

    def inner(self, pooled: np.ndarray, alpha: float | None = None) -> Ridge:
        """Values, context and intercept, given the pooled instances."""
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
        moved = key - self.key_prior
        penalty = self.alpha * np.sum(solved.coef**2) + self.key_penalty * moved @ moved
        return float(np.sum(self.weights @ residual**2) + penalty) / self.total

    def __call__(self, point: np.ndarray) -> tuple[float, np.ndarray]:
        """Objective and gradient at k."""
        key = point
        attention, pooled = self.pooled(key)
        solved = self.inner(pooled)
        d = len(key)
        value, extra = solved.coef[:d], solved.coef[d:]
        attended = (pooled @ value.astype(pooled.dtype)).astype(np.float64)
        fitted = (
            attended + solved.intercept + (0.0 if self.context is None else self.context @ extra)
        )
        residual = self.y - fitted
        per_instance = self.instances.values(value)
        per_instance -= self.instances.spread(attended.astype(per_instance.dtype))
        per_instance *= attention
        per_instance *= self.instances.spread((self.weights * residual).astype(per_instance.dtype))
        moved = key - self.key_prior
        gradient = -2 * self.instances.adjoint(per_instance) + 2 * self.key_penalty * moved
        penalty = self.alpha * solved.coef @ solved.coef + self.key_penalty * moved @ moved
        objective = self.weights @ residual**2 + penalty
        return float(objective) / self.total, gradient / self.total

    def metric(self, point: np.ndarray) -> Inverse:
        """Inverse of the Gauss-Newton Hessian of the projected objective at k."""
        key = point
        attention, pooled = self.pooled(key)
        solved = self.inner(pooled)
        d = len(key)
        jacobian = self.jacobian(attention, pooled, solved.coef[:d])
        shrink = self.key_penalty
        if d > WIDE:
            diagonal = 2 * (self.weights @ jacobian.astype(np.float64) ** 2 + shrink) / self.total
            diagonal += 1e-3 * diagonal.mean() + 1e-12
            return lambda vector: vector / diagonal
        cross, inner = (
            weighted_gram(pooled, self.weights, jacobian),
            weighted_gram(pooled, self.weights),
        )
        if self.fit_intercept:  # centre the pooled instances without a copy
            centre = column_sums(pooled, self.weights) / self.total
            cross -= np.outer(centre, column_sums(jacobian, self.weights))
            inner -= self.total * np.outer(centre, centre)
        inner[np.diag_indices(d)] += self.alpha + 1e-9 * np.trace(inner) / d + 1e-12
        hessian = weighted_gram(jacobian, self.weights) - cross.T @ inverse_of(inner)(cross)
        hessian[np.diag_indices(d)] += shrink + 1e-3 * max(np.trace(hessian) / d, 1e-12)
        return inverse_of(2 * hessian / self.total)

    def jacobian(self, attention: np.ndarray, pooled: np.ndarray, value: np.ndarray) -> np.ndarray:
        """Derivative of each bag's prediction in k, (n, d)."""
        per_instance = self.instances.values(value)
        per_instance -= self.instances.spread(
            (pooled @ value.astype(pooled.dtype)).astype(per_instance.dtype)
        )
        return self.instances.pool(attention * per_instance)

    def point(self, coefficients: Coefficients) -> np.ndarray:
        """All that is searched: the key."""
        return coefficients.key

    def coefficients(self, point: np.ndarray) -> Coefficients:
        """The solution at k; its noise is the weighted root mean square of the residuals."""
        _, pooled = self.pooled(point)
        solved = self.inner(pooled, self.data.value_alpha)
        d = len(point)
        extra = None if self.context is None else solved.coef[d:]
        fitted = pooled @ solved.coef[:d].astype(pooled.dtype) + solved.intercept
        if extra is not None:
            fitted = fitted + self.context @ extra
        noise = np.sqrt(np.mean(self.weights @ (self.y - fitted) ** 2) / self.total)
        intercept = solved.intercept if self.y.ndim == 2 else float(solved.intercept)
        return Coefficients(point, solved.coef[:d], extra, intercept, max(float(noise), 1e-6))
