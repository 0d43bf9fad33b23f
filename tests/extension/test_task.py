"""A task is one file: defined here alone, it obeys every law and meets every predictor.

Its answer is not the token at one place but a soft mixture of all of them:

    X_l ~ N(0, I),   Y = sum_l softmax(beta X k*)_l X_l . v* + N(0, eps^2)
"""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from tests.laws.laws import LAWS

from soloc import Erf, Overlaps, Softmax, linear_risk, monte_carlo_risk, null_risk
from soloc.maths.data import Data
from soloc.maths.numbers import check_count
from soloc.risk.monte_carlo import monte_carlo_bayes_risk
from soloc.tasks.single_location import orthonormal_pair
from soloc.weights import Sparsemax


class Mixed(NamedTuple):
    """Sequences, their answers, and the shares of the tokens in them."""

    tokens: Any
    answers: Any
    latent: Any
    lengths: Any


@dataclass(frozen=True)
class SoftMixture(Data):
    """The task."""

    d: Any = 6
    L: Any = 4
    beta: Any = 1.5
    eps: Any = 0.2

    def truth(self, key):
        return orthonormal_pair(key, self.d)

    def sample(self, truth, key, n):
        check_count("n", n)
        token_key, noise_key = jax.random.split(key)
        tokens = jax.random.normal(token_key, (n, self.L, self.d))
        shares = jax.nn.softmax(self.beta * tokens @ truth.k, axis=-1)
        answers = self.bayes(truth, tokens) + self.eps * jax.random.normal(noise_key, (n,))
        return Mixed(tokens, answers, shares, jnp.full((n,), self.L))

    def bayes(self, truth, tokens, lengths=None):
        shares = jax.nn.softmax(self.beta * tokens @ truth.k, axis=-1)
        return jnp.sum(shares * (tokens @ truth.v), axis=-1)

    def null_risk(self):
        """eps^2 + E[sum_l share_l^2], since values are independent of shares."""
        return self.eps**2 + concentration(self.beta, self.L)

    def linear_risk(self):
        """eps^2 + E[sum_l share_l^2] - 1/L: the best linear answer is the mean of the values."""
        return self.null_risk() - 1.0 / self.L


def concentration(beta, L):
    """E[sum_l softmax(beta g)_l^2] for L standard normals g, by 1/S^2 = int t exp(-t S) dt."""
    x, w = np.polynomial.hermite_e.hermegauss(80)
    w = w / w.sum()
    u = np.arange(-60.0, 30.0, 0.05)[:, None]
    tE = np.exp(u + beta * x)
    both = (w * tE**2 * np.exp(-tE)).sum(1) * (w * np.exp(-tE)).sum(1) ** (L - 1)
    return float(L * 0.05 * both.sum())


TASK = SoftMixture()
STATE = Overlaps(0.6, 0.7, 0.1, -0.2, 0.3)


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
def test_every_law_of_tasks_holds_for_it(law):
    law(TASK)


def test_its_baselines_are_asked_as_those_of_any_task():
    assert null_risk(TASK) == TASK.null_risk() and linear_risk(TASK) == TASK.linear_risk()
    bayes = monte_carlo_bayes_risk(TASK, jax.random.key(0), 20_000)
    assert abs(bayes.value - 0.2**2) < 4.5 * bayes.error


@pytest.mark.parametrize("weight", [Erf(0.5), Softmax(1.5), Sparsemax(1.0)], ids=type)
def test_simulation_meets_every_weight(weight):
    estimate = monte_carlo_risk(TASK, weight, STATE, jax.random.key(1), 40_000)
    k, v = (np.asarray(x) for x in STATE.in_frame())
    rng = np.random.default_rng(2)
    n = 40_000
    tokens = rng.standard_normal((n, 4, 4))
    p = np.exp(1.5 * tokens[..., 0])
    answers = np.sum(p / p.sum(1, keepdims=True) * tokens[..., 1], 1)
    with jax.enable_x64(True):
        weights = np.asarray(weight(jnp.asarray(tokens @ k)))
    squares = (np.sum(weights * (tokens @ v), 1) - answers) ** 2 + TASK.eps**2
    error = math.hypot(estimate.error, squares.std() / math.sqrt(n))
    assert abs(estimate.value - squares.mean()) < 4.5 * error


def test_softmax_at_the_truth_is_its_bayes_answer():
    estimate = monte_carlo_risk(TASK, Softmax(1.5), Overlaps(1.0, 1.0), jax.random.key(1), 4000)
    assert abs(estimate.value - 0.2**2) < 4.5 * estimate.error


def test_a_predictor_that_answers_by_itself_is_asked():
    class Mean(NamedTuple):
        scale: float

        def predict(self, k, v, tokens, present):
            return self.scale * jnp.mean(tokens @ v, axis=-1)

    estimate = monte_carlo_risk(TASK, Mean(1.0), Overlaps(1.0, 1.0), jax.random.key(3), 40_000)
    assert abs(estimate.value - TASK.linear_risk()) < 4.5 * estimate.error
