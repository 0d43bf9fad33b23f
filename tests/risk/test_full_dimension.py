"""Every weight against plain simulation in full dimension: z-scores and their law."""

import math

import jax
import numpy as np
import pytest
from scipy import stats
from tests.risk_draws import overlaps as draw_overlaps

from soloc import Overlaps, SingleLocation, monte_carlo_risk, population_risk
from soloc.predictors.catalogue import WEIGHTS
from soloc.risk.estimate import Estimate

# every third, and so on: the first few are of every kind
ENTRIES = [entry for first in range(3) for entry in list(WEIGHTS.values())[first::3]]
WORST_RELATIVE_ERROR = 0.01


def z_score(index):
    """Simulation against `population_risk` in one random setting, the weights taken in turn."""
    rng = np.random.default_rng([11, index])
    entry = ENTRIES[index % len(ENTRIES)]
    lam = float(rng.uniform(0.1, 2.0) if entry.highest_lam > 2.0 else rng.uniform(0.05, 0.4))
    five = draw_overlaps(rng, ("generic", "manifold", "near truth")[index % 3])
    task = SingleLocation(
        int(rng.integers(4, 16)), int(rng.integers(1, 7)), float(rng.uniform(0.3, 1.3)), eps=0.3
    )
    weight, overlaps = entry.kind(lam), Overlaps(**five)
    exact = population_risk(
        task, weight, overlaps, key=jax.random.key(1000 + index), samples=400_000
    )
    samples = 40_000
    simulated = monte_carlo_risk(task, weight, overlaps, jax.random.key(index), samples)
    while simulated.error > WORST_RELATIVE_ERROR * simulated.value:
        samples *= 4
        simulated = monte_carlo_risk(task, weight, overlaps, jax.random.key(index), samples)
    error = math.hypot(simulated.error, exact.error if isinstance(exact, Estimate) else 0.0)
    return (simulated.value - float(exact)) / error


@pytest.mark.parametrize("index", range(6))
def test_a_weight_of_each_kind_agrees_with_simulation(index):
    assert abs(z_score(index)) < 4.5


@pytest.mark.slow
def test_fifty_settings_agree_with_simulation_and_their_z_scores_are_normal():
    scores = np.array([z_score(index) for index in range(50)])
    assert np.max(np.abs(scores)) < 4.5
    assert stats.kstest(scores, "norm").pvalue > 0.001
