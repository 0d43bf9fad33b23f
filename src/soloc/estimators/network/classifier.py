"""The network classifier: classes by a hidden layer, with a likelihood of their own."""

from typing import Any

import numpy as np
from scipy.special import softmax

from soloc.estimators.classifier import class_scores, plain_classes
from soloc.estimators.coefficients import Reading, pooled_prediction
from soloc.estimators.fields import Fields
from soloc.estimators.files import saved_by_name
from soloc.estimators.instances import Instances
from soloc.estimators.labels import classes
from soloc.estimators.network.estimator import LEAST_LEFT, NetworkEstimator
from soloc.estimators.network.losses import LEAST_PROBABILITY, Classes, log_of
from soloc.estimators.pointing import BagClassifierMixin


@saved_by_name
class SingleLocationNetworkClassifier(BagClassifierMixin, NetworkEstimator):
    """Classification of bags of which one instance decides, by functions that need not be linear.

    Half of the loss is the cross-entropy of the pooled logits, half the likelihood of a class that
    one latent instance draws. Everything else is as in `SingleLocationNetworkRegressor`.

    Parameters
    ----------
    decay, units, members, context, max_epochs, random_state, n_jobs, verbose
        As for `SingleLocationNetworkRegressor`.
    class_weight : dict, "balanced" or None, default None
        As for `SingleLocationClassifier`.

    Attributes
    ----------
    classes_ : array of the labels seen
    members_, share_, shrink_, decay_, selection_, history_, diagnostics_, n_features_in_
        As for `SingleLocationNetworkRegressor`; held-out scores in `diagnostics_` are accuracies.

    Examples
    --------
    >>> from soloc.datasets import make_single_location
    >>> data = make_single_location(400, width=10, random_state=0)
    >>> model = SingleLocationNetworkClassifier(members=2, decay=1.0)
    >>> bool(model.fit(data.bags, data.labels > 0).score(data.bags, data.labels > 0) > 0.8)
    True
    """

    loss = Classes

    classes_: np.ndarray

    def __init__(
        self,
        decay="auto",
        units=64,
        members="auto",
        context=True,
        max_epochs=80,
        random_state=0,
        n_jobs=None,
        verbose=0,
        class_weight=None,
    ):
        super().__init__(decay, units, members, context, max_epochs, random_state, n_jobs, verbose)
        self.class_weight = class_weight

    def _standard_labels(
        self, labels: np.ndarray, weights: np.ndarray
    ) -> tuple[np.ndarray, dict[str, Any]]:
        found, one_hot = classes(labels)
        return one_hot, {"classes_": found}

    def _scores(
        self,
        y: np.ndarray,
        predicted: np.ndarray,
        pooled: np.ndarray,
        weights: np.ndarray,
        groups: np.ndarray | None,
    ) -> Any:
        return class_scores(y, predicted, pooled, weights, groups)

    def _as_one(self, honest: np.ndarray, beyond: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Probabilities whose log-loss is less by what members exceed that of their mean."""
        own = np.sum(honest * y, axis=1, keepdims=True)
        loss = -log_of(own)
        raised = np.exp(-np.maximum(loss - beyond.sum(axis=1, keepdims=True), LEAST_LEFT * loss))
        others = honest * (1 - raised) / np.maximum(1 - own, LEAST_PROBABILITY)
        return np.where(y > 0, raised, others)

    # -- files

    def _saved(self) -> Fields:
        state = super()._saved()
        return Fields(state.facts, state.arrays | {"classes": plain_classes(self.classes_)})

    def _restored_labels(self, fields: Fields, outputs: int) -> dict[str, Any]:
        found = fields.any_array("classes", (outputs,))
        if found.dtype.kind not in "biufU" or len(np.unique(found)) < max(len(found), 2):
            raise ValueError("array 'classes' must hold at least two classes, each once")
        return {"classes_": found}

    # -- what a fitted model says

    def _read(self, instances: Instances) -> Reading:
        """With trees or kernel in the offset: values times weights and it add up to logits."""
        reading = super()._read(instances)
        if not self.share_:
            return reading
        pooled = pooled_prediction(reading, instances)
        ours, theirs = log_of(softmax(pooled, axis=1)), log_of(self._by_context(instances))
        offset = (1 - self.share_) * (reading.offset + ours - pooled) + self.share_ * theirs
        return Reading(reading.attention, (1 - self.share_) * reading.values, offset)

    def _contributions(self, reading, instances, output=None):
        """Logit of each instance for the predicted class (or `output`), and the bag's offset."""
        if output is None:
            output = int(np.argmax(self._probability(reading, instances)[0]))
        return reading.values[:, output], float(reading.offset[0, output])

    def _probability(self, reading: Reading, instances: Instances) -> np.ndarray:
        """That of the logits, drawn to the shares of the classes."""
        probability = softmax(pooled_prediction(reading, instances), axis=1)
        return probability + self.shrink_ * (self.constant_ - probability)

    def predict_proba(self, X):
        """Probability of each class, (n, classes), in the order of `classes_`."""
        _, instances = self._bags(X)
        return self._probability(self._read(instances), instances)

    def predict(self, X):
        """The most probable class of each bag, (n,)."""
        probability = self.predict_proba(X)
        return self.classes_[np.argmax(probability, axis=1)]
