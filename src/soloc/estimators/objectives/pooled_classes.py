"""Cross-entropy of pooled logits: attention averages the logits of the instances.

p(y | X) = softmax( sum_l softmax(z k)_l z_l V + M C + b )_y

The average of logits is the logit of the average: instances need not meet many classes.
"""

from itertools import pairwise

import numpy as np
from scipy.special import log_softmax, softmax

from soloc.estimators.coefficients import Coefficients, Reading
from soloc.estimators.instances import Instances
from soloc.estimators.objectives.class_objective import ClassObjective, Slopes
from soloc.estimators.objectives.data import Data

FEW = 4  # features for each class beyond which the logits of instances are the shorter way


class PooledClasses(ClassObjective):
    """Cross-entropy of the logits pooled by attention."""

    in_auto = True

    @staticmethod
    def predict(reading: Reading, instances: Instances) -> np.ndarray:
        """Probabilities of the logits averaged by attention."""
        weighted = reading.attention[:, None] * reading.values
        pooled = np.add.reduceat(weighted, instances.starts, axis=0).astype(np.float64)
        return softmax(pooled + reading.offset, axis=1)

    @staticmethod
    def contributions(reading: Reading, output: int) -> tuple[np.ndarray, float]:
        """The logit of the class at each instance."""
        return reading.values[:, output].astype(np.float64), float(reading.offset[0, output])

    def slopes(self, found: Coefficients) -> Slopes:
        """The error of the bag, shared by attention."""
        instances, attention = self.instances, self.attention(found.key)
        pooled = instances.pool(attention)
        log_p = log_softmax(pooled @ found.value + self.offset(found), axis=1)
        error = self.weights[:, None] * (self.y - np.exp(log_p))
        pull = (error @ found.value.T).astype(pooled.dtype)  # of each bag on its pooled instance
        if FEW * self.classes < self.d:
            logits = instances.values(found.value)
            along = (logits * error.astype(logits.dtype)[instances.owner]).sum(axis=1)
        else:
            along = instances.along(pull)
        for_key = along - instances.spread((pull * pooled).sum(axis=1))
        return Slopes(
            log_p[np.arange(len(pooled)), self.labels],
            instances.adjoint(attention * for_key),
            pooled.T @ error,
            np.zeros(0) if self.context is None else self.context.T @ error,
            error.sum(axis=0),
        )

    def key_information(self, part: Data, reading: Reading, uncertain: np.ndarray) -> np.ndarray:
        """That of Gauss and Newton: how the key moves the logits of a bag, and how these count."""
        instances = part.instances
        z, logits = instances.standard(slice(None)), reading.values.astype(np.float64)
        found = np.zeros((z.shape[1], z.shape[1]))
        for i, (start, stop) in enumerate(pairwise(instances.bags.offsets)):
            rows = slice(start, stop)
            attended = reading.attention[rows, None] * z[rows]
            moved = attended.T @ (logits[rows] - reading.attention[rows] @ logits[rows])
            found += (moved * uncertain[i]) @ moved.T
        return found
