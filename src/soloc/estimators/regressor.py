"""Single-location regression for the user's own bags: predict, say how sure, and name the decisive
instance."""

from numbers import Real

import numpy as np
import pandas as pd
from sklearn.base import RegressorMixin

from soloc.estimators.base import SingleLocation
from soloc.estimators.calibration import (
    conformal_level,
    left_out_scores,
    leverages,
    mixture_cdf,
    mixture_quantile,
    posterior_residual,
)
from soloc.estimators.diagnostics import Diagnostics, concentration
from soloc.estimators.fitting import TYPICAL_ALPHA, Problem, best_starts, fit_head
from soloc.estimators.labels import labels_for, numbers
from soloc.estimators.mean_pool import MeanPool, fit_mean_pool, without_folds
from soloc.estimators.model import bag_means, pooled_prediction, read
from soloc.estimators.selection import choose_value_alpha, held_out_folds, pointed_groups, select
from soloc.estimators.tokens import Tokens, centre_and_scale


class SingleLocationRegressor(RegressorMixin, SingleLocation):
    """Regression on bags of instances of which one decides the label, and nobody says which.

    The prediction is sum_l softmax(x k)_l (x_l . v) + b: attention chooses the instance, a linear
    function reads it.

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
    n_starts : int, default 4
        Starts that are compared: from moments of the data, from the mean-pool slope, then random.
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
        the data.
    intercept_ : float
    context_coef_ : array of shape (d,) or None
    noise_ : float
        Standard deviation of the label around the value of the decisive instance.
    loss_, alpha_ : str, float
        What was used, or chosen.
    selection_ : DataFrame or None
        Held-out R^2 of everything that "auto" tried.
    history_ : History
        Objective after each iteration, number of evaluations, whether and why the fit stopped.
    n_iter_ : int
    diagnostics_ : Diagnostics
        Held-out score against mean-pool ridge, concentration of the attention, and doubts in plain
        words.
    calibration_ : array of shape (n,)
        Sorted leave-one-out scores from which intervals are made; bags of a group, or that point at
        the same instance, are left out together.
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

    selection_: pd.DataFrame | None

    def __init__(
        self,
        loss="auto",
        alpha="auto",
        context=False,
        fit_intercept=True,
        n_starts=4,
        random_state=0,
        max_iter=200,
        tol=1e-5,
        value_alpha=None,
    ):
        super().__init__(loss, alpha, context, fit_intercept, n_starts, random_state, max_iter, tol)
        self.value_alpha = value_alpha

    def fit(self, X, y=None, groups=None):
        """Fit to bags `X` and one label per bag; `groups` are never split between fitting and
        held-out bags.

        Without `groups`, bags that share the instance they point at (the same word, the same image)
        are held out together; pass `groups=range(len(y))` where new bags will hold the same
        instances again.
        """
        rng = self._check_parameters()
        self._check_value_alpha()
        bags, groups = self._enter(X, groups)
        y = numbers(labels_for(y, bags))
        self.centre_, self.scale_ = centre_and_scale(bags, self.fit_intercept)
        self._label_mean = float(y.mean()) if self.fit_intercept else 0.0
        self._label_scale = float(np.sqrt(np.mean((y - self._label_mean) ** 2))) or 1.0
        labels = (y - self._label_mean) / self._label_scale
        tokens = Tokens(bags, self.centre_, self.scale_, shared=True)
        means = bag_means(tokens)
        pooled = fit_mean_pool(means, labels, self.fit_intercept)
        problem = Problem(tokens, labels, means if self.context else None, self.fit_intercept)
        del means
        losses = ["squared", "likelihood"] if self.loss == "auto" else [self.loss]
        alpha = None if isinstance(self.alpha, str) else float(self.alpha)
        starts = best_starts(
            problem,
            losses,
            TYPICAL_ALPHA * len(y) if alpha is None else alpha,
            pooled,
            self.n_starts,
            rng,
            self.tol,
        )
        held_out: np.ndarray | None = None
        pointed = groups is None
        if pointed:
            groups = pointed_groups(
                tokens, read(starts[losses[0]], tokens, problem.context).attention
            )
        if alpha is None or len(losses) > 1:
            choice = select(problem, losses, alpha, starts, groups, rng, tol=self.tol)
            self.selection_, held_out = choice.scores, choice.predictions
            self.loss_, self.alpha_, start = (
                choice.trial.loss,
                choice.trial.alpha,
                choice.trial.heads[0],
            )
        else:
            self.selection_ = None
            self.loss_, self.alpha_, start = losses[0], alpha, starts[losses[0]]
        fitted = fit_head(
            problem,
            self.loss_,
            self.alpha_,
            np.ones(len(y)),
            start,
            max_iter=self.max_iter,
            tol=self.tol,
            progress=self.on_progress,
        )
        self.head_, self.history_ = fitted.head, fitted.history
        if self.value_alpha is not None and self.loss_ == "squared":
            problem = self._with_value_alpha(problem, groups, rng)
            self.head_ = problem.objective("squared", self.alpha_, np.ones(len(y))).head(
                self.head_.key
            )
        if pointed:  # the fit knows better than its start
            groups = pointed_groups(tokens, read(self.head_, tokens, problem.context).attention)
        folds = None if groups is None else held_out_folds(len(y), groups, rng, every=True)
        if folds is not None:
            pooled = without_folds(pooled, bag_means(tokens), labels, folds, self.fit_intercept)
            held_out = None  # what is left out below knows better which bags belong together
        self._describe(problem, pooled, held_out, folds)
        self._warn_about_convergence()
        return self

    def _check_value_alpha(self) -> None:
        """Refuse a penalty of the value that cannot be."""
        given = self.value_alpha
        plain = isinstance(given, Real) and not isinstance(given, bool)
        if given is not None and given != "auto" and not (plain and 0 <= float(given) < 1e30):
            raise ValueError(
                f'`value_alpha` must be a number from 0 to 1e30, "auto" or None, got {given!r}.'
            )

    def _with_value_alpha(
        self, problem: Problem, groups: np.ndarray | None, rng: np.random.Generator
    ) -> Problem:
        """The problem with the penalty of the value that was given, or that held-out bags choose."""
        if self.value_alpha != "auto":
            return problem._replace(value_alpha=float(self.value_alpha))
        folds = held_out_folds(len(problem.y), groups, rng, every=True)
        return problem._replace(
            value_alpha=choose_value_alpha(problem, self.head_.key, self.alpha_, folds)
        )

    def _describe(
        self,
        problem: Problem,
        pooled: MeanPool,
        held_out: np.ndarray | None,
        folds: list[np.ndarray] | None,
    ) -> None:
        """Calibration, diagnostics, and the fitted attributes in the units of the data."""
        head, tokens = self.head_, problem.tokens
        self._set_units()
        reading = read(head, tokens, problem.context)
        fitted = pooled_prediction(reading, tokens)
        if folds is not None:
            predictions, transform = left_out_scores(
                problem, self.loss_, self.alpha_, head, folds, self.tol
            )
            residual = problem.y - predictions
        else:
            influence = leverages(
                problem.objective("squared", self.alpha_, np.ones(len(problem.y))), head
            )
            residual = (problem.y - fitted) / (1 - influence)
            moved = problem.y + posterior_residual(
                problem.y, reading, tokens, head.noise
            ) * influence / (1 - influence)
            transform = mixture_cdf(moved, reading, tokens, head.noise)
        scores = np.abs(2 * transform - 1) if self.loss_ == "likelihood" else np.abs(residual)
        self.calibration_ = np.sort(scores)
        if self.loss_ == "squared":
            transform = (np.argsort(np.argsort(residual)) + 0.5) / len(residual)
        self._left_out = np.stack([problem.y, problem.y - residual, transform])
        seen = (
            np.arange(len(problem.y)) if held_out is None else np.flatnonzero(np.isfinite(held_out))
        )
        predicted = problem.y - residual if held_out is None else held_out
        self.diagnostics_ = Diagnostics(
            r_squared(problem.y[seen], predicted[seen]),
            r_squared(problem.y[seen], pooled.left_out[seen]),
            0.0,
            *concentration(reading.attention, tokens),
        )

    def _set_units(self) -> None:
        """Key, value, intercept and noise in the units of the data, from the head in standard
        units.
        """
        head, unit = self.head_, self._label_scale
        self.key_, self.value_ = head.key / self.scale_, unit * head.value / self.scale_
        self.context_coef_ = None if head.context is None else unit * head.context / self.scale_
        at_centre = self.centre_ @ (
            self.value_ if self.context_coef_ is None else self.value_ + self.context_coef_
        )
        self.intercept_ = float(self._label_mean + unit * head.intercept - at_centre)
        self.noise_ = unit * head.noise
        self.n_iter_ = self.history_.iterations

    def _contributions(self, reading, tokens, output=None):
        """Value of each instance of the one bag in the units of the label, and the offset of the
        bag.
        """
        offset = self._label_mean + self._label_scale * float(reading.offset[0])
        return self._label_scale * reading.values.astype(np.float64), offset

    @property
    def residuals_(self) -> pd.DataFrame:
        """Label, leave-one-out prediction and probability integral transform of each training bag."""
        labels, predictions, transform = self._left_out
        mean, unit = self._label_mean, self._label_scale
        return pd.DataFrame(
            {
                "label": mean + unit * labels,
                "prediction": mean + unit * predictions,
                "pit": transform,
            }
        )

    def residuals(self, X, y) -> pd.DataFrame:
        """Label, prediction and probability integral transform of each bag, for calibration and
        residual plots."""
        bags, tokens = self._bags(X)
        y = numbers(labels_for(y, bags))
        reading = self._read(tokens)
        prediction = pooled_prediction(reading, tokens)
        labels = (y - self._label_mean) / self._label_scale
        if self.loss_ == "likelihood":
            transform = mixture_cdf(labels, reading, tokens, self.head_.noise)
        else:
            left_out = np.sort(self._left_out[0] - self._left_out[1])
            transform = (np.searchsorted(left_out, labels - prediction) + 0.5) / (len(left_out) + 1)
        prediction = self._label_mean + self._label_scale * prediction
        return pd.DataFrame({"label": y, "prediction": prediction, "pit": transform})

    def predict(self, X):
        """Predicted label of each bag, (n,)."""
        _, tokens = self._bags(X)
        return self._label_mean + self._label_scale * pooled_prediction(self._read(tokens), tokens)

    def predict_interval(self, X, coverage=0.9):
        """Lower and upper end, (n, 2), of intervals that hold the label of a new bag with
        probability `coverage`.

        With the likelihood these are central intervals of the Gaussian mixture over locations, else
        a band around the prediction; both are calibrated on the leave-one-out errors of the
        training bags.
        """
        if not isinstance(coverage, (float, int, np.floating)) or not 0 < coverage < 1:
            raise ValueError(f"`coverage` must be a number between 0 and 1, got {coverage!r}.")
        _, tokens = self._bags(X)
        reading = self._read(tokens)
        level = conformal_level(self.calibration_, float(coverage))
        if self.loss_ == "likelihood":
            level = min(level, 1 - 1e-9)
            ends = [
                mixture_quantile(0.5 * (1 + sign * level), reading, tokens, self.head_.noise)
                for sign in (-1, 1)
            ]
        else:
            middle = pooled_prediction(reading, tokens)
            ends = [middle - level, middle + level]
        return self._label_mean + self._label_scale * np.column_stack(ends)


def r_squared(y: np.ndarray, predicted: np.ndarray) -> float:
    """Coefficient of determination; 0 when the labels do not vary."""
    spread = float(np.sum((y - y.mean()) ** 2))
    return 1 - float(np.sum((y - predicted) ** 2)) / spread if spread > 0 else 0.0
