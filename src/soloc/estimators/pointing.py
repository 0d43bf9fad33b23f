"""Pointing: what every fitted model says about bags, and the file it is kept in."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from soloc.estimators.bags import Bags, as_bags, in_blocks
from soloc.estimators.coefficients import Reading
from soloc.estimators.columns import named_bags
from soloc.estimators.diagnostics import Diagnostics, PointingWarning
from soloc.estimators.fields import Fields
from soloc.estimators.instances import Instances
from soloc.estimators.labels import labels_for
from soloc.estimators.selection import first_of_largest
from soloc.estimators.solver import History
from soloc.estimators.telling import warn


class BagRegressorMixin(RegressorMixin):
    """A regressor that finds labels in the bags where none are given; labels may be several."""

    #: whether `y` may have several columns, which one instance decides together
    several_labels = True

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def score(self, X, y=None, sample_weight=None):
        """R^2 of the predictions; without `y`, of the labels that the bags brought along."""
        return super().score(X, labels_inside(X, y), sample_weight)


class BagClassifierMixin(ClassifierMixin):
    """A classifier that finds labels in the bags where none are given."""

    several_labels = False

    def score(self, X, y=None, sample_weight=None):
        """Accuracy of the predictions; without `y`, of the labels that the bags brought along."""
        return super().score(X, labels_inside(X, y), sample_weight)


def labels_inside(X: Any, y: Any) -> Any:
    """`y`, or the labels of the bags."""
    return labels_for(None, as_bags(X)) if y is None else y


class PointingEstimator(ABC, BaseEstimator):
    """Attention over the instances of a bag, of which one decides the label."""

    centre_: np.ndarray
    scale_: np.ndarray
    diagnostics_: Diagnostics
    n_features_in_: int
    columns_aside_: list[str]
    several_labels: bool
    #: what fits without it said of each training bag, in standard units (of a network: with the
    #: errors that all members together would have); NaN where none was left out, and gone from a
    #: model that was loaded
    held_out_: np.ndarray
    #: the bags that were held out together, those given or found; gone from a loaded model, too
    groups_: np.ndarray | None

    #: called with a `History` after each iteration of the last fit; set it to watch long fits
    on_progress: Callable[[History], Any] | None = None

    # -- what a fitted model says about bags

    @in_blocks
    def attend(self, X):
        """Attention weights of the instances of each bag; they sum to one within a bag.

        Returns an (n, L) array for an (n, L, d) array, else a list with one array per bag.
        """
        bags, instances = self._bags(X)
        attention = self._read(instances).attention
        if isinstance(X, np.ndarray) and X.ndim == 3:
            return attention.reshape(X.shape[:2])
        return bags.split(attention)

    @in_blocks
    def locate(self, X, names=False):
        """Position of the decisive instance within each bag, (n,); warns when in doubt.

        With `names`, what the instance is called; its position in words where nobody named it.
        """
        bags, instances = self._bags(X)
        attention = self._read(instances).attention
        self._warn_when_in_doubt(instances)
        where = first_of_largest(attention, instances) - instances.starts
        if not names:
            return where
        named = [bags.names_of(bag)[at] for bag, at in enumerate(where)]
        return np.array(named, dtype=object)

    def explain(self, X, bag=0, id=None, output=None):
        """Instances of bag number `bag` with their weights and contributions, as an `Explanation`.

        It has a `table`, a matplotlib `figure()`, and shows as HTML in a notebook. A single (L, d)
        array is one bag. With `id`, the bag of that name. Contributions are those to column number
        `output` of several labels (the first by default), or to that class (the predicted one):
        its position in `classes_`, or the class itself where classes are no integers.
        """
        from soloc.estimators.explain import explain

        check_is_fitted(self)
        self._warn_when_in_doubt()
        return explain(self, X, bag, id, output)

    def importance(self, X, y=None, n_repeats=5, random_state=0):
        """How much score is lost when a column is shuffled over all instances, as a table.

        Columns `feature`, `importance` and `deviation`, one row per column of the data: what
        scikit-learn's `permutation_importance` tells of flat data.
        """
        from soloc.estimators.importance import importance

        return importance(self, X, y, n_repeats, random_state)

    # -- files

    def save(self, path, notes=None):
        """Write the fitted model, and `notes` (plain JSON), to one file; see `load`."""
        from soloc.estimators.files import save

        save(self, path, notes)

    @abstractmethod
    def _saved(self) -> Fields:
        """The fitted state as plain facts and arrays."""

    # -- shared work

    @abstractmethod
    def _read(self, instances: Instances) -> Reading:
        """Attention and value of each instance, and what is added to them."""

    def _bags(self, X: Any) -> tuple[Bags, Instances]:
        """Bags at the door of a fitted model, and their instances in standard units."""
        check_is_fitted(self)
        names = getattr(self, "feature_names_in_", None)
        bags = named_bags(X, names, self.columns_aside_, type(self).__name__)
        if bags.width != self.n_features_in_:
            raise ValueError(
                f"X has {bags.width} features, but {type(self).__name__} is expecting"
                f" {self.n_features_in_} features as input."
            )
        bags = bags.in_memory()  # whoever can reads blocks, and comes here with one
        return bags, Instances(bags, self.centre_, self.scale_)

    def _warn_when_in_doubt(self, instances: Instances | None = None) -> None:
        """A doubt of the fit; a child may know of one about these instances."""
        if self.diagnostics_.doubts:
            warn(f"{self.diagnostics_.verdict}.", PointingWarning)
