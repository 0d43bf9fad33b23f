"""Objectives for classes, of (k, V, C, b): what the latent and the pooled one share.

Penalty alpha (|V|^2 + |C|^2 + r |k - k0|^2) / 2. The metric is that of the likelihood of numbers.
"""

from abc import abstractmethod

import numpy as np

from soloc.estimators.coefficients import Coefficients, Reading
from soloc.estimators.objectives.data import Data
from soloc.estimators.objectives.likelihood import metric_bags
from soloc.estimators.objectives.objective import Objective
from soloc.estimators.objectives.squared import WIDE
from soloc.estimators.solver import Inverse, inverse_of


class ClassObjective(Objective):
    """What objectives for classes share: the point, the penalty, the metric; `y` is one-hot."""

    def __init__(self, data: Data) -> None:
        super().__init__(data)
        self.classes = self.y.shape[1]
        self.labels = np.argmax(self.y, axis=1)

    def point(self, coefficients: Coefficients) -> np.ndarray:
        """(k, V, C, b)."""
        context = np.zeros(0) if coefficients.context is None else coefficients.context.ravel()
        flat = [coefficients.key, coefficients.value.ravel(), context]
        return np.concatenate([*flat, np.ravel(coefficients.intercept)])

    def coefficients(self, point: np.ndarray) -> Coefficients:
        """The vector as coefficients."""
        d, c = self.d, self.classes
        context = None if self.context is None else point[d + d * c : d + 2 * d * c].reshape(d, c)
        return Coefficients(point[:d], point[d : d + d * c].reshape(d, c), context, point[-c:])

    def __call__(self, point: np.ndarray) -> tuple[float, np.ndarray]:
        """Objective and gradient: two passes over the data."""
        reading = self.data.read(self.coefficients(point))
        log_likelihood, for_key, for_value = self.per_instance(reading)
        moved = self.instances.adjoint(np.column_stack([for_key, for_value]))
        per_bag = np.add.reduceat(for_value, self.instances.starts, axis=0).astype(np.float64)
        pieces = [moved[:, 0], moved[:, 1:].ravel()]
        if self.context is not None:
            pieces.append((self.context.T @ per_bag).ravel())
        pieces.append(per_bag.sum(axis=0) if self.fit_intercept else np.zeros(self.classes))
        away = point.copy()
        away[: self.d] -= self.key_prior
        penalty = np.full(len(point), self.alpha)
        penalty[: self.d], penalty[-self.classes :] = self.key_penalty, 0.0
        value = 0.5 * float(penalty @ away**2) - self.weights @ log_likelihood
        gradient = penalty * away - np.concatenate(pieces)
        return float(value) / self.total, gradient / self.total

    @abstractmethod
    def per_instance(self, reading: Reading) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Log-likelihood of each bag; its derivatives in each instance's score and logits."""

    @staticmethod
    @abstractmethod
    def contributions(reading: Reading, output: int) -> tuple[np.ndarray, float]:
        """What each instance of one bag says for class number `output`, and what is added."""

    @staticmethod
    def errors(y: np.ndarray, predictions: np.ndarray) -> np.ndarray:
        """Negative log-likelihoods."""
        return -np.log(np.maximum((predictions * y).sum(axis=1), 1e-12))

    @staticmethod
    def constant_error(y: np.ndarray) -> float:
        """Entropy of the classes."""
        share = y.mean(axis=0)
        return float(-(share[share > 0] * np.log(share[share > 0])).sum()) or 1.0

    def metric(self, point: np.ndarray) -> Inverse:
        """Inverse of the complete-data information: one block for the key, one for every class."""
        instances, d = self.instances, self.d
        reading = self.data.read(self.coefficients(point))
        weights = instances.spread(self.weights) * reading.attention
        size = d if self.context is None else 2 * d
        if d > WIDE:
            flat = np.full(len(point), 0.25 + self.alpha / self.total)
            flat[:d] = 1 + self.key_penalty / self.total
            return lambda vector: vector / flat
        bags = metric_bags(instances, self.weights)
        rows = np.concatenate([np.arange(*instances.bags.offsets[i : i + 2]) for i in bags])
        share = self.total / max(float(self.weights[bags].sum()), 1e-12)
        z = instances.standard(rows)
        scaled = z * weights[rows, None]
        pooled = np.add.reduceat(
            scaled, np.concatenate([[0], np.cumsum(instances.lengths[bags])[:-1]])
        )
        second = scaled.T @ z
        key_block = second - (pooled / np.maximum(self.weights[bags], 1e-12)[:, None]).T @ pooled
        if self.context is not None:
            both = np.hstack([z, self.context[instances.owner[rows]]])
            second = (both * weights[rows, None]).T @ both
        key_block = (share * key_block + self.key_penalty * np.eye(d)) / self.total
        key_block[np.diag_indices(d)] += 1e-3 * np.trace(key_block) / d + 1e-9
        value_block = (0.25 * share * second + self.alpha * np.eye(size)) / self.total
        for_keys, for_values = inverse_of(key_block), inverse_of(value_block)
        c = self.classes

        def inverse(vector: np.ndarray) -> np.ndarray:
            values = for_values(vector[d:-c].reshape(size, c))
            return np.concatenate([for_keys(vector[:d]), values.ravel(), vector[-c:] / 0.25])

        return inverse
