"""Losses for classes, as functions of (k, V, C, b): the label is drawn by the decisive instance, or
by the pooled logits.

    "likelihood"   p(y | X) = sum_l softmax(z k)_l softmax(z_l V + M C + b)_y        the location is
    latent "squared"      p(y | X) = softmax( sum_l softmax(z k)_l z_l V + M C + b )_y      the
    counterpart of the squared loss

Penalty alpha (|V|^2 + |C|^2 + r |k|^2) / 2. The metric is that of the likelihood in
`likelihood.py`.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import log_softmax, softmax

from soloc.estimators.likelihood import metric_bags
from soloc.estimators.model import Head, Reading, read
from soloc.estimators.solver import Inverse, inverse_of
from soloc.estimators.squared import KEY_SHARE, WIDE, SquaredLoss
from soloc.estimators.tokens import Tokens


class ClassLoss:
    """What both losses share: a head as a point, the penalty, the metric. `y` is one-hot, (n,
    classes).
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
        self.d, self.classes = tokens.x.shape[1], y.shape[1]
        self.labels = np.argmax(y, axis=1)

    def point(self, head: Head) -> np.ndarray:
        """The head as one vector."""
        context = np.zeros(0) if head.context is None else head.context.ravel()
        return np.concatenate([head.key, head.value.ravel(), context, np.ravel(head.intercept)])

    def head(self, point: np.ndarray) -> Head:
        """The vector as a head."""
        d, c = self.d, self.classes
        context = None if self.context is None else point[d + d * c : d + 2 * d * c].reshape(d, c)
        return Head(point[:d], point[d : d + d * c].reshape(d, c), context, point[-c:])

    def __call__(self, point: np.ndarray) -> tuple[float, np.ndarray]:
        """Objective and gradient: two passes over the data."""
        head = self.head(point)
        reading = read(head, self.tokens, self.context)
        log_likelihood, for_key, for_value = self.per_instance(reading)
        moved = self.tokens.adjoint(np.column_stack([for_key, for_value]))
        per_bag = np.add.reduceat(for_value, self.tokens.starts, axis=0).astype(np.float64)
        pieces = [moved[:, 0], moved[:, 1:].ravel()]
        if self.context is not None:
            pieces.append((self.context.T @ per_bag).ravel())
        pieces.append(per_bag.sum(axis=0) if self.fit_intercept else np.zeros(self.classes))
        penalised = np.concatenate(
            [KEY_SHARE * point[: self.d], point[self.d : -self.classes], np.zeros(self.classes)]
        )
        value = -(self.weights @ log_likelihood) + 0.5 * self.alpha * float(penalised @ point)
        return (
            float(value) / self.total,
            (self.alpha * penalised - np.concatenate(pieces)) / self.total,
        )

    def per_instance(self, reading: Reading) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Log-likelihood of each bag and its derivative in the score and the logits of each
        instance.
        """
        raise NotImplementedError

    def metric(self, point: np.ndarray) -> Inverse:
        """Inverse of the complete-data information: one block for the key, one for every class."""
        tokens, d = self.tokens, self.d
        reading = read(self.head(point), tokens, self.context)
        weights = tokens.spread(self.weights) * reading.attention
        size = d if self.context is None else 2 * d
        if d > WIDE:
            flat = np.full(len(point), 0.25 + self.alpha / self.total)
            flat[:d] = 1 + self.alpha * KEY_SHARE / self.total
            return lambda vector: vector / flat
        bags = metric_bags(tokens, self.weights)
        rows = np.concatenate([np.arange(*tokens.bags.offsets[i : i + 2]) for i in bags])
        share = self.total / max(float(self.weights[bags].sum()), 1e-12)
        z = tokens.standard(rows)
        scaled = z * weights[rows, None]
        pooled = np.add.reduceat(
            scaled, np.concatenate([[0], np.cumsum(tokens.lengths[bags])[:-1]])
        )
        second = scaled.T @ z
        key_block = second - (pooled / np.maximum(self.weights[bags], 1e-12)[:, None]).T @ pooled
        if self.context is not None:
            both = np.hstack([z, self.context[tokens.owner[rows]]])
            second = (both * weights[rows, None]).T @ both
        key_block = (share * key_block + self.alpha * KEY_SHARE * np.eye(d)) / self.total
        key_block[np.diag_indices(d)] += 1e-3 * np.trace(key_block) / d + 1e-9
        value_block = (0.25 * share * second + self.alpha * np.eye(size)) / self.total
        for_keys, for_values = inverse_of(key_block), inverse_of(value_block)
        c = self.classes

        def inverse(vector: np.ndarray) -> np.ndarray:
            values = for_values(vector[d:-c].reshape(size, c))
            return np.concatenate([for_keys(vector[:d]), values.ravel(), vector[-c:] / 0.25])

        return inverse


class MixtureOfClasses(ClassLoss):
    """The likelihood: the decisive instance is latent and alone draws the class."""

    def per_instance(self, reading: Reading) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Responsibilities, as in EM."""
        tokens = self.tokens
        owner = tokens.owner
        log_p = log_softmax(
            reading.values + reading.offset[owner].astype(reading.values.dtype), axis=1
        )
        own = np.take_along_axis(log_p, self.labels[owner][:, None], axis=1)[:, 0]
        joint = np.log(np.maximum(reading.attention, 1e-37)) + own
        log_likelihood = tokens.log_sum_exp(joint)
        weights = tokens.spread(self.weights.astype(joint.dtype))
        posterior = weights * np.exp(joint - tokens.spread(log_likelihood.astype(joint.dtype)))
        for_value = -np.exp(log_p) * posterior[:, None]
        for_value[np.arange(len(owner)), self.labels[owner]] += posterior
        return log_likelihood, posterior - weights * reading.attention, for_value


class PooledClasses(ClassLoss):
    """Cross-entropy of the logits pooled by attention."""

    def per_instance(self, reading: Reading) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The error of the bag, shared by attention."""
        tokens = self.tokens
        owner = tokens.owner
        pooled = np.add.reduceat(reading.attention[:, None] * reading.values, tokens.starts, axis=0)
        log_p = log_softmax(pooled + reading.offset, axis=1)
        error = (self.weights[:, None] * (self.y - np.exp(log_p))).astype(reading.values.dtype)
        for_value = reading.attention[:, None] * error[owner]
        for_key = (for_value * (reading.values - pooled[owner])).sum(axis=1)
        return log_p[np.arange(len(pooled)), self.labels].astype(np.float64), for_key, for_value


CLASS_LOSSES = {"likelihood": MixtureOfClasses, "squared": PooledClasses}


def class_probabilities(reading: Reading, tokens: Tokens, loss: str) -> np.ndarray:
    """p(y | X) of each bag, (n, classes)."""
    if loss == "likelihood":
        each = softmax(reading.values.astype(np.float64) + reading.offset[tokens.owner], axis=1)
        pooled = np.add.reduceat(reading.attention[:, None] * each, tokens.starts, axis=0)
        return pooled / pooled.sum(axis=1, keepdims=True)
    weighted = np.add.reduceat(reading.attention[:, None] * reading.values, tokens.starts, axis=0)
    return softmax(weighted.astype(np.float64) + reading.offset, axis=1)


class ClassProblem(NamedTuple):
    """Bags in standard units and one-hot labels; the counterpart of `Problem`."""

    tokens: Tokens
    y: np.ndarray
    context: np.ndarray | None
    fit_intercept: bool

    def objective(self, loss: str, alpha: float, weights: np.ndarray) -> ClassLoss:
        """The objective of `loss` on the bags with these weights."""
        return CLASS_LOSSES[loss](
            self.tokens, self.y, weights, alpha, self.context, self.fit_intercept
        )

    def least_squares(self, alpha: float) -> SquaredLoss:
        """Least squares on the one-hot labels, for starts."""
        return SquaredLoss(
            self.tokens, self.y, np.ones(len(self.y)), alpha, self.context, self.fit_intercept
        )

    def predict(self, head: Head, loss: str) -> np.ndarray:
        """Class probabilities of each bag."""
        return class_probabilities(read(head, self.tokens, self.context), self.tokens, loss)

    def errors(self, predictions: np.ndarray, held: np.ndarray) -> np.ndarray:
        """Negative log-likelihood of the held-out bags."""
        return -np.log(np.maximum((predictions[held] * self.y[held]).sum(axis=1), 1e-12))

    def spread(self, held: np.ndarray) -> float:
        """Entropy of the classes."""
        share = self.y[held].mean(axis=0)
        return float(-(share[share > 0] * np.log(share[share > 0])).sum()) or 1.0

    def part(self, chosen: np.ndarray) -> "ClassProblem":
        """The problem restricted to some bags."""
        tokens = self.tokens.part(chosen)
        return self._replace(
            tokens=tokens,
            y=self.y[chosen],
            context=None if self.context is None else self.context[chosen],
        )
