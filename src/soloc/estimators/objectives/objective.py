"""An objective: what a fit minimises, how it predicts, and how held-out bags judge it."""

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np

from soloc.estimators.coefficients import Coefficients, Reading, pooled_prediction
from soloc.estimators.instances import Instances
from soloc.estimators.objectives.data import Data
from soloc.estimators.solver import Inverse


class Objective(ABC):
    """A loss on given data as a function of one vector, the point.

    An objective is one file with a subclass of `NumberObjective` or `ClassObjective`, and one line
    in `objectives/catalogue.py`; from then on `loss="its name"` fits, predicts, saves and loads.
    """

    #: the location is a latent variable, so that a label is drawn by one instance
    latent: ClassVar[bool] = False
    #: loss="auto" compares it with the others
    in_auto: ClassVar[bool] = False

    def __init__(self, data: Data) -> None:
        self.data = data
        self.instances, self.y, self.weights, self.alpha = (
            data.instances,
            data.y,
            data.weights,
            data.alpha,
        )
        self.context, self.fit_intercept = data.context, data.fit_intercept
        self.total = float(data.weights.sum())
        self.d = data.instances.x.shape[1]
        self.key_penalty = data.alpha * data.key_share
        self.key_prior = np.zeros(self.d) if data.key_prior is None else data.key_prior

    @abstractmethod
    def point(self, coefficients: Coefficients) -> np.ndarray:
        """All that is searched, as one vector."""

    @abstractmethod
    def coefficients(self, point: np.ndarray) -> Coefficients:
        """The vector as coefficients."""

    @abstractmethod
    def __call__(self, point: np.ndarray) -> tuple[float, np.ndarray]:
        """Objective per bag, and its gradient."""

    def metric(self, point: np.ndarray) -> Inverse | None:
        """Multiplication by an approximate inverse Hessian; None where none is known."""
        return None

    @staticmethod
    @abstractmethod
    def predict(reading: Reading, instances: Instances) -> np.ndarray:
        """Prediction of each bag in standard units, shaped like the labels."""

    @staticmethod
    @abstractmethod
    def errors(y: np.ndarray, predictions: np.ndarray) -> np.ndarray:
        """Error of each held-out bag."""

    @staticmethod
    @abstractmethod
    def constant_error(y: np.ndarray, weights: np.ndarray) -> float:
        """Weighted mean error of the best constant."""

    @staticmethod
    def begun(found: Coefficients) -> Coefficients:
        """Where this objective begins, given coefficients of least squares."""
        return found


class NumberObjective(Objective):
    """An objective for labels that are numbers: it predicts the pooled value."""

    @staticmethod
    def predict(reading: Reading, instances: Instances) -> np.ndarray:
        """sum_l p_l value_l of each bag."""
        return pooled_prediction(reading, instances)

    @staticmethod
    def errors(y: np.ndarray, predictions: np.ndarray) -> np.ndarray:
        """Squared errors, averaged over outputs."""
        squares = (y - predictions) ** 2
        return squares if squares.ndim == 1 else squares.mean(axis=1)

    @staticmethod
    def constant_error(y: np.ndarray, weights: np.ndarray) -> float:
        """Variance of the labels, averaged over outputs."""
        shares = weights / weights.sum()
        return float(np.mean(shares @ (y - shares @ y) ** 2)) or 1.0
