"""Numbers go through NumPy, gradients and programs through JAX: both must give the same risk."""

import jax
import numpy as np
import pytest

from soloc import Overlaps, SingleLocation, weights
from soloc.predictors.catalogue import WEIGHTS
from soloc.risk.baselines import log_bayes_excess
from soloc.risk.population import log_excess_risk

O = Overlaps(0.7, 0.6, 0.1, -0.2, 0.15)
FAST = [weights.Softmax, weights.Erf, weights.Tanh, weights.OnePlusErf, weights.Exponential]
OTHERS = [entry.kind for entry in WEIGHTS.values() if entry.exact and entry.kind not in FAST]


@pytest.mark.parametrize(
    "kind", [*FAST, *(pytest.param(kind, marks=pytest.mark.slow) for kind in OTHERS)]
)
def test_numbers_and_programs_give_the_same_risk(kind):
    task, lam = SingleLocation(30, 6, 0.8), np.array([0.02, 0.3, 0.7])
    by_numpy = np.asarray(log_excess_risk(task, kind(lam), O))
    with jax.enable_x64(True):
        by_jax = np.asarray(jax.jit(lambda lam: log_excess_risk(task, kind(lam), O))(lam))
    assert by_numpy == pytest.approx(by_jax, rel=1e-12, abs=1e-12)


def test_numbers_and_programs_give_the_same_bayes_risk():
    d, L, gamma = np.array(
        [(4.0, 5.0, 0.5), (100.0, 10.0, 0.7), (1e6, 1e5, 1.4), (6.0, 2.0, 0.08), (30.0, 1e4, 4.5)]
    ).T
    by_numpy = np.asarray(log_bayes_excess(SingleLocation(d, L, gamma)))
    with jax.enable_x64(True):
        by_jax = np.asarray(
            jax.jit(lambda *numbers: log_bayes_excess(SingleLocation(*numbers)))(d, L, gamma)
        )
    assert by_numpy == pytest.approx(by_jax, rel=1e-11)
