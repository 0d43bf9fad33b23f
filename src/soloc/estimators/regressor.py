"""Single-location regression for the user's own bags: a label, how sure, and who decided."""

from typing import Any

import numpy as np
import pandas as pd

from soloc.estimators.agreement import agreement_of, concentration_of
from soloc.estimators.bags import in_blocks
from soloc.estimators.base import BagEstimator
from soloc.estimators.calibration import (
    Calibration,
    calibration_of,
    left_out_alone,
    left_out_scores,
    mixture_cdf,
    mixture_quantile,
)
from soloc.estimators.coefficients import bag_means, pooled_prediction
from soloc.estimators.diagnostics import Diagnostics, gain
from soloc.estimators.fields import Fields
from soloc.estimators.files import saved_by_name
from soloc.estimators.fitting import Fitted
from soloc.estimators.groups import count_of
from soloc.estimators.in_blocks import whole
from soloc.estimators.label_units import (
    checked_coverage,
    ends_in_units,
    restored_units,
    saved_outputs,
    saved_units,
    units_of,
)
from soloc.estimators.labels import labels_for, numbers
from soloc.estimators.mean_pool import without_folds
from soloc.estimators.objectives.catalogue import NUMBERS
from soloc.estimators.objectives.data import Data
from soloc.estimators.objectives.squared import SquaredLoss
from soloc.estimators.parameters import is_real, is_word
from soloc.estimators.pointing import BagRegressorMixin
from soloc.estimators.selection import choose_value_alpha, held_out_folds, pointed_groups
from soloc.estimators.stages import Chosen, Entered


@saved_by_name
class SingleLocationRegressor(BagRegressorMixin, BagEstimator):
    """Regression on bags of instances of which one decides the label, and nobody says which.

    The prediction is sum_l softmax(x k)_l (x_l . v) + b: attention chooses the instance, a linear
    function reads it. Several columns of `y` are decided by one and the same instance: they share
    the attention, and each has a value of its own. Where columns may have decisive instances of
    their own, scikit-learn's `MultiOutputRegressor` makes one model for each.

    Parameters
    ----------
    loss : {"auto", "likelihood", "squared"}, default "auto"
        "likelihood" treats the location as a latent variable and is the efficient choice when one
        instance decides; "squared" fits the prediction itself and is more robust to other truths.
        "auto" asks held-out bags.
    alpha : float or "auto", default "auto"
        Ridge penalty, on features and labels in standard units, summed over bags as in
        scikit-learn's `Ridge`. "auto" follows a path with warm starts and asks held-out bags.
    context : bool, default False
        Add a linear term in the mean of the bag.
    fit_intercept : bool, default True
        Fit b; without it neither features nor labels are centred.
    n_starts : int, default 32
        Starts that are compared after a few iterations on some bags: from moments of the data, from
        the mean-pool slope, then random.
    random_state : int, RandomState or None, default 0
        Decides random starts and which bags are held out.
    max_iter, tol : int, float
        Iterations of the last fit, and the relative decrease of the objective at which it stops.
    value_alpha : float, "auto" or None, default None
        With the squared loss, the penalty of the value once the key is found; "auto" asks held-out
        bags. Where instances repeat, a key that knows every one of them points best, while a value
        that does predicts new ones badly. None keeps `alpha`.

    Attributes
    ----------
    key_, value_ : arrays of shape (d,)
        Attention scores are `x @ key_`, the value of an instance is `x @ value_`, in the units of
        the data. With several columns of `y`, `value_` is (d, columns), as is `context_coef_`, and
        `intercept_` and `noise_` have one entry per column.
    intercept_ : float
    context_coef_ : array of shape (d,) or None
    noise_ : float
        Standard deviation of the label around the value of the decisive instance.
    loss_, alpha_, key_alpha_ : str, float, float
        What was used, or chosen; the key has a penalty of its own.
    selection_ : DataFrame or None
        Held-out R^2 of everything that "auto" tried.
    history_ : History
        Objective after each iteration, number of evaluations, whether and why the fit stopped.
    n_iter_ : int
    diagnostics_ : Diagnostics
        Held-out score against mean-pool ridge, concentration of the attention, and doubts in plain
        words.
    calibration_ : Calibration
        Sorted leave-one-out scores, and weights of the bags, from which intervals are made; bags of
        a group, or that point at the same instance, are left out together.
    residuals_ : DataFrame
        Label, leave-one-out prediction and probability integral transform of each training bag.
    n_features_in_ : int

    Examples
    --------
    >>> from soloc.datasets import make_single_location
    >>> data = make_single_location(400, width=10, random_state=0)
    >>> model = SingleLocationRegressor(alpha=1.0, loss="likelihood").fit(data.bags, data.labels)
    >>> bool((model.locate(data.bags) == data.locations).mean() > 0.95)
    True
    """

    objectives = NUMBERS
    always_holds_out = False  # leverages tell what leaving a bag out would do

    label_mean_: Any
    label_scale_: Any
    left_out_: np.ndarray
    calibration_: Calibration

    def __init__(
        self,
        loss="auto",
        alpha="auto",
        context=False,
        fit_intercept=True,
        n_starts=32,
        random_state=0,
        max_iter=200,
        tol=1e-5,
        value_alpha=None,
    ):
        super().__init__(loss, alpha, context, fit_intercept, n_starts, random_state, max_iter, tol)
        self.value_alpha = value_alpha

    # -- stages of the fit

    def _check_parameters(self) -> np.random.Generator:
        given = self.value_alpha
        number = is_real(given) and 0 <= given < 1e30
        if given is not None and not is_word(given, "auto") and not number:
            raise ValueError(
                f'`value_alpha` must be a number from 0 to 1e30, "auto" or None, got {given!r}.'
            )
        return super()._check_parameters()

    def _standard_labels(
        self, labels: np.ndarray, weights: np.ndarray
    ) -> tuple[np.ndarray, dict[str, Any]]:
        y = numbers(labels)
        units = units_of(y, weights, self.fit_intercept)
        return (y - units["label_mean_"]) / units["label_scale_"], units

    def _describe(self, entered: Entered, chosen: Chosen, fitted: Fitted) -> dict[str, Any]:
        """Coefficients, diagnostics and calibration."""
        data, groups, found = chosen.data, chosen.groups, fitted.coefficients
        kind = entered.losses[chosen.loss]
        if self.value_alpha is not None and kind is SquaredLoss:
            data = self._with_value_alpha(data, found.key, groups, entered.tickets)
            found = whole(SquaredLoss, data).coefficients(found.key)
        if entered.groups is None and data.instances.repeated is not None:
            # the fit knows better than its start who points where
            groups = pointed_groups(data.instances, data.read(found).attention)
        # first, while there are no scores of bags: where these are on disk, they take much memory
        alike, sharp = agreement_of(data, found, chosen.halves), concentration_of(data, found)
        pooled, held_out = entered.pooled, chosen.held_out
        if groups is None and data.y.ndim == 1:
            residual, transform = left_out_alone(data, found)
        else:  # several labels are left out in folds too: leverages know of one
            folds = held_out_folds(entered.tickets, groups, every=True)
            means = bag_means(data.instances)
            pooled = without_folds(pooled, means, data.y, data.weights, folds, self.fit_intercept)
            held_out = None  # what is left out here knows better which bags belong together
            predictions, transform = left_out_scores(data, kind, found, folds, self.tol)
            residual = data.y - predictions
        scores = np.abs(2 * transform - 1) if kind.latent else np.abs(residual)
        if not kind.latent:
            transform = ranks(residual)
        predicted = data.y - residual if held_out is None else held_out
        seen = np.isfinite(predicted.reshape(len(predicted), -1)).all(axis=1)
        left = pooled.left_out[seen]
        # by fits without a bag, NaN where there is none: leverages exaggerate its error
        honest = predicted if seen.any() else data.y - residual
        return {
            "coefficients_": found,
            "calibration_": calibration_of(scores, data.weights, count_of(groups, len(data.y))),
            "left_out_": np.stack([data.y, data.y - residual, transform]),
            "held_out_": honest.reshape(len(data.y), -1),
            "groups_": groups,
            "diagnostics_": Diagnostics(
                *number_scores(
                    data.y[seen],
                    predicted[seen],
                    left,
                    data.weights[seen],
                    None if groups is None else groups[seen],
                ),
                *alike,
                *sharp,
            ),
        }

    def _with_value_alpha(
        self, data: Data, key: np.ndarray, groups: np.ndarray | None, tickets: np.ndarray
    ) -> Data:
        """The data with the penalty of the value that was given, or that held-out bags choose."""
        if self.value_alpha != "auto":
            return data._replace(value_alpha=float(self.value_alpha))
        folds = held_out_folds(tickets, groups, every=True)
        return data._replace(value_alpha=choose_value_alpha(data, key, folds))

    def _in_units(self, attributes: dict[str, Any]) -> dict[str, Any]:
        found, scale, unit = (
            attributes["coefficients_"],
            attributes["scale_"],
            attributes["label_scale_"],
        )
        value = unit * (found.value.T / scale).T
        context = None if found.context is None else unit * (found.context.T / scale).T
        at_centre = attributes["centre_"] @ (value if context is None else value + context)
        intercept = attributes["label_mean_"] + unit * found.intercept - at_centre
        return {
            "key_": found.key / scale,
            "value_": value,
            "context_coef_": context,
            "intercept_": intercept if value.ndim == 2 else float(intercept),
            "noise_": unit * found.noise,
            "n_iter_": max(1, attributes["history_"].iterations),
        }

    # -- files

    def _saved(self) -> Fields:
        state = super()._saved()
        units = saved_units(self)
        arrays = units.arrays | {"left_out": self.left_out_}
        return Fields(state.facts | units.facts, state.arrays | arrays)

    def _shape_of_value(self, fields: Fields, d: int) -> tuple[int, ...]:
        return d, *saved_outputs(fields)

    def _restored_labels(self, fields: Fields) -> dict[str, Any]:
        units = restored_units(fields)
        shape = units["calibration_"].scores.shape
        return units | {"left_out_": fields.array("left_out", (3, *shape))}

    # -- what a fitted model says

    def _contributions(self, reading, instances, output=None):
        """Value of each instance of the one bag in units of the label, and the bag's offset."""
        values, offset, column = reading.values.astype(np.float64), reading.offset[0], output or 0
        if values.ndim == 1:
            return self.label_scale_ * values, self.label_mean_ + self.label_scale_ * float(offset)
        offset = self.label_mean_ + self.label_scale_ * offset
        return self.label_scale_[column] * values[:, column], float(offset[column])

    @property
    def residuals_(self) -> pd.DataFrame:
        """Label, leave-one-out prediction and integral transform of each training bag."""
        labels, predictions, transform = self.left_out_
        mean, unit = self.label_mean_, self.label_scale_
        return residual_table(mean + unit * labels, mean + unit * predictions, transform)

    def residuals(self, X, y) -> pd.DataFrame:
        """Label, prediction and probability integral transform of each bag, for calibration and
        residual plots."""
        bags, instances = self._bags(X)
        y = numbers(labels_for(y, bags, self.several_labels))
        reading = self._read(instances)
        prediction = pooled_prediction(reading, instances)
        labels = (y - self.label_mean_) / self.label_scale_
        if self.objectives[self.loss_].latent:
            transform = mixture_cdf(labels, reading, instances, self.coefficients_.noise)
        else:
            left_out = self.left_out_[0] - self.left_out_[1]
            transform = ranks_among(left_out, labels - prediction)
        prediction = self.label_mean_ + self.label_scale_ * prediction
        return residual_table(y, prediction, transform)

    @in_blocks
    def predict(self, X):
        """Predicted label of each bag, (n,); (n, columns) where labels are several."""
        _, instances = self._bags(X)
        return self.label_mean_ + self.label_scale_ * pooled_prediction(
            self._read(instances), instances
        )

    @in_blocks
    def predict_interval(self, X, coverage=0.9):
        """Lower and upper end, (n, 2), of intervals that hold the label of a new bag with
        probability `coverage`; (n, columns, 2), each on its own, where labels are several.

        With the likelihood these are central intervals of the Gaussian mixture over locations, else
        a band around the prediction; both are calibrated on the leave-one-out errors of the
        training bags.
        """
        coverage = checked_coverage(coverage)
        _, instances = self._bags(X)
        reading, level = self._read(instances), self.calibration_.level(coverage)
        if self.objectives[self.loss_].latent:
            level, noise = np.minimum(level, 1 - 1e-9), self.coefficients_.noise
            low, high = (
                mixture_quantile(0.5 * (1 + sign * level), reading, instances, noise)
                for sign in (-1, 1)
            )
        else:
            middle = pooled_prediction(reading, instances)
            low, high = middle - level, middle + level
        return ends_in_units(self, low, high)


def number_scores(
    y: np.ndarray,
    predicted: np.ndarray,
    pooled: np.ndarray,
    weights: np.ndarray,
    groups: np.ndarray | None,
) -> tuple[float, float, float, float, float]:
    """R^2 of the model, of mean-pool ridge and of a constant, and errors of the differences.

    Averaged over columns where labels are several.
    """
    y, predicted, pooled = (each.reshape(len(y), -1) for each in (y, predicted, pooled))
    centre = weights @ y / weights.sum()
    spread = weights @ (y - centre) ** 2 / weights.sum()
    spread = np.where(spread > 0, spread, 1.0)
    of_model, of_pool, of_constant = (
        ((y - each) ** 2 / spread).mean(axis=1) for each in (predicted, pooled, centre)
    )
    beyond_chance = gain(of_constant - of_model, weights, groups)
    beyond_pool = gain(of_pool - of_model, weights, groups)
    score = beyond_chance.mean
    return score, score - beyond_pool.mean, 0.0, beyond_chance.error, beyond_pool.error


def ranks(residual: np.ndarray) -> np.ndarray:
    """Where each residual stands among all, between 0 and 1, column by column."""
    return (np.argsort(np.argsort(residual, axis=0), axis=0) + 0.5) / len(residual)


def ranks_among(left_out: np.ndarray, residual: np.ndarray) -> np.ndarray:
    """Where each residual stands among those of bags left out, column by column."""
    n, several = len(left_out), left_out.reshape(len(left_out), -1)
    columns = zip(np.sort(several, axis=0).T, residual.reshape(len(residual), -1).T, strict=True)
    found = [np.searchsorted(among, each) for among, each in columns]
    return ((np.stack(found, axis=1) + 0.5) / (n + 1)).reshape(residual.shape)


def residual_table(
    labels: np.ndarray, predictions: np.ndarray, transform: np.ndarray
) -> pd.DataFrame:
    """One row per bag; per bag and column of the labels where these are several."""
    table = {"label": labels.ravel(), "prediction": predictions.ravel(), "pit": transform.ravel()}
    if labels.ndim == 2:
        table["column"] = np.tile(np.arange(labels.shape[1]), len(labels))
    return pd.DataFrame(table)
