"""Pointwise.of: any function of NumPy or JAX arrays is a weight, with risk, slopes and training."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.special

from soloc import Erf, Overlaps, Pointwise, SingleLocation, excess_risk, population_path
from soloc.weights import ReLU, Tanh

TASK, O = SingleLocation(20, 6, 0.8), Overlaps(0.7, 0.6, 0.1, -0.2, 0.15)
SAME = {
    "erf of scipy": (scipy.special.erf, Erf),
    "erf of jax": (jax.scipy.special.erf, Erf),
    "tanh of NumPy": (np.tanh, Tanh),
    "tanh of jax": (jnp.tanh, Tanh),
    "tanh by arithmetic": (lambda x: 1.0 - 2.0 / (1.0 + np.exp(2.0 * x)), Tanh),
    "a kink by np.where": (lambda x: np.where(x > 0.0, x, 0.0), ReLU),
}


@pytest.mark.parametrize("name", SAME)
def test_a_function_is_the_weight_of_that_formula(name):
    function, kind = SAME[name]
    lam = np.array([0.3, -0.7])
    ours, named = (
        excess_risk(TASK, weight, O) for weight in (Pointwise.of(function, lam), kind(lam))
    )
    assert ours == pytest.approx(named, rel=1e-10)


@pytest.mark.parametrize("name", ["erf of scipy", "tanh by arithmetic", "a kink by np.where"])
def test_its_slopes_are_those_of_the_weight(name):
    function, kind = SAME[name]
    ours, named = (
        jax.grad(lambda weight: excess_risk(TASK, weight, O))(weight)
        for weight in (Pointwise.of(function, 0.7), kind(0.7))
    )
    assert float(ours.lam) == pytest.approx(float(named.lam), rel=1e-5)
    assert ours.function is function


def test_it_trains():
    cube = population_path(TASK, Pointwise.of(lambda x: x**3, 0.1), O, steps=40, step_size=1e-3)
    assert cube.risk[-1, 0] < cube.risk[0, 0]


def test_the_cube_equals_its_gaussian_moments():
    """On the manifold, by E[x^6] and the like: sigma(x) = x^3 with x ~ N(mu, s^2)."""
    lam, kappa, nu = 0.2, 0.6, 0.5
    m, gamma, L = TASK.m, 0.8, 6
    mu, s = lam * m * kappa, lam * gamma
    mean = mu**3 + 3 * mu * s**2
    square = mu**6 + 15 * mu**4 * s**2 + 45 * mu**2 * s**4 + 15 * s**6
    expected = gamma**2 * (1 - 2 * nu * mean + square) + (L - 1) * 15 * lam**6
    found = excess_risk(TASK, Pointwise.of(lambda x: x**3, lam), Overlaps(kappa, nu))
    assert found == pytest.approx(expected, rel=1e-12)


def test_it_weighs_tokens_like_any_other():
    weight = Pointwise.of(np.tanh, 0.5)
    scores = np.linspace(-1, 1, 8).reshape(2, 4)
    assert np.asarray(weight(scores)) == pytest.approx(np.tanh(0.5 * scores), rel=1e-6)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x if x > 0 else 0.0 * x,
        lambda x: np.array([float(y) for y in x]),
        np.vectorize(abs),
    ],
    ids=["branch", "loop", "vectorize"],
)
def test_a_function_that_jax_cannot_follow_is_refused_in_a_sentence(function):
    with pytest.raises(TypeError, match="`function` must be made of arithmetic"):
        jax.grad(lambda lam: excess_risk(TASK, Pointwise.of(function, lam), O))(0.7)


@pytest.mark.parametrize(
    "function", [math.tanh, lambda x: x if x > 1.0 else 0.0], ids=["math.tanh", "branch"]
)
def test_a_function_of_one_number_is_refused_in_the_same_words(function):
    with pytest.raises(TypeError, match="write np.tanh, not math.tanh, and jnp.where"):
        excess_risk(TASK, Pointwise.of(function), O)
    with pytest.raises(TypeError, match="`function` must be made of arithmetic"):
        Pointwise.of(function)(np.zeros((2, 4)))


def test_what_is_no_function_of_every_score_is_refused():
    with pytest.raises(TypeError, match="`function` must be a function of NumPy or JAX arrays"):
        Pointwise.of("tanh")
    with pytest.raises(ValueError, match="`function` must return one value for every score"):
        excess_risk(TASK, Pointwise.of(lambda x: x[..., :2]), O)


def test_a_bare_function_is_refused_with_the_line_to_write():
    with pytest.raises(
        TypeError, match=r"got a bare function; write Pointwise.of\(tanh, lam=1.0\)"
    ):
        excess_risk(TASK, np.tanh, O)
