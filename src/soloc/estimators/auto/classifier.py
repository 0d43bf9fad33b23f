"""The automatic classifier."""

from typing import Any, ClassVar

import numpy as np

from soloc.estimators.auto.estimator import AutoEstimator
from soloc.estimators.auto.pooled import pooled_classifier
from soloc.estimators.bags import Bags
from soloc.estimators.classifier import SingleLocationClassifier
from soloc.estimators.files import saved_by_name
from soloc.estimators.labels import classes
from soloc.estimators.network.classifier import SingleLocationNetworkClassifier
from soloc.estimators.pointing import BagClassifierMixin


@saved_by_name
class SingleLocationAutoClassifier(BagClassifierMixin, AutoEstimator):
    """Classification of bags for people who do not want to choose a model.

    Mean-pool logistic regression, `SingleLocationClassifier` and `SingleLocationNetworkClassifier`
    are fitted, and the one that predicts best the bags it left out answers, or mean pooling where
    that is as good, within a standard error or .005.

    Parameters
    ----------
    candidates, random_state, n_jobs, verbose
        As for `SingleLocationAutoRegressor`.
    class_weight : dict, "balanced" or None, default None
        As for `SingleLocationClassifier`.

    Attributes
    ----------
    classes_ : array of the labels seen
    choice_, scores_, reason_, model_, diagnostics_, n_features_in_
        As for `SingleLocationAutoRegressor`; `scores_` tells which share of the log-loss of a
        constant is removed.

    Examples
    --------
    >>> from soloc.datasets import make_single_location
    >>> data = make_single_location(300, width=6, signal=4.0, random_state=0)
    >>> model = SingleLocationAutoClassifier().fit(data.bags, data.labels > 0)
    >>> model.choice_ in ("linear", "network")
    True
    """

    kinds: ClassVar[dict[str, type]] = {
        "linear": SingleLocationClassifier,
        "network": SingleLocationNetworkClassifier,
    }
    unit = "share of the log-loss removed"

    def __init__(self, candidates=None, random_state=0, n_jobs=None, verbose=0, class_weight=None):
        super().__init__(candidates, random_state, n_jobs, verbose)
        self.class_weight = class_weight

    def _standard(self, labels: np.ndarray, weights: np.ndarray) -> np.ndarray:
        return classes(labels).one_hot

    def _pooled(
        self,
        bags: Bags,
        labels: np.ndarray,
        weights: np.ndarray,
        folds: list[np.ndarray],
        groups: np.ndarray | None,
    ) -> Any:
        return pooled_classifier(bags, labels, weights, folds, groups)

    def _errors(self, y: np.ndarray, predicted: np.ndarray) -> np.ndarray:
        return -np.log(np.maximum((y * predicted).sum(axis=1), 1e-6))

    def predict_proba(self, X):
        """Probability of each class, (n, classes), in the order of `classes_`."""
        return self._model().predict_proba(X)
