"""The map of risks is the population risk at each of its points, and knows where there are none."""

import numpy as np
import pytest

from soloc import Overlaps, SingleLocation, population_risk
from soloc.predictors.catalogue import WEIGHTS
from soloc.risk.risk_map import risk_map

AXIS = np.linspace(-1.0, 1.0, 9)
AT_ONCE = [name for name, entry in WEIGHTS.items() if entry.exact and not entry.slow]


@pytest.mark.parametrize("name", [*AT_ONCE, "softmax"])
@pytest.mark.parametrize("off", [(0.0, 0.0, 0.0), (0.3, -0.2, 0.1)], ids=["manifold", "off"])
def test_every_point_is_the_population_risk(name, off):
    task, weight = SingleLocation(d=30, L=6, gamma=0.8, eps=0.2), WEIGHTS[name].kind(0.3)
    risk, possible = risk_map(task, weight, AXIS, *off)
    kappa, nu = np.meshgrid(AXIS, AXIS)
    gram = np.zeros((9, 9, 4, 4)) + np.eye(4)  # of k*, v*, k, v
    gram[..., 0, 2], gram[..., 1, 3] = kappa, nu
    gram[..., 0, 3], gram[..., 1, 2], gram[..., 2, 3] = off
    np.testing.assert_array_equal(possible, np.linalg.eigvalsh(gram, UPLO="U")[..., 0] >= -1e-12)
    np.testing.assert_array_equal(possible, ~np.isnan(risk))
    there = Overlaps(kappa[possible], nu[possible], *off)
    expected = np.asarray(population_risk(task, weight, there))
    np.testing.assert_allclose(risk[possible], expected, rtol=1e-11)
