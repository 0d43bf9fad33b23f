"""Training on sequences of random lengths: the same law, the same steps as on vectors."""

import jax
import numpy as np
import pytest

from soloc.dynamics.full_dimension import Pair, vectors_path
from soloc.dynamics.population_path import population_path
from soloc.dynamics.sgd_path import sgd_path
from soloc.dynamics.starts import from_vectors, uniform_on_sphere
from soloc.predictors.normalised import Entmax15, HardMax, NormalisedReLU, Softmax, Sparsemax
from soloc.predictors.pointwise import Erf, ReLU, Sigmoid
from soloc.risk.overlaps import NAMES, Overlaps
from soloc.tasks.lengths import LengthLaw
from soloc.tasks.single_location import SingleLocation, Truth

LAW = LengthLaw((1, 3, 5), (0.3, 0.3, 0.4))
TASK = SingleLocation(d=10, lengths=LAW, eps=0.2)
START = uniform_on_sphere(10, 3, jax.random.key(0))
WEIGHTS = {
    "erf": Erf(0.5),
    "ReLU": ReLU(0.5, per_length=True),
    "sigmoid": Sigmoid(0.5, shift=0.4, per_length=True),
    "softmax": Softmax(0.5),
    "normalised ReLU": NormalisedReLU(0.5),
    "sparsemax": Sparsemax(0.5),
    "1.5-entmax": Entmax15(0.5),
    "hard maximum": HardMax(),
}


@pytest.mark.parametrize("weight", WEIGHTS.values(), ids=WEIGHTS)
def test_stochastic_descent_takes_every_weight_and_any_law_of_lengths(weight):
    path = sgd_path(TASK, weight, START, jax.random.key(1), batch_size=3, steps=8, step_size=0.02)
    states = np.stack([path.columns[name] for name in NAMES])
    assert np.isfinite(states).all() and np.abs(states).max() <= 1.0
    assert np.all(path.nu[-1] != path.nu[0])  # k of a hard maximum has no gradient, v always


def test_a_law_of_one_length_is_that_length():
    options = {"steps": 30, "step_size": 0.02}
    fixed, certain = (
        population_path(SingleLocation(d=10, **law), Erf(0.5), START, **options)
        for law in ({"L": 4}, {"lengths": LengthLaw((4,), (1.0,))})
    )
    for name in (*NAMES, "risk"):
        np.testing.assert_allclose(certain.columns[name], fixed.columns[name], atol=1e-12)


@pytest.mark.parametrize(
    "weight", [Erf(0.5), pytest.param(Softmax(0.5), marks=pytest.mark.slow)], ids=["erf", "softmax"]
)
def test_population_descent_with_random_lengths_is_descent_on_vectors(weight):
    rng = np.random.default_rng(3)
    truth = Truth(*np.linalg.qr(rng.normal(size=(10, 2)))[0].T)
    k, v = rng.normal(size=(2, 2, 10))
    k, v = (x / np.linalg.norm(x, axis=1, keepdims=True) for x in (k, v))
    options = {"steps": 12, "step_size": 0.05}
    short = population_path(TASK, weight, from_vectors(k, v, truth), **options)
    long = vectors_path(TASK, truth, weight, Pair(k, v), **options)
    for name in (*NAMES, "risk"):
        np.testing.assert_allclose(short.columns[name], long.columns[name], atol=1e-11)


def test_the_mean_first_step_is_the_population_step():
    runs, alpha = 40_000, 1e-3
    one = Overlaps(*(getattr(START, name)[:1] for name in NAMES))
    many = Overlaps(*(np.repeat(getattr(one, name), runs) for name in NAMES))
    options = {"steps": 1, "step_size": alpha}
    noisy = sgd_path(TASK, Erf(0.5), many, jax.random.key(5), batch_size=2, **options)
    exact = population_path(TASK, Erf(0.5), one, **options)
    for name in NAMES:
        moves = np.diff(noisy.columns[name], axis=0)[0]
        expected = np.diff(exact.columns[name], axis=0)[0, 0]
        z = (moves.mean() - expected) / (moves.std() / np.sqrt(runs))
        assert abs(z) < 4.5, (name, z)
