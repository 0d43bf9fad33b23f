"""The automatic regressor."""

from typing import Any, ClassVar

import numpy as np
import pandas as pd
from sklearn.utils.metaestimators import available_if

from soloc.estimators.auto.estimator import AutoEstimator
from soloc.estimators.auto.pooled import pooled_regressor
from soloc.estimators.bags import Bags
from soloc.estimators.files import saved_by_name
from soloc.estimators.label_units import units_of
from soloc.estimators.labels import numbers
from soloc.estimators.network.regressor import SingleLocationNetworkRegressor
from soloc.estimators.pointing import BagRegressorMixin
from soloc.estimators.regressor import SingleLocationRegressor


@saved_by_name
class SingleLocationAutoRegressor(BagRegressorMixin, AutoEstimator):
    """Regression on bags for people who do not want to choose a model.

    Mean-pool ridge, `SingleLocationRegressor` and `SingleLocationNetworkRegressor` are fitted, and
    the one that predicts best the bags it left out answers, or mean-pool ridge where that is as
    good, within a standard error or .005: nothing can be pointed at then, and `locate` says so.

    Parameters
    ----------
    candidates : list of {"mean-pool", "linear", "network"} or None, default None
        What is compared; None means all, but for small and wide sets, where the linear search has
        nothing to go by.
    random_state : int, RandomState or None, default 0
    n_jobs : int or None, default None
        Processes that fit members of the network.
    verbose : int, default 0
        Whether the score of each candidate is printed.

    Attributes
    ----------
    choice_ : {"mean-pool", "linear", "network"}
    scores_ : DataFrame
        R^2 on bags left out by all candidates, its standard error, CPU seconds of each.
    reason_ : str
        Which, why, and what each scored, in a sentence.
    model_ : the chosen model, fitted
    diagnostics_ : Diagnostics of it
    n_features_in_ : int

    Examples
    --------
    >>> from soloc.datasets import make_single_location
    >>> data = make_single_location(600, width=6, signal=4.0, random_state=0)
    >>> model = SingleLocationAutoRegressor().fit(data.bags, data.labels)
    >>> model.choice_
    'linear'
    """

    kinds: ClassVar[dict[str, type]] = {
        "linear": SingleLocationRegressor,
        "network": SingleLocationNetworkRegressor,
    }
    unit = "R^2"

    def _standard(self, labels: np.ndarray, weights: np.ndarray) -> np.ndarray:
        y = numbers(labels)
        units = units_of(y, weights, True)
        return (y - units["label_mean_"]) / units["label_scale_"]

    def _pooled(
        self,
        bags: Bags,
        labels: np.ndarray,
        weights: np.ndarray,
        folds: list[np.ndarray],
        groups: np.ndarray | None,
    ) -> Any:
        return pooled_regressor(bags, labels, weights, folds, groups)

    def _errors(self, y: np.ndarray, predicted: np.ndarray) -> np.ndarray:
        return ((y - predicted) ** 2).mean(axis=1)

    def predict_interval(self, X, coverage=0.9):
        """Lower and upper end, (n, 2), of intervals that hold a new label with that probability.

        (n, columns, 2) where labels are several.
        """
        return self._model().predict_interval(X, coverage)

    @property
    def residuals_(self) -> pd.DataFrame:
        """Label, prediction and integral transform of each training bag; not of a network."""
        return self._model().residuals_

    @available_if(lambda self: hasattr(getattr(self, "model_", None), "residuals"))
    def residuals(self, X, y) -> pd.DataFrame:
        """The same of new bags."""
        return self._model().residuals(X, y)
