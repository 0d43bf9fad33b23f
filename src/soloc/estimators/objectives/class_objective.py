"""Objectives for classes, of (k, V, C, b): what the latent and the pooled one share.

Penalty alpha (|V|^2 + |C|^2 + r |k - k0|^2) / 2. The metric is that of the likelihood of numbers.
"""

from abc import abstractmethod
from typing import NamedTuple

import numpy as np

from soloc.estimators.coefficients import Coefficients, Reading
from soloc.estimators.objectives.data import Data
from soloc.estimators.objectives.likelihood import metric_bags
from soloc.estimators.objectives.objective import Objective
from soloc.estimators.objectives.squared import WIDE
from soloc.estimators.solver import Inverse, inverse_of

LOGITS = 4.0  # slope of the logit per unit of least-squares slope at even odds


class Slopes(NamedTuple):
    """The log-likelihood of each bag, and derivatives of their weighted sum."""

    log_likelihood: np.ndarray  #: (n,)
    key: np.ndarray  #: (d,)
    value: np.ndarray  #: (d, classes)
    context: np.ndarray  #: (d, classes), or empty
    intercept: np.ndarray  #: (classes,)


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
        slopes = self.slopes(self.coefficients(point))
        intercept = slopes.intercept if self.fit_intercept else np.zeros(self.classes)
        pieces = [slopes.key, slopes.value.ravel(), slopes.context.ravel(), intercept]
        away = point.copy()
        away[: self.d] -= self.key_prior
        penalty = np.full(len(point), self.alpha)
        penalty[: self.d], penalty[-self.classes :] = self.key_penalty, 0.0
        value = 0.5 * float(penalty @ away**2) - self.weights @ slopes.log_likelihood
        gradient = penalty * away - np.concatenate(pieces)
        return float(value) / self.total, gradient / self.total

    @abstractmethod
    def slopes(self, found: Coefficients) -> Slopes:
        """The log-likelihood of each bag, and derivatives of their weighted sum."""

    def attention(self, key: np.ndarray) -> np.ndarray:
        """Attention of each instance, (N,)."""
        return self.instances.softmax(self.instances.scores(key))

    def offset(self, found: Coefficients) -> np.ndarray:
        """Intercept and context of each bag, (n, classes)."""
        shape = (len(self.y), self.classes)
        offset = np.broadcast_to(np.asarray(found.intercept, dtype=np.float64), shape)
        return offset if found.context is None else offset + self.context @ found.context

    @staticmethod
    @abstractmethod
    def contributions(reading: Reading, output: int) -> tuple[np.ndarray, float]:
        """What each instance of one bag says for class number `output`, and what is added."""

    @staticmethod
    def errors(y: np.ndarray, predictions: np.ndarray) -> np.ndarray:
        """Negative log-likelihoods."""
        return -np.log(np.maximum((predictions * y).sum(axis=1), 1e-12))

    @staticmethod
    def constant_error(y: np.ndarray, weights: np.ndarray) -> float:
        """Entropy of the classes."""
        share = weights @ y / weights.sum()
        return float(-(share[share > 0] * np.log(share[share > 0])).sum()) or 1.0

    @staticmethod
    def begun(found: Coefficients) -> Coefficients:
        """Coefficients of least squares as those whose values are logits."""
        context = None if found.context is None else LOGITS * found.context
        intercept = LOGITS * np.asarray(found.intercept)
        return Coefficients(found.key, LOGITS * found.value, context, intercept)

    def metric(self, point: np.ndarray) -> Inverse:
        """Inverse of an approximate information: one block for the key, one for every class.

        That of a class is the second moment of attended instances, times the variance of its
        indicator: with many classes far less than the 1/4 that bounds it.
        """
        instances, d, c = self.instances, self.d, self.classes
        size = d if self.context is None else 2 * d
        if d > WIDE:
            flat = np.full(len(point), 0.25 + self.alpha / self.total)
            flat[:d] = 1 + self.key_penalty / self.total
            return lambda vector: vector / flat
        found = self.coefficients(point)
        bags = metric_bags(instances, self.weights)
        part = self.data.part(bags)
        reading = part.read(found)
        share = self.total / max(float(part.weights.sum()), 1e-12)
        probability = self.predict(reading, part.instances)
        uncertain = part.weights[:, None] * probability * (1 - probability)
        curvature = np.maximum(uncertain.sum(axis=0) / part.weights.sum(), 1e-3 / c)
        z = part.instances.standard(slice(None))
        both = z if part.context is None else np.hstack([z, part.context[part.instances.owner]])
        weights = part.instances.spread(part.weights) * reading.attention
        eigenvalues, vectors = np.linalg.eigh(share * (both * weights[:, None]).T @ both)
        blocks = (np.outer(np.maximum(eigenvalues, 0), curvature) + self.alpha) / self.total
        blocks += 1e-10 * blocks.max()
        key_block = share * self.key_information(part, reading, uncertain)
        key_block = (key_block + self.key_penalty * np.eye(d)) / self.total
        key_block[np.diag_indices(d)] += 1e-3 * np.trace(key_block) / d + 1e-9
        for_keys = inverse_of(key_block)

        def inverse(vector: np.ndarray) -> np.ndarray:
            values = vectors @ ((vectors.T @ vector[d:-c].reshape(size, c)) / blocks)
            return np.concatenate([for_keys(vector[:d]), values.ravel(), vector[-c:] / curvature])

        return inverse

    @abstractmethod
    def key_information(self, part: Data, reading: Reading, uncertain: np.ndarray) -> np.ndarray:
        """What some bags know of the key, (d, d); `uncertain` is w p (1 - p), (n, classes)."""
