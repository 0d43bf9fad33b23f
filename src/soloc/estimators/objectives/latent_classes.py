"""The likelihood of classes: attention draws an instance, and that instance draws the class.

p(y | X) = sum_l softmax(z k)_l softmax(z_l V + M C + b)_y

Logits are what costs where classes are many. Instances without attention need none: they are
passed over, except in bags whose label the others explain so badly that they might still count.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import softmax

from soloc.estimators.coefficients import Coefficients, Reading
from soloc.estimators.instances import Instances
from soloc.estimators.objectives.class_objective import ClassObjective, Slopes
from soloc.estimators.objectives.data import Data

NO_ATTENTION = 1e-10  # what is passed over
AT_ONCE = 2048  # instances
EXACT = 1e-6  # share of the likelihood of a bag that may be passed over


class LatentClasses(ClassObjective):
    """The likelihood: the decisive instance is latent and alone draws the class."""

    latent = in_auto = True

    @staticmethod
    def predict(reading: Reading, instances: Instances) -> np.ndarray:
        """Probabilities of the instances, averaged by attention."""
        each = softmax(reading.values.astype(np.float64) + reading.offset[instances.owner], axis=1)
        pooled = np.add.reduceat(reading.attention[:, None] * each, instances.starts, axis=0)
        return pooled / pooled.sum(axis=1, keepdims=True)

    @staticmethod
    def contributions(reading: Reading, output: int) -> tuple[np.ndarray, float]:
        """The probability of the class that each instance would draw."""
        logits = reading.values.astype(np.float64) + reading.offset[0]
        return softmax(logits, axis=1)[:, output], 0.0

    def slopes(self, found: Coefficients) -> Slopes:
        """Responsibilities, as in EM, a few bags at a time: what fits into a cache is fast."""
        instances, attention = self.instances, self.attention(found.key)
        offset = self.offset(found).astype(attention.dtype)
        for_key = -instances.spread(self.weights.astype(attention.dtype)) * attention
        log_likelihood = np.empty(len(self.y))
        value, intercept = np.zeros((self.d, self.classes)), np.zeros(self.classes)
        context = np.zeros(0 if self.context is None else value.shape)
        for bags in instances.few_bags(AT_ONCE):
            live = attention[instances.rows_of(bags)] > NO_ATTENTION
            drawn = self._drawn(found.value, attention, offset, bags, live)
            if drawn.badly.any():
                live |= np.repeat(drawn.badly, instances.lengths[bags])
                drawn = self._drawn(found.value, attention, offset, bags, live)
            for_key[drawn.rows] += drawn.posterior
            log_likelihood[bags] = drawn.log_likelihood
            value += instances.adjoint(drawn.for_value, drawn.rows)
            intercept += drawn.for_value.sum(axis=0, dtype=np.float64)
            if self.context is not None:
                context += self.context[bags].T @ np.add.reduceat(drawn.for_value, drawn.starts)
        return Slopes(log_likelihood, instances.adjoint(for_key), value, context, intercept)

    def _drawn(
        self,
        value: np.ndarray,
        attention: np.ndarray,
        offset: np.ndarray,
        bags: slice,
        live: np.ndarray,
    ) -> "Drawn":
        """What the live instances of a few bags would draw, and who drew the label."""
        instances = self.instances
        rows = instances.rows_of(bags).start + np.flatnonzero(live)
        owner = instances.owner[rows]
        each, labels = np.arange(len(rows)), self.labels[owner]
        logits = instances.values(value, rows)
        logits += offset[owner]
        logits -= logits.max(axis=1, keepdims=True)
        own = logits[each, labels]
        probability = np.exp(logits, out=logits)
        norm = probability.sum(axis=1)
        joint = np.log(np.maximum(attention[rows], 1e-37)) + own - np.log(norm)
        starts = np.searchsorted(owner, np.arange(bags.start, bags.stop))
        top = np.maximum.reduceat(joint, starts)
        posterior = np.exp(joint - top[owner - bags.start])
        total = np.add.reduceat(posterior, starts)
        posterior *= (self.weights[bags] / total).astype(joint.dtype)[owner - bags.start]
        for_value = probability
        for_value *= -(posterior / norm)[:, None]
        for_value[each, labels] += posterior
        log_likelihood = np.log(total).astype(np.float64) + top
        passed_over = NO_ATTENTION * (instances.lengths[bags] - np.bincount(owner - bags.start))
        badly = passed_over > EXACT * np.exp(log_likelihood)
        return Drawn(rows, starts, posterior, for_value, log_likelihood, badly)

    def key_information(self, part: Data, reading: Reading, uncertain: np.ndarray) -> np.ndarray:
        """That of the complete data: the covariance of an instance drawn by attention."""
        instances = part.instances
        pooled, z = instances.pool(reading.attention), instances.standard(slice(None))
        weights = instances.spread(part.weights) * reading.attention
        return (z * weights[:, None]).T @ z - (part.weights[:, None] * pooled).T @ pooled


class Drawn(NamedTuple):
    """What instances would draw, and who drew the label."""

    rows: np.ndarray  #: the instances
    starts: np.ndarray  #: where among them each bag begins
    posterior: np.ndarray  #: that the instance drew the label, times the weight of its bag
    for_value: np.ndarray  #: derivative of the log-likelihood in its logits
    log_likelihood: np.ndarray  #: of each bag
    badly: np.ndarray  #: bags in which those that were passed over might count
