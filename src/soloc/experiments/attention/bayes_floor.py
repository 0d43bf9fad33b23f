"""The Bayes excess over grids of d and L, integrated only where it is above rounding."""

from typing import Any

import numpy as np

from soloc.risk.baselines import log_bayes_excess
from soloc.tasks.single_location import SingleLocation

_ROUNDING = np.log(1e-18)  # of risks of order gamma^2


def bayes_excess(d: Any, L: Any, gamma: float) -> np.ndarray:
    """Bayes risk minus eps^2 at m^2 = d/2, with 0 for what is below rounding.

    It falls with d, which strengthens the signal, and grows with L: a setting where it is
    negligible speaks for all with a larger d and a smaller L, so grids over many decades cost a few
    integrals.
    """
    d, L = np.broadcast_arrays(np.asarray(d, float), np.asarray(L, float))
    known: dict[tuple[float, float], float] = {}
    negligible: list[tuple[float, float]] = []
    for length, dimension in sorted(set(zip(-L.ravel(), d.ravel(), strict=True))):
        if any(dimension >= other and -length <= longest for other, longest in negligible):
            known[dimension, -length] = 0.0
            continue
        log_excess = float(log_bayes_excess(SingleLocation(d=dimension, L=-length, gamma=gamma)))
        known[dimension, -length] = np.exp(log_excess)
        if log_excess < _ROUNDING + 2.0 * np.log(gamma):
            negligible.append((dimension, -length))
    return np.array([known[key] for key in zip(d.ravel(), L.ravel(), strict=True)]).reshape(d.shape)
