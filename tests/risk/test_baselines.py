"""Bayes, linear and null risks."""

import math

import jax
import numpy as np
import pytest

from soloc import (
    LengthLaw,
    Overlaps,
    SingleLocation,
    Softmax,
    bayes_risk,
    excess_risk,
    linear_risk,
    log_bayes_excess,
    monte_carlo_bayes_risk,
    null_risk,
    population_risk,
)


@pytest.mark.parametrize("L", [2, 1000])
def test_softmax_at_the_truth_is_bayes_when_gamma_is_one(L):
    task = SingleLocation(100, L, 1.0, 0.2)
    softmax = float(population_risk(task, Softmax(task.m), Overlaps(1.0, 1.0)))
    assert float(bayes_risk(task)) == pytest.approx(softmax, rel=1e-10)


@pytest.mark.parametrize("L", [2, 10, 10**6])
def test_bayes_for_every_gamma_is_continuous_at_gamma_one(L):
    task = SingleLocation(40, L, 1.0)
    exact = float(excess_risk(task, Softmax(task.m), Overlaps(1.0, 1.0)))
    sides = [float(log_bayes_excess(SingleLocation(40, L, 1.0 + step))) for step in (-1e-5, 1e-5)]
    assert np.mean(sides) == pytest.approx(math.log(exact), abs=1e-6)


@pytest.mark.parametrize("gamma, d, L", [(0.5, 6, 3), (0.7, 8, 5), (1.5, 5, 4)])
def test_bayes_agrees_with_simulation(gamma, d, L):
    task = SingleLocation(d, L, gamma, 0.2)
    simulated = monte_carlo_bayes_risk(task, jax.random.key(5), 100_000)
    assert abs(simulated.value - float(bayes_risk(task))) < 4.5 * simulated.error


def test_bayes_excess_is_reported_by_its_logarithm_where_it_underflows():
    log_excess = float(log_bayes_excess(SingleLocation(4000, 10, math.sqrt(0.5))))
    assert math.isfinite(log_excess) and log_excess < -700
    assert math.isfinite(float(log_bayes_excess(SingleLocation(400, 10, math.sqrt(0.5)))))


def test_more_tokens_are_harder():
    logs = np.asarray(
        log_bayes_excess(SingleLocation(40, np.array([2, 3, 10, 100, 10**4, 10**6]), 0.8))
    )
    assert np.all(np.diff(logs) > 0) and logs[-1] < math.log(0.64)


def test_a_token_alone_is_no_question():
    assert float(bayes_risk(SingleLocation(20, 1, 0.8, 0.3))) == pytest.approx(0.09, rel=1e-12)


def test_a_random_length_mixes_the_bayes_risks():
    law = LengthLaw((2, 5), (0.4, 0.6))
    fixed = [float(bayes_risk(SingleLocation(20, L, 0.8))) for L in law.values]
    mixture = float(bayes_risk(SingleLocation(20, gamma=0.8, lengths=law)))
    assert mixture == pytest.approx(np.dot(law.probabilities, fixed), rel=1e-10)


TASKS = {
    "uniform": SingleLocation(4, 3, 0.7, 0.1),
    "prior": SingleLocation(4, 3, 0.7, 0.1, prior=(0.6, 0.3, 0.1)),
    "lengths": SingleLocation(4, gamma=0.7, eps=0.1, lengths=LengthLaw((1, 3), (0.4, 0.6))),
}


@pytest.mark.parametrize("name", TASKS)
def test_linear_risk_is_that_of_least_squares(name):
    task, n = TASKS[name], 40_000
    with jax.enable_x64(True):
        sample = jax.tree.map(
            np.asarray, task.sample(task.truth(jax.random.key(0)), jax.random.key(1), n)
        )
    design = np.hstack([sample.tokens.reshape(n, -1), np.ones((n, 1))])
    coefficients = np.linalg.lstsq(design, sample.answers, rcond=None)[0]
    squares = (sample.answers - design @ coefficients) ** 2 * n / (n - design.shape[1])
    assert abs(squares.mean() - float(linear_risk(task))) < 4.5 * squares.std() / math.sqrt(n)


def test_a_token_alone_is_its_own_linear_regression():
    assert float(linear_risk(SingleLocation(20, 1, 1e4, 0.3))) == 0.3**2


def test_bayes_linear_and_null_are_ordered():
    task = SingleLocation(20, 5, 0.8, 0.3)
    assert (
        0.09
        < float(bayes_risk(task))
        < float(linear_risk(task))
        < null_risk(task)
        == pytest.approx(0.73)
    )


def test_a_prior_gives_bayes_by_simulation_with_its_error():
    risk = bayes_risk(TASKS["prior"], samples=5000)
    assert risk.error > 0
    with pytest.raises(ValueError, match="`prior` must be uniform for the exact Bayes risk"):
        log_bayes_excess(TASKS["prior"])


def test_exact_risks_refuse_a_background_by_name():
    task = SingleLocation(4, 3, background=np.ones(4))
    calls = (
        lambda: excess_risk(task, Softmax(1.0), Overlaps(1.0, 1.0)),
        lambda: bayes_risk(task),
        lambda: linear_risk(task),
    )
    for call in calls:
        with pytest.raises(
            ValueError, match=r"`background` must be left out .* use monte_carlo_risk"
        ):
            call()
