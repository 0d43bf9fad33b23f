"""The risk with several decisive tokens: one token gives the known form, more agree with
simulation.
"""

import jax
import numpy as np
import pytest
from scipy.special import erf

from soloc.risk.closed_form import erf_excess
from soloc.risk.overlaps import Overlaps
from soloc.risk.several_locations import several_excess
from soloc.risk.signal_numbers import SignalNumbers

SETTING, LAM = SignalNumbers(3.0, 0.7, 6.0), 0.4
OVERLAPS = Overlaps(0.6, 0.5, 0.2, -0.3, 0.1)


def test_one_decisive_token_is_the_single_location_risk():
    with jax.enable_x64(True):
        assert several_excess(SETTING, LAM, OVERLAPS, 1.0) == erf_excess(SETTING, LAM, OVERLAPS)


@pytest.mark.parametrize("decisive", [2, 3, 6])
def test_more_decisive_tokens_agree_with_simulation(decisive):
    rng = np.random.default_rng(1)
    o, n = OVERLAPS, 200_000
    k = np.array([o.kappa, o.eta, np.sqrt(1 - o.kappa**2 - o.eta**2), 0.0])
    third = (o.rho - o.kappa * o.theta - o.eta * o.nu) / k[2]
    v = np.array([o.theta, o.nu, third, np.sqrt(1 - o.theta**2 - o.nu**2 - third**2)])
    X = rng.normal(size=(n, 6, 4))
    X[:, :decisive] = 0.7 * X[:, :decisive] + np.array([3.0, 0.0, 0.0, 0.0])
    error = (np.sum(erf(LAM * X @ k) * (X @ v), axis=1) - X[:, :decisive, 1].sum(axis=1)) ** 2
    with jax.enable_x64(True):
        exact = float(several_excess(SETTING, LAM, o, float(decisive)))
    assert abs(error.mean() - exact) < 4.0 * error.std() / np.sqrt(n)
