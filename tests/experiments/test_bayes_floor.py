"""The Bayes excess over a grid, with what is negligible left out."""

import numpy as np
import pytest

from soloc import SingleLocation
from soloc.experiments.attention.bayes_floor import bayes_excess
from soloc.risk.baselines import log_bayes_excess


@pytest.mark.parametrize("gamma", [0.25, 0.7, 1.0, 2.0])
def test_every_entry_is_the_bayes_excess_up_to_rounding(gamma):
    d, L = np.array([10.0, 100.0, 900.0, 1e6]), np.array([[2.0], [1000.0]])
    exact = np.exp(np.asarray(log_bayes_excess(SingleLocation(d=d, L=L, gamma=gamma))))
    assert bayes_excess(d, L, gamma) == pytest.approx(exact, rel=1e-12, abs=1e-18 * gamma**2)
