"""Richer tokens: any scikit-learn transformer, applied to the instances of all bags."""

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.utils.validation import check_is_fitted

from soloc.estimators.bags import Bags
from soloc.estimators.columns import bags_of, named_bags
from soloc.estimators.parameters import adopt


class TokenTransformer(TransformerMixin, BaseEstimator):
    """A scikit-learn transformer of instances (scaling, PCA, Nystroem) as a transformer of bags.

    Parameters
    ----------
    step : transformer
        Fitted to the instances of all bags together; it never sees labels, which instances do not
        have.

    Attributes
    ----------
    step_ : the fitted transformer
    n_features_in_ : int
    feature_names_in_ : array of names, when the bags had them

    Examples
    --------
    >>> from sklearn.kernel_approximation import Nystroem
    >>> from sklearn.pipeline import make_pipeline
    >>> from soloc.estimators import SingleLocationRegressor
    >>> features = TokenTransformer(Nystroem(n_components=100))
    >>> model = make_pipeline(features, SingleLocationRegressor())
    """

    def __init__(self, step):
        self.step = step

    def fit(self, X, y=None):
        """Fit the step to all instances."""
        self._fit(X)
        return self

    def fit_transform(self, X, y=None):
        """Fit the step to all instances and give the bags of transformed ones."""
        bags = self._fit(X)
        return self._apply(bags)

    def transform(self, X):
        """The bags of transformed instances."""
        check_is_fitted(self)
        names = getattr(self, "feature_names_in_", None)
        bags = named_bags(X, names, self.columns_aside_, type(self).__name__)
        if bags.width != self.n_features_in_:
            raise ValueError(
                f"X has {bags.width} features, but TokenTransformer is expecting"
                f" {self.n_features_in_} features as input."
            )
        return self._apply(bags)

    def _fit(self, X) -> Bags:
        if not hasattr(self.step, "fit") or not hasattr(self.step, "transform"):
            raise TypeError(
                "`step` must be a scikit-learn transformer with fit and transform, got"
                f" {self.step!r}."
            )
        bags = bags_of(X).in_memory()
        fitted = {
            "step_": clone(self.step).fit(bags.values),
            "n_features_in_": bags.width,
            "columns_aside_": list(bags.aside),
        }
        if bags.features is not None:
            fitted["feature_names_in_"] = np.array(bags.features, dtype=object)
        adopt(self, fitted)
        return bags

    def _apply(self, bags: Bags) -> Bags:
        values = self.step_.transform(bags.values)
        values = values.toarray() if hasattr(values, "toarray") else values
        return bags.with_values(values, features=self._names_out(bags))

    def _names_out(self, bags: Bags) -> list[str] | None:
        """What the step calls its features, where the bags had names and it has."""
        if bags.features is None or not hasattr(self.step_, "get_feature_names_out"):
            return None
        return list(self.step_.get_feature_names_out(bags.features))
