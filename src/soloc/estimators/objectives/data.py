"""The data of an objective: one tuple for every loss, of numbers and of classes alike."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from soloc.estimators.bags import pieces, rows_at_once
from soloc.estimators.coefficients import Coefficients, Reading, read
from soloc.estimators.instances import Instances


class Data(NamedTuple):
    """Bags in standard units, their labels, and what is weighted and penalised."""

    instances: Instances
    y: np.ndarray  #: labels in standard units, (n,), or one-hot classes, (n, classes)
    context: np.ndarray | None  #: bag means, where the bag itself has a linear term
    fit_intercept: bool
    weights: np.ndarray  #: of each bag, (n,); zero leaves it out
    alpha: float  #: penalty of the value
    key_share: float = 0.3  #: penalty of the key, in units of alpha; a key is longer than a value
    key_prior: np.ndarray | None = None  #: what the key is shrunk towards; zero when None
    #: penalty of the value once the key is found; that of the search when None
    value_alpha: float | None = None

    def part(self, chosen: np.ndarray) -> "Data":
        """The data restricted to some bags."""
        return self._replace(
            instances=self.instances.part(chosen),
            y=self.y[chosen],
            context=None if self.context is None else self.context[chosen],
            weights=self.weights[chosen],
        )

    @property
    def on_disk(self) -> bool:
        """Whether the instances are read in blocks."""
        return self.instances.bags.on_disk

    def loaded(self, chosen: np.ndarray | slice) -> "Data":
        """Some bags in memory, in their own units and precision."""
        return self._replace(
            instances=self.instances.loaded(chosen),
            y=self.y[chosen],
            context=None if self.context is None else self.context[chosen],
            weights=self.weights[chosen],
        )

    def blocks(self) -> Iterator["Data"]:
        """Adjacent bags in memory, a few at a time; the data themselves where they are there."""
        if not self.on_disk:
            yield self
            return
        for bags in pieces(self.instances.bags.offsets, rows_at_once(self.instances.x)):
            yield self.loaded(bags)

    def read(self, coefficients: Coefficients) -> Reading:
        """What coefficients say about the bags."""
        return read(coefficients, self.instances, self.context)
