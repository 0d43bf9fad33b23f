"""Word kernel: each word described by its likeness to the words of the training texts.

    phi(x) = K_mm^(-1/2) k(x, words m)        k(x, x') = mean over gamma of exp(-gamma |z - z'|^2 /
    width), z in standard units

Static vectors give every word one place, and a text has few hundred different ones, so a linear key
cannot tell all plain words from all rated ones; their likenesses can. Landmarks are distinct words:
a sample of all instances would be mostly "the". Two scales at once: the wide one carries what a
word says to words never seen, the narrow one tells apart the words that were.
"""

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from soloc.estimators.bags import as_bags
from soloc.estimators.repeats import distinct_rows

SMALLEST = 1e-6  # eigenvalues of the kernel below this are rounding


class WordKernel(TransformerMixin, BaseEstimator):
    """Kernel features of instances, with distinct instances of the training bags as landmarks.

    Parameters
    ----------
    gamma : tuple of floats, default (0.2, 1.0)
        How fast likeness falls with the squared distance, in standard units and divided by the
        width, on each scale.
    most : int, default 600
        Landmarks: all distinct instances when there are no more, else a random part of them.
    random_state : int, default 0
        Decides that part.

    Attributes
    ----------
    landmarks_ : array of shape (m, width)
    centre_, scale_ : arrays of shape (width,)
    n_features_in_ : int
    """

    def __init__(self, gamma=(0.2, 1.0), most=600, random_state=0):
        self.gamma = gamma
        self.most = most
        self.random_state = random_state

    def refuse_parameters(self) -> None:
        """Refuse parameters that cannot be."""
        if (
            not isinstance(self.gamma, tuple)
            or not self.gamma
            or not all(_is_positive(one) for one in self.gamma)
        ):
            raise ValueError(f"`gamma` must be a tuple of positive numbers, got {self.gamma!r}.")
        if not isinstance(self.most, (int, np.integer)) or self.most < 1:
            raise ValueError(f"`most` must be a positive integer, got {self.most!r}.")

    def fit(self, X, y=None):
        """Choose landmarks among the distinct instances of all bags."""
        self.refuse_parameters()
        values = as_bags(X).values
        self.n_features_in_ = values.shape[1]
        first, rows = distinct_rows(values)
        shares = np.bincount(rows) / len(rows)
        self.centre_ = shares @ values[first].astype(np.float64)
        deviation = np.sqrt(shares @ (values[first] - self.centre_) ** 2)
        self.scale_ = np.where(deviation > 1e-12, deviation, np.inf)
        if len(first) > self.most:
            first = np.sort(
                np.random.default_rng(self.random_state).choice(first, self.most, replace=False)
            )
        self.landmarks_ = values[first].astype(np.float64)
        self._prepare()
        return self

    def transform(self, X):
        """Bags of kernel features; each distinct instance is computed once."""
        check_is_fitted(self)
        bags = as_bags(X)
        if bags.width != self.n_features_in_:
            raise ValueError(
                f"X has {bags.width} features, but WordKernel is expecting {self.n_features_in_}"
                " features as input."
            )
        first, rows = distinct_rows(bags.values)
        features = self._likeness(self._standard(bags.values[first])) @ self._root
        return bags.with_values(features.astype(np.float32)[rows])

    def _prepare(self) -> None:
        """The inverse root of the landmarks' kernel, from the landmarks."""
        self._places = self._standard(self.landmarks_)
        eigenvalues, vectors = np.linalg.eigh(self._likeness(self._places))
        self._root = (vectors / np.sqrt(np.maximum(eigenvalues, SMALLEST))) @ vectors.T

    def _standard(self, values: np.ndarray) -> np.ndarray:
        return (values.astype(np.float64) - self.centre_) / self.scale_

    def _likeness(self, places: np.ndarray) -> np.ndarray:
        """k(x, m) for each place and landmark."""
        squares = (places**2).sum(axis=1)[:, None] + (self._places**2).sum(axis=1)
        distance = np.maximum(squares - 2 * places @ self._places.T, 0.0)
        return np.mean(
            [np.exp(-gamma / self.n_features_in_ * distance) for gamma in self.gamma], axis=0
        )


def _is_positive(number: object) -> bool:
    return isinstance(number, (int, float)) and not isinstance(number, bool) and 0 < number < np.inf
