"""The network regressor: a label, how sure, and who decided, where tokens are not linear."""

from typing import Any

import numpy as np

from soloc.estimators.calibration import conformal_level
from soloc.estimators.coefficients import Reading, pooled_prediction
from soloc.estimators.fields import Fields
from soloc.estimators.files import saved_by_name
from soloc.estimators.instances import Instances
from soloc.estimators.labels import numbers
from soloc.estimators.network.ensemble import Ensemble
from soloc.estimators.network.estimator import NetworkEstimator, rounded
from soloc.estimators.network.losses import Numbers
from soloc.estimators.pointing import BagRegressorMixin
from soloc.estimators.regressor import number_scores


@saved_by_name
class SingleLocationNetworkRegressor(BagRegressorMixin, NetworkEstimator):
    """Regression on bags of which one instance decides, by functions that need not be linear.

    A hidden layer is shared by the attention, which chooses the instance, and by the value, which
    reads it. Several members, each of which leaves out a fold of the bags, are averaged, and
    boosted trees on the mean of the bag are mixed in where bags left out ask for them.

    Parameters
    ----------
    decay : float or "auto", default "auto"
        Decay of the weights of the hidden layer; "auto" asks bags left out.
    units : int, default 64
        Units of the hidden layer.
    members : int or "auto", default "auto"
        Members of the ensemble; "auto" takes 10 below 300 bags, 5 below 1000, else 3.
    context : bool, default True
        Whether boosted trees on (mean of the bag, its length) may be mixed in.
    max_epochs : int, default 80
        Most passes over the bags; members stop when bags left out say so.
    random_state : int, RandomState or None, default 0
        Decides starts, batches and folds; not the order of bags.
    n_jobs : int or None, default None
        Processes that fit members; None means one, in this process.
    verbose : int, default 0
        Whether the error of bags left out is printed after each epoch.

    Attributes
    ----------
    members_ : Weights
        Parameters of the networks, each with a first axis of members.
    share_ : float
        Share of the boosted trees in the prediction; 0 where they were not wanted.
    shrink_ : float
        By how much predictions are drawn to the mean label, as bags left out ask; 0 mostly, 1 on
        noise.
    decay_ : float
    noise_ : float
        Standard deviation of the label around the value of the decisive instance.
    selection_ : DataFrame or None
        Error of bags left out by decay, where it was chosen.
    history_ : DataFrame
        Error of bags left out after each epoch of each member.
    diagnostics_ : Diagnostics
        Held-out score against models that do not point, agreement of members, and doubts in words.
    calibration_ : array
        Sorted sizes of the errors of bags left out, from which intervals are made.
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

    label_mean_: float
    label_scale_: float
    calibration_: np.ndarray
    noise_: float

    # -- stages of the fit

    def _standard_labels(self, labels: np.ndarray) -> tuple[np.ndarray, dict[str, Any]]:
        y = numbers(labels)
        mean, scale = (float(each) for each in rounded(y.mean(), np.array(y.std())))
        scale = scale or 1.0
        return (y - mean) / scale, {"label_mean_": mean, "label_scale_": scale}

    def _scores(self, y: np.ndarray, predicted: np.ndarray, pooled: np.ndarray) -> Any:
        return number_scores(y[:, 0], predicted[:, 0], pooled[:, 0])

    def _calibrated(self, y: np.ndarray, predicted: np.ndarray, ensemble: Ensemble) -> Any:
        return {
            "calibration_": np.sort(np.abs(y - predicted)[:, 0]),
            "noise_": float(np.sqrt(np.mean([member.noise for member in ensemble.members]))),
        }

    # -- files

    def _saved(self) -> Fields:
        state = super()._saved()
        facts = {
            "label_mean": self.label_mean_,
            "label_scale": self.label_scale_,
            "noise": self.noise_,
        }
        return Fields(state.facts | facts, state.arrays | {"calibration": self.calibration_})

    def _restored_labels(self, fields: Fields, outputs: int) -> dict[str, Any]:
        calibration = fields.array("calibration", (None,))
        if len(calibration) == 0 or outputs != 1:
            raise ValueError("array 'calibration' must have at least one entry, for one output")
        return {
            "label_mean_": fields.number("label_mean"),
            "label_scale_": fields.number("label_scale", least=1e-300),
            "noise_": fields.number("noise", least=0.0),
            "calibration_": calibration,
        }

    # -- what a fitted model says

    def _read(self, instances: Instances) -> Reading:
        """With trees and constant in the offset: weights times values and it are the prediction."""
        reading = super()._read(instances)
        left, offset = 1 - self.share_, (1 - self.share_) * reading.offset
        if self.share_:
            offset = offset + self.share_ * self._by_trees(instances)
        kept = 1 - self.shrink_
        offset = kept * offset + self.shrink_ * self.constant_
        return Reading(reading.attention, kept * left * reading.values, offset)

    def _contributions(self, reading, instances, output=None):
        """Value of each instance of the one bag in units of the label, and the bag's offset."""
        offset = self.label_mean_ + self.label_scale_ * float(reading.offset[0, 0])
        return self.label_scale_ * reading.values[:, 0], offset

    def predict(self, X):
        """Predicted label of each bag, (n,)."""
        _, instances = self._bags(X)
        standard = pooled_prediction(self._read(instances), instances)[:, 0]
        return self.label_mean_ + self.label_scale_ * standard

    def predict_interval(self, X, coverage=0.9):
        """Lower and upper end, (n, 2), of intervals that hold a new label with that probability.

        A band around the prediction, as wide as bags left out ask for.
        """
        if not isinstance(coverage, (float, int, np.floating)) or not 0 < coverage < 1:
            raise ValueError(f"`coverage` must be a number between 0 and 1, got {coverage!r}.")
        level = self.label_scale_ * conformal_level(self.calibration_, float(coverage))
        middle = self.predict(X)
        return np.column_stack([middle - level, middle + level])
