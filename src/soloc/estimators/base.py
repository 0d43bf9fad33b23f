"""What the regressor and the classifier share: checks at the door, standard units, attention,
pointing, files."""

import warnings
from collections.abc import Callable
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import _check_feature_names, _check_n_features, check_is_fitted

from soloc.estimators.bags import Bags, as_bags
from soloc.estimators.diagnostics import Diagnostics, PointingWarning
from soloc.estimators.model import Head, Reading, bag_means, read
from soloc.estimators.selection import first_of_largest
from soloc.estimators.solver import History
from soloc.estimators.tokens import Tokens

LOSS_NAMES = ("likelihood", "squared", "auto")


class SingleLocation(BaseEstimator):
    """Attention over the instances of a bag, of which one decides the label."""

    centre_: np.ndarray
    scale_: np.ndarray
    head_: Head
    history_: History
    diagnostics_: Diagnostics

    #: called with a `History` after each iteration of the last fit; set it to watch long fits
    on_progress: Callable[[History], Any] | None = None

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
    ):
        self.loss = loss
        self.alpha = alpha
        self.context = context
        self.fit_intercept = fit_intercept
        self.n_starts = n_starts
        self.random_state = random_state
        self.max_iter = max_iter
        self.tol = tol

    # -- what a fitted model says about bags
    # -----------------------------------------------------------------

    def attend(self, X):
        """Attention weights of the instances of each bag; they sum to one within a bag.

        Returns an (n, L) array for an (n, L, d) array, else a list with one array per bag.
        """
        bags, tokens = self._bags(X)
        attention = self._read(tokens).attention
        if isinstance(X, np.ndarray) and X.ndim == 3:
            return attention.reshape(X.shape[:2])
        return bags.split(attention)

    def locate(self, X):
        """Position of the decisive instance within each bag, (n,). Warns when pointing should not
        be trusted."""
        _, tokens = self._bags(X)
        self._warn_when_in_doubt()
        return first_of_largest(self._read(tokens).attention, tokens) - tokens.starts

    def explain(self, X, bag=0):
        """Instances of bag number `bag` with their weights and contributions, as an `Explanation`.

        It has a `table`, a matplotlib `figure()`, and shows as HTML in a notebook. A single (L, d)
        array is one bag.
        """
        from soloc.estimators.explain import explain

        self._warn_when_in_doubt()
        return explain(self, X, bag)

    def save(self, path, notes=None):
        """Write the fitted model, and `notes` (plain JSON), to one file that cannot execute
        anything; see `load`."""
        from soloc.estimators.files import save

        save(self, path, notes)

    # -- shared work
    # -----------------------------------------------------------------------------------------

    def _bags(self, X: Any) -> tuple[Bags, Tokens]:
        """Bags at the door of a fitted model, and their tokens."""
        check_is_fitted(self)
        bags = as_bags(X)
        _check_feature_names(self, X, reset=False)
        if bags.width != self.n_features_in_:
            raise ValueError(
                f"X has {bags.width} features, but {type(self).__name__} is expecting"
                f" {self.n_features_in_} features as input."
            )
        return bags, Tokens(bags, self.centre_, self.scale_)

    def _read(self, tokens: Tokens) -> Reading:
        context = bag_means(tokens) if self.head_.context is not None else None
        return read(self.head_, tokens, context)

    def _check_parameters(self) -> np.random.Generator:
        """Refuse parameters that cannot be; the generator of `random_state`."""
        if self.loss not in LOSS_NAMES:
            raise ValueError(f"`loss` must be one of {LOSS_NAMES}, got {self.loss!r}.")
        if isinstance(self.alpha, str):
            if self.alpha != "auto":
                raise ValueError(
                    f'`alpha` must be a number from 0 to 1e30 or "auto", got {self.alpha!r}.'
                )
        elif not isinstance(self.alpha, Real) or not 0 <= float(self.alpha) < 1e30:
            raise ValueError(
                f'`alpha` must be a number from 0 to 1e30 or "auto", got {self.alpha!r}.'
            )
        for name, least in (("n_starts", 1), ("max_iter", 1)):
            value = getattr(self, name)
            if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
                raise ValueError(f"`{name}` must be an integer of at least {least}, got {value!r}.")
        if not isinstance(self.tol, Real) or not 0 < float(self.tol) < 1:
            raise ValueError(f"`tol` must be a number between 0 and 1, got {self.tol!r}.")
        for name in ("context", "fit_intercept"):
            if not isinstance(getattr(self, name), (bool, np.bool_)):
                raise ValueError(f"`{name}` must be True or False, got {getattr(self, name)!r}.")
        if self.random_state is None or isinstance(
            self.random_state, (Integral, np.random.RandomState)
        ):
            return np.random.default_rng(check_random_state(self.random_state).randint(2**31))
        raise ValueError(
            f"`random_state` must be an integer, a RandomState or None, got {self.random_state!r}."
        )

    def _enter(self, X: Any, groups: Any) -> tuple[Bags, np.ndarray | None]:
        """Bags and groups at the door of `fit`."""
        bags = as_bags(X)
        _check_feature_names(self, X, reset=True)
        _check_n_features(self, bags, reset=True)
        if groups is None:
            return bags, None
        groups = np.asarray(groups)
        if groups.shape != (len(bags),):
            raise ValueError(
                f"`groups` must have one entry per bag, {len(bags)}, got shape {groups.shape}."
            )
        return bags, groups

    def _warn_about_convergence(self) -> None:
        if not self.history_.converged:
            warnings.warn(
                f"the fit did not converge: {self.history_.reason}; raise `max_iter`, raise"
                " `alpha`, or standardise the labels.",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _warn_when_in_doubt(self) -> None:
        if self.diagnostics_.doubts:
            warnings.warn(
                "do not trust which instance is named: "
                + "; ".join(self.diagnostics_.doubts)
                + ".",
                PointingWarning,
                stacklevel=3,
            )
