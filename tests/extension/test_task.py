"""A task is one file: defined here alone, it obeys every law and meets every predictor.

Its answer is not the token at one place but a sum over all of them:

    X_l ~ N(m k*, I),   Y = sum_l X_l . v* + N(0, eps^2)
"""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from tests.laws.laws import LAWS

from soloc import (
    Erf,
    Overlaps,
    Softmax,
    bayes_risk,
    linear_risk,
    monte_carlo_risk,
    null_risk,
    population_path,
    population_risk,
    sgd_path,
)
from soloc.dynamics.full_dimension import Pair, vectors_path
from soloc.maths.data import Data
from soloc.maths.numbers import check_count
from soloc.risk.registry import PAIRS, register
from soloc.tasks.single_location import Truth, orthonormal_pair
from soloc.weights import Linear, Sparsemax


class Summed(NamedTuple):
    """Sequences and their answers; nothing is latent."""

    tokens: Any
    answers: Any
    lengths: Any
    latent: Any = ()


@dataclass(frozen=True)
class EveryToken(Data):
    """The task."""

    d: Any = 6
    L: Any = 4
    m: Any = 1.5
    eps: Any = 0.2

    def truth(self, key):
        return orthonormal_pair(key, self.d)

    def sample(self, truth, key, n):
        check_count("n", n)
        token_key, noise_key = jax.random.split(key)
        tokens = self.m * truth.k + jax.random.normal(token_key, (n, self.L, self.d))
        answers = self.bayes(truth, tokens) + self.eps * jax.random.normal(noise_key, (n,))
        return Summed(tokens, answers, jnp.full((n,), self.L))

    def bayes(self, truth, tokens, lengths=None):
        return jnp.sum(tokens @ truth.v, axis=-1)

    def null_risk(self):
        return self.eps**2 + self.L

    def linear_risk(self):
        return self.eps**2


def excess_of_linear_attention(task, weight, o):
    """Tokens are independent: L Var(lam a b - c) + (L E[lam a b - c])^2."""
    a, b, lam, L = task.m * o.kappa, task.m * o.theta, weight.lam, task.L
    square = a * a + b * b + 2.0 * a * b * o.rho + 1.0 + o.rho**2
    variance = lam * lam * square - 2.0 * lam * (a * o.nu + b * o.eta) + 1.0
    return L * variance + (L * lam * (a * b + o.rho)) ** 2


TASK = EveryToken()
STATE = Overlaps(0.6, 0.7, 0.1, -0.2, 0.3)


@pytest.fixture
def registered():
    yield register(EveryToken, Linear, state=Overlaps, excess=excess_of_linear_attention)
    del PAIRS[EveryToken, Linear]


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
def test_every_law_of_tasks_holds_for_it(law):
    law(TASK)


def test_its_baselines_are_asked_as_those_of_any_task():
    assert null_risk(TASK) == TASK.null_risk() and linear_risk(TASK) == TASK.linear_risk()
    bayes = bayes_risk(TASK)
    assert abs(bayes.value - 0.2**2) < 4.5 * bayes.error


@pytest.mark.parametrize("weight", [Erf(0.5), Softmax(1.5), Sparsemax(1.0)], ids=type)
def test_simulation_meets_every_weight(weight):
    estimate = monte_carlo_risk(TASK, weight, STATE, jax.random.key(1), 40_000)
    k, v = STATE.in_frame()
    n = 40_000
    tokens = np.random.default_rng(2).standard_normal((n, 4, 4)) + TASK.m * np.eye(4)[0]
    with jax.enable_x64(True):
        weights = np.asarray(weight(jnp.asarray(tokens @ k)))
    squares = (np.sum(weights * (tokens @ v) - tokens[..., 1], 1)) ** 2 + TASK.eps**2
    error = math.hypot(estimate.error, squares.std() / math.sqrt(n))
    assert abs(estimate.value - squares.mean()) < 4.5 * error


def test_a_predictor_that_answers_by_itself_is_asked():
    class Sum(NamedTuple):
        scale: float

        def predict(self, k, v, tokens, present):
            return self.scale * jnp.sum(tokens @ v, axis=-1)

    estimate = monte_carlo_risk(TASK, Sum(0.5), Overlaps(1.0, 1.0), jax.random.key(3), 40_000)
    assert abs(estimate.value - 0.2**2 - 0.25 * TASK.L) < 4.5 * estimate.error


def test_its_registered_risk_is_found_and_agrees_with_simulation(registered):
    exact = population_risk(TASK, Linear(0.3), STATE)
    estimate = monte_carlo_risk(TASK, Linear(0.3), STATE, jax.random.key(4), 40_000)
    assert abs(float(exact) - estimate.value) < 4.5 * estimate.error
    many = population_risk(EveryToken(L=np.arange(1, 4)), Linear(0.3), STATE)
    assert np.shape(many) == (3,)


def test_its_registered_risk_is_differentiated_and_trained_on(registered):
    slope = jax.grad(lambda kappa: population_risk(TASK, Linear(0.3), Overlaps(kappa, 0.5)))(0.4)
    steps = [float(population_risk(TASK, Linear(0.3), Overlaps(x, 0.5))) for x in (0.401, 0.399)]
    assert float(slope) == pytest.approx((steps[0] - steps[1]) / 0.002, rel=1e-4)
    start = Overlaps(np.array([0.3, 0.1]), np.array([0.2, 0.4]))
    path = population_path(TASK, Linear(0.3), start, steps=400, step_size=0.05)
    assert np.all(np.diff(path.risk, axis=0) < 1e-12)
    at_the_truth = float(population_risk(TASK, Linear(0.3), Overlaps(1.0, 1.0)))
    np.testing.assert_allclose(path.risk[-1], at_the_truth, rtol=1e-6)


def test_it_is_trained_on_its_own_samples_and_not_on_those_of_another_task(registered):
    options = {"steps": 100, "step_size": 0.02, "batch_size": 20, "key": jax.random.key(5)}
    truth, start = Truth(*np.eye(6)[:2]), Pair(np.eye(6)[[0, 2]], np.eye(6)[[3, 1]])
    path = vectors_path(TASK, truth, Linear(0.3), start, **options)
    assert np.all(path.risk[-1] < 0.8 * path.risk[0])
    options["key"] = jax.random.key(6)
    with pytest.raises(TypeError, match="`task` must be SingleLocation.* got EveryToken"):
        sgd_path(TASK, Linear(0.3), STATE, **options)


def test_an_unregistered_pair_is_refused_with_the_pairs_that_exist():
    with pytest.raises(TypeError, match=r"SingleLocation with Erf.* monte_carlo_risk serves"):
        population_risk(TASK, Linear(0.3), STATE)
