"""The likelihood of classes: attention draws an instance, and that instance draws the class.

p(y | X) = sum_l softmax(z k)_l softmax(z_l V + M C + b)_y
"""

import numpy as np
from scipy.special import log_softmax, softmax

from soloc.estimators.coefficients import Reading
from soloc.estimators.instances import Instances
from soloc.estimators.objectives.class_objective import ClassObjective


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

    def per_instance(self, reading: Reading) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Responsibilities, as in EM."""
        instances = self.instances
        owner = instances.owner
        log_p = log_softmax(
            reading.values + reading.offset[owner].astype(reading.values.dtype), axis=1
        )
        own = np.take_along_axis(log_p, self.labels[owner][:, None], axis=1)[:, 0]
        joint = np.log(np.maximum(reading.attention, 1e-37)) + own
        log_likelihood = instances.log_sum_exp(joint)
        weights = instances.spread(self.weights.astype(joint.dtype))
        posterior = weights * np.exp(joint - instances.spread(log_likelihood.astype(joint.dtype)))
        for_value = -np.exp(log_p) * posterior[:, None]
        for_value[np.arange(len(owner)), self.labels[owner]] += posterior
        return log_likelihood, posterior - weights * reading.attention, for_value
