"""Cross-entropy of pooled logits: attention averages the logits of the instances.

p(y | X) = softmax( sum_l softmax(z k)_l z_l V + M C + b )_y
"""

import numpy as np
from scipy.special import log_softmax, softmax

from soloc.estimators.coefficients import Reading
from soloc.estimators.instances import Instances
from soloc.estimators.objectives.class_objective import ClassObjective


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

    def per_instance(self, reading: Reading) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The error of the bag, shared by attention."""
        instances = self.instances
        owner = instances.owner
        weighted = reading.attention[:, None] * reading.values
        pooled = np.add.reduceat(weighted, instances.starts, axis=0)
        log_p = log_softmax(pooled + reading.offset, axis=1)
        error = (self.weights[:, None] * (self.y - np.exp(log_p))).astype(reading.values.dtype)
        for_value = reading.attention[:, None] * error[owner]
        for_key = (for_value * (reading.values - pooled[owner])).sum(axis=1)
        return log_p[np.arange(len(pooled)), self.labels].astype(np.float64), for_key, for_value
