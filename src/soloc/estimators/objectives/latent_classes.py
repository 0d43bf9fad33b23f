"""The likelihood of classes: attention draws an instance, and that instance draws the class.

p(y | X) = sum_l softmax(z k)_l softmax(z_l V + M C + b)_y

Logits are what costs where classes are many. Instance l adds at most softmax(z k)_l to p(y | X):
those that cannot change the sum, given what the most attended instance adds, need no logits.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import softmax

from soloc.estimators.coefficients import Coefficients, Reading
from soloc.estimators.instances import Instances
from soloc.estimators.objectives.class_objective import ClassObjective, Slopes
from soloc.estimators.objectives.data import Data

AT_ONCE = 4096  # instances
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
        instances = self.instances
        scores = instances.scores(found.key)
        log_attention = scores - instances.spread(instances.log_sum_exp(scores)).astype(
            scores.dtype
        )
        attention = np.exp(log_attention)
        offset = np.atleast_2d(found.intercept) if self.context is None else self.offset(found)
        offset = offset.astype(attention.dtype)
        for_key = -instances.spread(self.weights.astype(attention.dtype)) * attention
        log_likelihood = np.empty(len(self.y))
        value, intercept = np.zeros((self.d, self.classes)), np.zeros(self.classes)
        context = np.zeros(0 if self.context is None else value.shape)
        for bags in instances.few_bags(AT_ONCE):
            here, lengths = log_attention[instances.rows_of(bags)], instances.lengths[bags]
            top = np.repeat(np.maximum.reduceat(here, np.cumsum(lengths) - lengths), lengths)
            first = self._draw(found.value, log_attention, offset, bags, here == top)
            enough = np.repeat(first.log_likelihood + np.log(EXACT / lengths), lengths)
            draw = self._draw(found.value, log_attention, offset, bags, here > enough)
            log_likelihood[bags] = draw.log_likelihood
            weighted = draw.posterior * self.weights[bags].astype(attention.dtype)[draw.owner]
            for_key[draw.rows] += weighted
            kept = np.flatnonzero(draw.posterior > EXACT**2)
            rows, weighted, owner = draw.rows[kept], weighted[kept], draw.owner[kept]
            for_logits = draw.odds[kept]
            for_logits *= -(weighted / draw.total[kept])[:, None]
            for_logits[np.arange(len(kept)), self.labels[bags][owner]] += weighted
            value += instances.adjoint(for_logits, rows)
            intercept += np.ones(len(kept), dtype=attention.dtype) @ for_logits
            if self.context is not None:
                of_bags = np.add.reduceat(for_logits, firsts(owner, len(lengths)))
                context += self.context[bags].T @ of_bags
        return Slopes(log_likelihood, instances.adjoint(for_key), value, context, intercept)

    def _draw(
        self,
        value: np.ndarray,
        log_attention: np.ndarray,
        offset: np.ndarray,
        bags: slice,
        live: np.ndarray,
    ) -> "Draw":
        """What the live instances of a few bags would draw, and who drew the label."""
        rows = self.instances.rows_of(bags).start + np.flatnonzero(live)
        owner = self.instances.owner[rows] - bags.start
        logits = self.instances.values(value, rows)
        logits += offset if len(offset) == 1 else offset[bags][owner]
        own = bounded(logits, self.labels[bags][owner])
        odds = np.exp(logits, out=logits)
        total = odds @ np.ones(self.classes, dtype=logits.dtype)
        joint = log_attention[rows] + own - np.log(total)
        starts = firsts(owner, bags.stop - bags.start)
        top = np.maximum.reduceat(joint, starts)
        posterior = np.exp(np.maximum(joint - top[owner], -1.8 * reach_of(joint)))
        norm = np.add.reduceat(posterior, starts)
        posterior /= norm[owner]
        return Draw(rows, owner, odds, total, posterior, np.log(norm).astype(np.float64) + top)

    def key_information(self, part: Data, reading: Reading, uncertain: np.ndarray) -> np.ndarray:
        """That of the complete data: the covariance of an instance drawn by attention."""
        instances = part.instances
        pooled, z = instances.pool(reading.attention), instances.standard(slice(None))
        weights = instances.spread(part.weights) * reading.attention
        return (z * weights[:, None]).T @ z - (part.weights[:, None] * pooled).T @ pooled


def bounded(logits: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """The logits of the labels, after a shift of rows, in place, where any needs it.

    It leaves exponentials and their products normal: smaller numbers are computed many times more
    slowly than others. Only what is negligible beside the largest of its row is raised.
    """
    reach, each = reach_of(logits), np.arange(len(labels))
    if logits.max(initial=0) <= reach and logits.min(initial=0) >= -reach:
        return logits[each, labels]
    logits -= logits.max(axis=1, keepdims=True)
    own = logits[each, labels]
    np.maximum(logits, -2 * reach, out=logits)
    return own


def reach_of(numbers: np.ndarray) -> float:
    """A quarter of the exponents that a type of numbers can hold."""
    return float(np.log(np.finfo(numbers.dtype).max)) / 4


def firsts(owner: np.ndarray, bags: int) -> np.ndarray:
    """Where among sorted owners each of the bags begins."""
    return np.searchsorted(owner, np.arange(bags))


class Draw(NamedTuple):
    """What some instances would draw, and who drew the label."""

    rows: np.ndarray  #: the instances
    owner: np.ndarray  #: the bag of each
    odds: np.ndarray  #: of the classes, up to a factor
    total: np.ndarray  #: sum of these odds
    posterior: np.ndarray  #: that the instance drew the label of its bag
    log_likelihood: np.ndarray  #: of each bag
