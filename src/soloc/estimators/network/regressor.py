"""The network regressor: a label, how sure, and who decided, where tokens are not linear."""

from typing import Any

import numpy as np

from soloc.estimators.calibration import Calibration, calibration_of
from soloc.estimators.coefficients import Reading, pooled_prediction
from soloc.estimators.fields import Fields
from soloc.estimators.files import saved_by_name
from soloc.estimators.instances import Instances
from soloc.estimators.label_units import (
    checked_coverage,
    ends_in_units,
    restored_units,
    saved_outputs,
    saved_units,
    units_of,
)
from soloc.estimators.labels import numbers
from soloc.estimators.network.ensemble import Ensemble
from soloc.estimators.network.estimator import LEAST_LEFT, NetworkEstimator, rounded
from soloc.estimators.network.losses import Numbers
from soloc.estimators.pointing import BagRegressorMixin
from soloc.estimators.regressor import number_scores


@saved_by_name
class SingleLocationNetworkRegressor(BagRegressorMixin, NetworkEstimator):
    """Regression on bags of which one instance decides, by functions that need not be linear.

    A hidden layer is shared by the attention, which chooses the instance, and by the value, which
    reads it. Several members, each of which leaves out a fold of the bags, are averaged, and
    boosted trees on the mean of the bag (a kernel regression on its statistics where bags are few)
    are mixed in where bags left out ask for them, as is a linear value of the instance. Several
    columns of `y` are decided by one and the same instance: they share layer and attention.

    Parameters
    ----------
    decay : float or "auto", default "auto"
        Decay of the weights of the hidden layer; "auto" asks bags left out below 300 bags, and
        takes .6 from there on, .2 from 3000 bags (or groups) on.
    units : int, default 64
        Units of the hidden layer.
    members : int or "auto", default "auto"
        Members of the ensemble; "auto" takes 10 below 300 bags, 5 below 1000, else 3.
    context : bool, default True
        Whether boosted trees on (mean of the bag, its length) may be mixed in; below 300 bags a
        kernel regression on mean, deviation, least and largest of each feature and the length.
    max_epochs : int, default 80
        Most passes over the bags; members stop when bags left out say so.
    random_state : int, RandomState or None, default 0
        Decides starts, batches and folds; not the order of bags.
    n_jobs : int or None, default None
        Processes that fit members; None means one, in this process. From others nothing is heard
        until they are done: neither `verbose` nor `on_progress` tells of epochs.
    verbose : int, default 0
        Whether the error of bags left out is printed after each epoch.

    Attributes
    ----------
    members_ : Weights
        Parameters of the networks, each with a first axis of members.
    share_ : float
        Share of trees or kernel in the prediction; 0 where they were not wanted.
    shrink_ : float
        By how much predictions are drawn to the mean label: as bags left out ask, and half a
        standard error of that more; 0 where that is below .1, 1 on noise.
    decay_ : float
    noise_ : float
        Standard deviation of the label around the value of the decisive instance.
    selection_ : DataFrame or None
        Error of bags left out by decay, where it was chosen.
    history_ : DataFrame
        Error of bags left out after each epoch of each member.
    diagnostics_ : Diagnostics
        Held-out score against models that do not point, agreement of members, and doubts in words.
    calibration_ : Calibration
        Sorted sizes of the errors of bags left out, and weights, from which intervals are made.
    n_features_in_ : int

    Examples
    --------
    >>> from soloc.datasets import make_single_location
    >>> data = make_single_location(400, width=10, random_state=0)
    >>> model = SingleLocationNetworkRegressor(members=2, decay=1.0).fit(data.bags, data.labels)
    >>> bool((model.locate(data.bags) == data.locations).mean() > 0.9)
    True
    """

    loss = Numbers

    label_mean_: Any
    label_scale_: Any
    calibration_: Calibration
    noise_: float

    # -- stages of the fit

    def _standard_labels(
        self, labels: np.ndarray, weights: np.ndarray
    ) -> tuple[np.ndarray, dict[str, Any]]:
        y = numbers(labels)
        units = units_of(y, weights, True)
        found = rounded(*(np.asarray(each) for each in units.values()))
        mean, scale = (each if y.ndim == 2 else float(each) for each in found)
        return (y - mean) / scale, {"label_mean_": mean, "label_scale_": scale}

    def _scores(
        self,
        y: np.ndarray,
        predicted: np.ndarray,
        pooled: np.ndarray,
        weights: np.ndarray,
        groups: np.ndarray | None,
    ) -> Any:
        return number_scores(y, predicted, pooled, weights, groups)

    def _as_one(self, honest: np.ndarray, beyond: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Errors scaled down to what the mean of all members would have, each by its own bag."""
        left = np.clip(1 - beyond / np.maximum((y - honest) ** 2, 1e-30), LEAST_LEFT, 1.0)
        return y + np.sqrt(left) * (honest - y)

    def _calibrated(
        self, errors: np.ndarray, weights: np.ndarray, ensemble: Ensemble, units: int
    ) -> Any:
        sizes = errors if errors.shape[1] > 1 else errors[:, 0]
        return {
            "calibration_": calibration_of(sizes, weights, units),
            "noise_": float(np.sqrt(np.mean([member.noise for member in ensemble.members]))),
        }

    # -- files

    def _saved(self) -> Fields:
        state = super()._saved()
        units = saved_units(self)
        facts = units.facts | {"noise": self.noise_}
        return Fields(state.facts | facts, state.arrays | units.arrays)

    def _restored_labels(self, fields: Fields, outputs: int) -> dict[str, Any]:
        if (saved_outputs(fields) or (1,)) != (outputs,):
            raise ValueError(f"array 'label_mean' must have {outputs} entries")
        return restored_units(fields) | {"noise_": fields.number("noise", least=0.0)}

    # -- what a fitted model says

    def _read(self, instances: Instances) -> Reading:
        """With trees, kernel and constant in the offset: values times weights and it add up."""
        reading = super()._read(instances)
        left, offset = 1 - self.share_, (1 - self.share_) * reading.offset
        if self.share_:
            offset = offset + self.share_ * self._by_context(instances)
        kept = 1 - self.shrink_
        offset = kept * offset + self.shrink_ * self.constant_
        return Reading(reading.attention, kept * left * reading.values, offset)

    def _contributions(self, reading, instances, output=None):
        """Value of each instance of the one bag in units of the label, and the bag's offset."""
        column = output or 0
        unit, mean = np.ravel(self.label_scale_)[column], np.ravel(self.label_mean_)[column]
        return unit * reading.values[:, column], float(mean + unit * reading.offset[0, column])

    def predict(self, X):
        """Predicted label of each bag, (n,); (n, columns) where labels are several."""
        found = self._standard_predictions(X)
        return self.label_mean_ + self.label_scale_ * found

    def _standard_predictions(self, X: Any) -> np.ndarray:
        """Predictions in standard units, shaped like the labels."""
        _, instances = self._bags(X)
        found = pooled_prediction(self._read(instances), instances)
        return found[:, 0] if np.ndim(self.label_mean_) == 0 else found

    def predict_interval(self, X, coverage=0.9):
        """Lower and upper end, (n, 2), of intervals that hold a new label with that probability.

        A band around the prediction, as wide as bags left out ask for; (n, columns, 2), each column
        on its own, where labels are several.
        """
        coverage, middle = checked_coverage(coverage), self._standard_predictions(X)
        level = self.calibration_.level(coverage)
        return ends_in_units(self, middle - level, middle + level)
