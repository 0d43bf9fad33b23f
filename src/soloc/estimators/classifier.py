"""Single-location classification for the user's own bags, binary and multiclass."""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from soloc.estimators.agreement import agreement_of, concentration_of
from soloc.estimators.bags import in_blocks
from soloc.estimators.base import BagEstimator
from soloc.estimators.coefficients import bag_means
from soloc.estimators.diagnostics import Diagnostics, gain
from soloc.estimators.fields import Fields
from soloc.estimators.files import saved_by_name
from soloc.estimators.fitting import Fitted
from soloc.estimators.labels import classes
from soloc.estimators.mean_pool import without_folds
from soloc.estimators.objectives.catalogue import CLASSES
from soloc.estimators.objectives.class_objective import ClassObjective
from soloc.estimators.pointing import BagClassifierMixin
from soloc.estimators.selection import held_out_folds
from soloc.estimators.stages import Chosen, Entered


@saved_by_name
class SingleLocationClassifier(BagClassifierMixin, BagEstimator):
    """Classification of bags of instances of which one decides the class, and nobody says which.

    Parameters
    ----------
    loss : {"auto", "likelihood", "cross_entropy"}, default "auto"
        "likelihood": the decisive instance is latent and draws the class, p(y|X) = sum_l p_l
        softmax(x_l V + b)_y. "cross_entropy": that of the pooled logits, softmax(sum_l p_l x_l V +
        b)_y, the counterpart of the regressor's squared loss. "auto" asks held-out bags.
    alpha : float or "auto", default "auto"
        Penalty alpha |V|^2 / 2 on the log-likelihood, features in standard units. "auto" asks
        held-out bags.
    context, fit_intercept, n_starts, random_state, max_iter, tol
        As for `SingleLocationRegressor`.
    class_weight : dict, "balanced" or None, default None
        Weights of classes, which multiply those of bags; "balanced" makes all classes weigh alike.

    Attributes
    ----------
    classes_ : array of the labels seen
    key_ : array of shape (d,)
    value_ : array of shape (d, classes)
        Logits of an instance are `x @ value_ + intercept_`, in the units of the data.
    intercept_ : array of shape (classes,)
    context_coef_ : array of shape (d, classes) or None
    loss_, alpha_, selection_, history_, n_iter_, diagnostics_, n_features_in_
        As for `SingleLocationRegressor`; held-out scores in `diagnostics_` are accuracies.

    Examples
    --------
    >>> from soloc.datasets import make_single_location
    >>> data = make_single_location(600, width=10, random_state=0)
    >>> model = SingleLocationClassifier(alpha=1.0).fit(data.bags, data.labels > 0)
    >>> bool(model.score(data.bags, data.labels > 0) > 0.85)
    True
    """

    objectives: ClassVar[Mapping[str, type[ClassObjective]]] = CLASSES
    always_holds_out = True

    classes_: np.ndarray

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
        class_weight=None,
    ):
        super().__init__(loss, alpha, context, fit_intercept, n_starts, random_state, max_iter, tol)
        self.class_weight = class_weight

    # -- stages of the fit

    def _standard_labels(
        self, labels: np.ndarray, weights: np.ndarray
    ) -> tuple[np.ndarray, dict[str, Any]]:
        found, one_hot = classes(labels)
        return one_hot, {"classes_": found}

    def _describe(self, entered: Entered, chosen: Chosen, fitted: Fitted) -> dict[str, Any]:
        """Coefficients and diagnostics."""
        data, pooled, found = entered.data, entered.pooled, fitted.coefficients
        if chosen.groups is not None:
            folds = held_out_folds(entered.tickets, chosen.groups, every=True)
            means = bag_means(data.instances)
            pooled = without_folds(pooled, means, data.y, data.weights, folds, True)
        assert chosen.held_out is not None
        seen = np.isfinite(chosen.held_out).all(axis=1)
        return {
            "coefficients_": found,
            "held_out_": chosen.held_out,
            "groups_": chosen.groups,
            "diagnostics_": Diagnostics(
                *class_scores(
                    data.y[seen],
                    chosen.held_out[seen],
                    pooled.left_out[seen],
                    data.weights[seen],
                    None if chosen.groups is None else chosen.groups[seen],
                ),
                *agreement_of(data, found, chosen.halves),
                *concentration_of(data, found),
            ),
        }

    def _in_units(self, attributes: dict[str, Any]) -> dict[str, Any]:
        found, scale = attributes["coefficients_"], attributes["scale_"][:, None]
        value = found.value / scale
        context = None if found.context is None else found.context / scale
        at_centre = attributes["centre_"] @ (value if context is None else value + context)
        return {
            "key_": found.key / attributes["scale_"],
            "value_": value,
            "context_coef_": context,
            "intercept_": found.intercept - at_centre,
            "n_iter_": max(1, attributes["history_"].iterations),
        }

    # -- files

    def _saved(self) -> Fields:
        state = super()._saved()
        return Fields(state.facts, state.arrays | {"classes": plain_classes(self.classes_)})

    def _shape_of_value(self, fields: Fields, d: int) -> tuple[int, ...]:
        return d, len(fields.any_array("classes", (None,)))

    def _restored_labels(self, fields: Fields) -> dict[str, Any]:
        found = fields.any_array("classes", (None,))
        if found.dtype.kind not in "biufU" or len(np.unique(found)) < max(len(found), 2):
            raise ValueError("array 'classes' must hold at least two classes, each once")
        return {"classes_": found}

    # -- what a fitted model says

    def _contributions(self, reading, instances, output=None):
        """Value of each instance for the predicted class (or `output`), and the bag's offset."""
        kind = self.objectives[self.loss_]
        if output is None:
            output = int(np.argmax(kind.predict(reading, instances)[0]))
        return kind.contributions(reading, output)

    @in_blocks
    def predict_proba(self, X):
        """Probability of each class, (n, classes), in the order of `classes_`."""
        _, instances = self._bags(X)
        return self.objectives[self.loss_].predict(self._read(instances), instances)

    @in_blocks
    def predict(self, X):
        """The most probable class of each bag, (n,)."""
        probability = self.predict_proba(X)
        return self.classes_[np.argmax(probability, axis=1)]


def class_scores(
    one_hot: np.ndarray,
    predicted: np.ndarray,
    pooled: np.ndarray,
    weights: np.ndarray,
    groups: np.ndarray | None,
) -> tuple[float, float, float, float, float]:
    """Accuracy of the model, of mean-pool ridge and of a constant, and errors of differences."""
    truth = np.argmax(one_hot, axis=1)
    right = (np.argmax(predicted, axis=1) == truth).astype(float)
    largest = np.argmax(np.bincount(truth, weights=weights))
    beyond_chance = gain(right - (truth == largest), weights, groups)
    beyond_pool = gain(right - (np.argmax(pooled, axis=1) == truth), weights, groups)
    score = float(np.average(right, weights=weights))
    pool_score, chance = score - beyond_pool.mean, score - beyond_chance.mean
    return score, pool_score, chance, beyond_chance.error, beyond_pool.error


def plain_classes(found: np.ndarray) -> np.ndarray:
    """Classes in an array without objects."""
    if found.dtype.kind in "biufU":
        return found
    if all(isinstance(label, str) for label in found):
        return found.astype(np.str_)
    raise ValueError(
        "a model is saved only with classes in `y` that are numbers or strings, got"
        f" {found[0]!r:.60}; convert the labels and fit again."
    )
