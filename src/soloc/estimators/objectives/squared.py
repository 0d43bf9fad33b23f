"""Squared loss by variable projection: given the attention, the rest is a ridge problem in v.

    minimise over k  min over v, c, b of
        [ sum_i w_i (y_i - v.Z_i - c.M_i - b)^2 + alpha (|v|^2 + |c|^2 + r |k - k0|^2) ] / sum_i w_i

    Z_i = sum_l softmax(z_i k)_l z_il        M_i = the mean of bag i (with `context`)

Only k is searched. Its gradient is that of the inner problem at the solution (envelope theorem):
one more pass over the data. Labels of several outputs share k; squares are summed over outputs.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import cholesky, solve_triangular

from soloc.estimators.coefficients import Coefficients
from soloc.estimators.objectives.data import Data
from soloc.estimators.objectives.objective import NumberObjective
from soloc.estimators.ridge import Ridge, column_sums, ridge, weighted_gram
from soloc.estimators.solver import Inverse, inverse_of

WIDE = 1000  # features beyond which the metric is only a diagonal


class Solved(NamedTuple):
    """The solution of the inner problem at a key."""

    key: np.ndarray
    attention: np.ndarray
    pooled: np.ndarray
    ridge: Ridge


class SquaredLoss(NumberObjective):
    """The projected objective as a function of k alone."""

    in_auto = True
    _last: Solved | None = None  # the metric, the objective and the next metric share a key

    def pooled(self, key: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Attention (N,) and pooled instances (n, d)."""
        attention = self.instances.softmax(self.instances.scores(key))
        return attention, self.instances.pool(attention)

    def features(self, pooled: np.ndarray) -> np.ndarray:
        """What the inner problem is linear in."""
        return pooled if self.context is None else np.hstack([pooled, self.context])

    def inner(self, pooled: np.ndarray, alpha: float | None = None) -> Ridge:
        """Values, context and intercept, given the pooled instances."""
        return ridge(
            self.features(pooled),
            self.y,
            self.weights,
            self.alpha if alpha is None else alpha,
            self.fit_intercept,
        )

    def solved(self, key: np.ndarray) -> Solved:
        """The inner problem at k, which is solved once while k stays the same."""
        if self._last is None or not np.array_equal(self._last.key, key):
            self._last = None  # two of them would take memory
            attention, pooled = self.pooled(key)
            self._last = Solved(key.copy(), attention, pooled, self.inner(pooled))
        return self._last

    def value(self, key: np.ndarray) -> float:
        """The objective at k, without its gradient."""
        _, _, pooled, solved = self.solved(key)
        features = self.features(pooled)
        residual = self.y - features @ solved.coef.astype(features.dtype) - solved.intercept
        moved = key - self.key_prior
        penalty = self.alpha * np.sum(solved.coef**2) + self.key_penalty * moved @ moved
        return float(np.sum(self.weights @ residual**2) + penalty) / self.total

    def __call__(self, point: np.ndarray) -> tuple[float, np.ndarray]:
        """Objective and gradient at k."""
        _, attention, pooled, solved = self.solved(point)
        squares, slope = self.squares(attention, pooled, solved)
        return penalised(self.data, point, solved, squares, slope)

    def squares(
        self, attention: np.ndarray, pooled: np.ndarray, solved: Ridge
    ) -> tuple[float, np.ndarray]:
        """Weighted sum of squared residuals, and its derivative in k at fixed values."""
        d = self.d
        value, extra = solved.coef[:d], solved.coef[d:]
        attended = (pooled @ value.astype(pooled.dtype)).astype(np.float64)
        fitted = (
            attended + solved.intercept + (0.0 if self.context is None else self.context @ extra)
        )
        residual = self.y - fitted
        per_instance = self.instances.values(value)
        per_instance -= self.instances.spread(attended.astype(per_instance.dtype))
        per_instance *= self.instances.spread((self.weights * residual.T).T.astype(pooled.dtype))
        if per_instance.ndim == 2:
            per_instance = per_instance.sum(axis=1)
        per_instance *= attention
        return float(np.sum(self.weights @ residual**2)), -2 * self.instances.adjoint(per_instance)

    def metric(self, point: np.ndarray) -> Inverse:
        """Inverse of the Gauss-Newton Hessian of the projected objective at k."""
        _, attention, pooled, solved = self.solved(point)
        if self.y.size < self.d <= WIDE:
            return self.gauss_newton_of_few(attention, pooled, solved)
        return gauss_newton(self.data, self.products(attention, pooled, solved))

    def gauss_newton_of_few(
        self, attention: np.ndarray, pooled: np.ndarray, solved: Ridge
    ) -> Inverse:
        """The same inverse where bags are fewer than features, from products of bags.

        With P the centred pooled instances and J as in `Products`, both times the roots of weights:

            J' J - J' P (P' P + a)^-1 P' J = a J' (P P' + a)^-1 J = B' B
            (B' B + s)^-1 = (1 - B' (B B' + s)^-1 B) / s
        """
        root = np.sqrt(self.weights)[:, None].astype(pooled.dtype)
        centre = column_sums(pooled, self.weights) / self.total if self.fit_intercept else 0.0
        rows = root * (pooled - np.asarray(centre, dtype=pooled.dtype))
        kernel = (rows @ rows.T).astype(np.float64)
        alpha = self.alpha + 1e-9 * np.trace(kernel) / self.d + 1e-12
        kernel[np.diag_indices(len(kernel))] += alpha
        factor = cholesky(kernel, lower=True, overwrite_a=True, check_finite=False)
        factor = factor.astype(pooled.dtype)
        values = solved.coef[: self.d].reshape(self.d, -1)
        jacobians = [root * self.jacobian(attention, pooled, value) for value in values.T]
        b = np.concatenate(
            [solve_triangular(factor, each, lower=True, check_finite=False) for each in jacobians]
        )
        b *= np.asarray(np.sqrt(alpha), dtype=b.dtype)
        shrink = self.key_penalty + 1e-3 * max(float(np.vdot(b, b)) / self.d, 1e-12)
        solve = inverse_of((b @ b.T).astype(np.float64) + shrink * np.eye(len(b)))
        scale = self.total / (2 * shrink)
        return lambda vector: scale * (vector - b.T @ solve(b @ vector.astype(b.dtype)))

    def products(self, attention: np.ndarray, pooled: np.ndarray, solved: Ridge) -> "Products":
        """What the metric needs to know of the bags."""
        values = solved.coef[: self.d].reshape(self.d, -1)
        jacobians = [self.jacobian(attention, pooled, value) for value in values.T]
        if self.d > WIDE:
            squares = [self.weights @ each.astype(np.float64) ** 2 for each in jacobians]
            return Products(np.sum(squares, axis=0), *(np.zeros(0),) * 4)
        return Products(
            np.sum([weighted_gram(each, self.weights) for each in jacobians], axis=0),
            np.stack([weighted_gram(pooled, self.weights, each) for each in jacobians]),
            weighted_gram(pooled, self.weights),
            column_sums(pooled, self.weights),
            np.stack([column_sums(each, self.weights) for each in jacobians]),
        )

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
        return as_coefficients(self.data, point, solved, self.error(pooled, solved))

    def error(self, pooled: np.ndarray, solved: Ridge) -> float:
        """Weighted sum of squared residuals, averaged over outputs."""
        fitted = pooled @ solved.coef[: self.d].astype(pooled.dtype) + solved.intercept
        if self.context is not None:
            fitted = fitted + self.context @ solved.coef[self.d :]
        return float(np.mean(self.weights @ (self.y - fitted) ** 2))


class Products(NamedTuple):
    """Sums over bags, with J the derivative of predictions in k and P the pooled instances."""

    jacobian: np.ndarray  #: J' W J summed over outputs, or its diagonal for wide instances
    cross: np.ndarray  #: P' W J of each output
    pooled: np.ndarray  #: P' W P
    pooled_sum: np.ndarray  #: P' w
    jacobian_sum: np.ndarray  #: J' w of each output


def penalised(
    data: Data, key: np.ndarray, solved: Ridge, squares: float, slope: np.ndarray
) -> tuple[float, np.ndarray]:
    """Objective per bag and its gradient in k, with the penalties."""
    total, shrink = float(data.weights.sum()), data.alpha * data.key_share
    moved = key if data.key_prior is None else key - data.key_prior
    penalty = data.alpha * np.sum(solved.coef**2) + shrink * moved @ moved
    return float(squares + penalty) / total, (slope + 2 * shrink * moved) / total


def gauss_newton(data: Data, products: Products) -> Inverse:
    """Multiplication by the inverse of the Hessian, from sums over bags."""
    total, shrink = float(data.weights.sum()), data.alpha * data.key_share
    if products.jacobian.ndim == 1:
        diagonal = 2 * (products.jacobian + shrink) / total
        diagonal += 1e-3 * diagonal.mean() + 1e-12
        return lambda vector: vector / diagonal
    d = len(products.jacobian)
    cross, inner = products.cross.copy(), products.pooled.copy()
    if data.fit_intercept:  # centre the pooled instances without a copy
        centre = products.pooled_sum / total
        cross -= centre[:, None] * products.jacobian_sum[:, None, :]
        inner -= total * np.outer(centre, centre)
    inner[np.diag_indices(d)] += data.alpha + 1e-9 * np.trace(inner) / d + 1e-12
    factor = cholesky(inner, lower=True, overwrite_a=True, check_finite=False)
    halves = [solve_triangular(factor, each, lower=True, check_finite=False) for each in cross]
    hessian = products.jacobian - sum(half.T @ half for half in halves)
    hessian[np.diag_indices(d)] += shrink + 1e-3 * max(np.trace(hessian) / d, 1e-12)
    return inverse_of(2 * hessian / total)


def as_coefficients(data: Data, key: np.ndarray, solved: Ridge, error: float) -> Coefficients:
    """Coefficients from the solution at k and its sum of squared residuals."""
    d, noise = len(key), np.sqrt(error / float(data.weights.sum()))
    coef = np.ascontiguousarray(solved.coef)  # as it comes out of a file
    extra = None if data.context is None else coef[d:]
    intercept = solved.intercept if data.y.ndim == 2 else float(solved.intercept)
    return Coefficients(key, coef[:d], extra, intercept, max(float(noise), 1e-6))
