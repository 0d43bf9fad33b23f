"""Risks by pair: a task or a predictor of one's own brings its exact risk in one line."""

import subprocess
import sys
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
import pytest

from soloc import (
    Erf,
    Overlaps,
    SingleLocation,
    Softmax,
    excess_risk,
    log_excess_risk,
    population_path,
    population_risk,
)
from soloc.maths.data import Data
from soloc.predictors.weight import Weight
from soloc.risk.pairs import find
from soloc.risk.registry import PAIRS, register


@dataclass(frozen=True)
class Bowl(Data):
    """A task whose risk is a bowl around k = k*, v = v*: nothing that soloc knows."""

    steepness: Any = 1.0
    eps: Any = 0.5


def bowl(task, weight, o):
    return task.steepness * ((1.0 - o.kappa) + (1.0 - o.nu) + weight.lam * o.rho**2)


@pytest.fixture
def registered():
    yield register(Bowl, Weight, state=Overlaps, excess=bowl)
    del PAIRS[Bowl, Weight]


O = Overlaps(0.4, 0.3, 0.1, -0.2, 0.15)


def test_a_registered_pair_has_risks_and_slopes(registered):
    steepness = np.array([1.0, 2.0])
    expected = steepness * (0.6 + 0.7 + 3.0 * 0.15**2)
    assert excess_risk(Bowl(steepness), Softmax(3.0), O) == pytest.approx(expected)
    assert population_risk(Bowl(steepness), Erf(3.0), O) == pytest.approx(expected + 0.25)
    assert log_excess_risk(Bowl(steepness), Erf(3.0), O) == pytest.approx(np.log(expected))
    slope = jax.grad(lambda o: excess_risk(Bowl(), Erf(3.0), o))(O)
    assert [float(x) for x in slope] == pytest.approx([-1.0, -1.0, 0.0, 0.0, 0.9])


def test_a_registered_pair_can_be_trained(registered):
    path = population_path(Bowl(np.array([1.0, 2.0])), Erf(3.0), O, steps=2000, step_size=1e-2)
    assert path.kappa[-1] == pytest.approx(1.0, abs=1e-3)
    assert path.nu[-1] == pytest.approx(1.0, abs=1e-3)
    assert path.risk[-1] == pytest.approx(0.25, abs=1e-3)
    assert np.all(np.diff(path.risk, axis=0) < 1e-12)
    assert "excess" not in path.table()  # nobody knows the Bayes risk of a bowl


def test_subclasses_inherit_and_may_have_their_own(registered):
    @dataclass(frozen=True)
    class Steeper(Bowl):
        pass

    assert find(Steeper(), Erf(1.0)) is registered
    own = register(Steeper, Erf, state=Overlaps, excess=bowl, noise=lambda task: 0.0)
    try:
        assert find(Steeper(), Erf(1.0)) is own and find(Steeper(), Softmax(1.0)) is registered
        assert population_risk(Steeper(), Erf(1.0), O) == excess_risk(Steeper(), Erf(1.0), O)
    finally:
        del PAIRS[Steeper, Erf]


def test_an_unknown_pair_is_refused_with_the_pairs_that_exist():
    with pytest.raises(TypeError, match="got Bowl with Erf; known are .*SingleLocation with Erf"):
        population_risk(Bowl(), Erf(1.0), O)
    with pytest.raises(TypeError, match="monte_carlo_risk serves every pair"):
        population_path(Bowl(), Erf(1.0), O, steps=1, step_size=0.1)


def test_a_pair_is_registered_once_and_has_its_kind_of_state(registered):
    with pytest.raises(ValueError, match="must be a new pair, got Bowl with Weight"):
        register(Bowl, Weight, state=Overlaps, excess=bowl)
    with pytest.raises(
        TypeError, match="`state` must be `Overlaps` for Bowl with Weight, got tuple"
    ):
        excess_risk(Bowl(), Erf(1.0), (0.1, 0.2))


def test_the_more_special_kind_comes_first():
    task = SingleLocation(20)
    kinds = [find(task, weight).predictor.__name__ for weight in (Erf(1.0), Softmax(1.0))]
    assert kinds == ["Erf", "NormalisedKernel"]


def test_training_alone_knows_the_pairs():
    """In a fresh interpreter, in which nobody has asked for a risk."""
    alone = (
        "from soloc import Erf, Overlaps, SingleLocation, population_path\n"
        "start = Overlaps(0.1, 0.1)\n"
        "population_path(SingleLocation(20), Erf(0.1), start, steps=2, step_size=0.01)"
    )
    done = subprocess.run([sys.executable, "-c", alone], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
