"""The marginal likelihood: attention draws J, and the label is Gaussian around the value of J.

    p(y | X) = sum_l softmax(z k)_l N(y; v.z_l + c.M + b, s^2)      (several outputs: s^2 I)

Penalty alpha (|v|^2 + |c|^2) / (2 s^2) + alpha r |k - k0|^2 / 2, so that the M-step for v is the
ridge problem of the squared loss. The metric is the information of the complete data (J known): a
step in it is an EM step whose M-step is one Newton step (Lange's EM gradient algorithm), and L-BFGS
in that metric is EM accelerated.
"""

import numpy as np

from soloc.estimators.coefficients import Coefficients
from soloc.estimators.instances import BLOCK, Instances
from soloc.estimators.objectives.data import Data
from soloc.estimators.objectives.objective import NumberObjective
from soloc.estimators.objectives.squared import WIDE
from soloc.estimators.solver import Inverse, inverse_of

SMALLEST_VARIANCE = 1e-6  # of the label in standard units: the likelihood stays bounded
# instances (per feature, and at least) from which a metric is estimated
METRIC_ROWS, FEWEST_ROWS = 20, 4000


class Likelihood(NumberObjective):
    """The penalised negative marginal log-likelihood per bag, of (k, v, c, b, log s)."""

    latent = in_auto = True

    def __init__(self, data: Data) -> None:
        super().__init__(data)
        self.outputs = int(np.prod(self.y.shape[1:]))
        self.y_flat = self.instances.spread(self.y.astype(self.instances.dtype))

    # -- coefficients as a point, and back

    def point(self, coefficients: Coefficients) -> np.ndarray:
        """(k, v, c, b, log s)."""
        context = np.zeros(0) if coefficients.context is None else coefficients.context.ravel()
        tail = 0.5 * np.log(max(coefficients.noise**2 - SMALLEST_VARIANCE, SMALLEST_VARIANCE))
        flat = [coefficients.key, coefficients.value.ravel(), context]
        return np.concatenate([*flat, np.ravel(coefficients.intercept), [tail]])

    def coefficients(self, point: np.ndarray) -> Coefficients:
        """The vector as coefficients."""
        key, linear = point[: self.d], self.linear(point)
        context = None if self.context is None else linear[self.d : 2 * self.d]
        noise = float(np.sqrt(variance(point)))
        intercept = linear[-1] if self.y.ndim == 2 else float(linear[-1])
        return Coefficients(key, linear[: self.d], context, intercept, noise)

    def linear(self, point: np.ndarray) -> np.ndarray:
        """Values, context and intercept, one below the other, shaped like the labels."""
        return point[self.d : -1].reshape(-1, *self.y.shape[1:])

    # -- objective, gradient, metric

    def responsibilities(
        self, point: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Attention, responsibilities and residuals of each instance, and the log-likelihood of
        each bag.
        """
        instances, d = self.instances, self.d
        linear = self.linear(point)
        out = instances.values(np.column_stack([point[:d], linear[:d]]))
        scores = instances.counted(np.ascontiguousarray(out[:, 0]))
        residual = self.y_flat - (out[:, 1] if self.y.ndim == 1 else out[:, 1:])
        offset = np.broadcast_to(linear[-1], self.y.shape)
        if self.context is not None:
            offset = offset + self.context @ linear[d : 2 * d]
        residual -= instances.spread(offset.astype(residual.dtype))
        s2 = variance(point)
        squares = residual**2 if self.y.ndim == 1 else (residual**2).sum(axis=1)
        joint = scores - squares * residual.dtype.type(0.5 / s2)
        log_norm = instances.log_sum_exp(scores)
        log_joint = instances.log_sum_exp(joint)
        attention = np.exp(scores - instances.spread(log_norm.astype(scores.dtype)))
        posterior = np.exp(joint - instances.spread(log_joint.astype(scores.dtype)))
        scale = 0.5 * self.outputs * np.log(2 * np.pi * s2)
        return attention, posterior, residual, log_joint - log_norm - scale

    def __call__(self, point: np.ndarray) -> tuple[float, np.ndarray]:
        """Objective and gradient: two passes over the data."""
        instances, d, s2 = self.instances, self.d, variance(point)
        attention, posterior, residual, log_density = self.responsibilities(point)
        weights = instances.spread(self.weights.astype(residual.dtype))
        for_key = weights * (posterior - attention)
        for_value = (weights * posterior * residual.T).T
        moved = instances.adjoint(np.column_stack([for_key, for_value]))
        squares = float((for_value * residual).sum(dtype=np.float64))
        values = self.linear(point)[:-1]
        penalty = float(np.sum(values**2))
        gradient = np.empty_like(point)
        slopes = self.linear(gradient)
        away = point[:d] - self.key_prior
        gradient[:d] = -moved[:, 0] + self.key_penalty * away
        slopes[:d] = -(moved[:, 1] if self.y.ndim == 1 else moved[:, 1:]) / s2
        per_bag = np.add.reduceat(for_value, instances.starts).astype(np.float64) / s2
        if self.context is not None:
            slopes[d : 2 * d] = -(self.context.T @ per_bag)
        slopes[:-1] += self.alpha * values / s2
        slopes[-1] = -per_bag.sum(axis=0) if self.fit_intercept else 0.0
        left = self.outputs * self.total - (squares + self.alpha * penalty) / s2
        gradient[-1] = left * (s2 - SMALLEST_VARIANCE) / s2
        penalties = self.alpha * penalty / s2 + self.key_penalty * away @ away
        value = 0.5 * penalties - self.weights @ log_density
        return float(value) / self.total, gradient / self.total

    def metric(self, point: np.ndarray) -> Inverse:
        """Inverse of the complete-data information, estimated from some of the bags."""
        instances, d, s2 = self.instances, self.d, variance(point)
        attention, posterior, _, _ = self.responsibilities(point)
        weights = instances.spread(self.weights)
        for_key, for_value = weights * attention, weights * posterior
        if d > WIDE:
            return self._diagonal_metric(for_key, for_value, s2, len(point))
        bags = metric_bags(self.instances, self.weights)
        share = self.total / max(float(self.weights[bags].sum()), 1e-12)
        key_block, value_block = np.zeros((d, d)), np.zeros((len(self.linear(point)),) * 2)
        for part in np.array_split(bags, max(1, int(instances.lengths[bags].sum()) // BLOCK)):
            rows = np.concatenate([np.arange(*instances.bags.offsets[i : i + 2]) for i in part])
            z = instances.standard(rows)
            scaled = z * for_key[rows, None]
            pooled = np.add.reduceat(
                scaled, np.concatenate([[0], np.cumsum(instances.lengths[part])[:-1]])
            )
            key_block += (
                scaled.T @ z - (pooled / np.maximum(self.weights[part], 1e-12)[:, None]).T @ pooled
            )
            live = posterior[rows] > 1e-4
            columns = [z[live]]
            if self.context is not None:
                columns.append(self.context[instances.owner[rows][live]].astype(np.float64))
            columns.append(np.ones((int(live.sum()), 1)))
            features = np.hstack(columns)
            value_block += (features * for_value[rows][live, None]).T @ features
        key_block = share * key_block + self.key_penalty * np.eye(d)
        value_block = (share * value_block + self.alpha * np.eye(len(value_block))) / s2
        key_block[np.diag_indices(d)] += 1e-3 * np.trace(key_block) / d + 1e-9
        value_block[np.diag_indices(len(value_block))] += (
            1e-6 * np.trace(value_block) / len(value_block)
        )
        for_keys, for_values = (
            inverse_of(key_block / self.total),
            inverse_of(value_block / self.total),
        )

        def inverse(vector: np.ndarray) -> np.ndarray:
            values = for_values(self.linear(vector)).ravel()
            return np.concatenate([for_keys(vector[:d]), values, vector[-1:] / (2 * self.outputs)])

        return inverse

    def _diagonal_metric(
        self, for_key: np.ndarray, for_value: np.ndarray, s2: float, size: int
    ) -> Inverse:
        """For very wide instances: the diagonal alone (features are in standard units)."""
        value = for_value.sum() / s2 + self.alpha / s2
        key = for_key.sum() + self.key_penalty
        diagonal = np.full(size, value)
        diagonal[: self.d] = key
        diagonal[-1] = 2 * self.total
        return lambda vector: vector * self.total / diagonal


def variance(point: np.ndarray) -> float:
    """s^2, bounded away from zero and from overflow."""
    return float(np.exp(2 * min(point[-1], 20.0)) + SMALLEST_VARIANCE)


def metric_bags(instances: Instances, weights: np.ndarray) -> np.ndarray:
    """Bags of positive weight, evenly spaced, that together hold enough instances for a metric."""
    live = np.flatnonzero(weights > 0)
    count, width = instances.count, instances.x.shape[1]
    wanted = max(METRIC_ROWS * width, FEWEST_ROWS) * len(weights) / count
    return live[:: max(1, int(len(live) / wanted))]
