"""Risks where the largest score decides: check values, Bayes, and simulation in full dimension."""

import math

import jax
import numpy as np
import pytest

from soloc import (
    Erf,
    LengthLaw,
    MaxLocation,
    Overlaps,
    Softmax,
    Tanh,
    bayes_risk,
    excess_risk,
    monte_carlo_bayes_risk,
    monte_carlo_risk,
    population_risk,
)
from soloc.weights import HardMax

TRUTH = Overlaps(1.0, 1.0)


def test_softmax_on_the_argmax_has_its_check_value():
    found = population_risk(MaxLocation(L=10), Softmax(10.0), TRUTH)
    assert float(found) == pytest.approx(0.061932216195, abs=1e-11)


def test_softmax_at_lam_beta_is_bayes():
    task = MaxLocation(L=10, beta=3.0, eps=0.3)
    assert float(bayes_risk(task)) == pytest.approx(0.09 + 1.0 - 0.540019380274, abs=1e-11)
    assert population_risk(task, Softmax(3.0), TRUTH) == pytest.approx(bayes_risk(task), abs=1e-12)
    assert bayes_risk(MaxLocation(L=10, eps=0.3)) == pytest.approx(0.09)
    assert bayes_risk(MaxLocation(L=10, beta=3.0, eps=0.3, graded=True)) == pytest.approx(0.09)


@pytest.mark.parametrize(
    "settings, weight, o",
    [
        ({}, Softmax(4.0), Overlaps(0.8, 0.7)),
        ({}, HardMax(), Overlaps(0.8, 0.7)),
        ({}, Erf(0.4), Overlaps(0.8, -0.5)),
        ({"beta": 2.0}, Tanh(0.5, per_length=True), Overlaps(-0.6, 0.9)),
        ({"beta": 2.0}, HardMax(), Overlaps(0.6, 0.9)),
        ({"beta": 2.0, "graded": True}, Erf(0.4), Overlaps(0.8, 0.7)),
        ({"beta": 2.0, "graded": True}, Softmax(2.0), Overlaps(1.0, 0.6)),
        ({"L": None, "lengths": LengthLaw((2, 5), (0.4, 0.6))}, Softmax(3.0), Overlaps(0.9, 0.8)),
        ({"L": None, "lengths": LengthLaw((2, 5), (0.4, 0.6))}, Erf(0.3), Overlaps(0.9, 0.8)),
    ],
)
def test_risks_agree_with_full_dimension(settings, weight, o):
    task = MaxLocation(**{"d": 6, "L": 5, "eps": 0.1} | settings)
    drawn = monte_carlo_risk(task, weight, o, jax.random.key(0), 40_000)
    assert abs(float(population_risk(task, weight, o)) - drawn.value) < 4.5 * drawn.error


def test_the_bayes_risk_is_that_of_the_posterior_mean():
    task = MaxLocation(d=6, L=5, beta=2.0)
    drawn = monte_carlo_bayes_risk(task, jax.random.key(1), 40_000)
    assert abs(float(bayes_risk(task)) - drawn.value) < 4.5 * drawn.error


def test_arrays_broadcast():
    kappa = np.array([[0.2], [1.0]])
    found = excess_risk(MaxLocation(L=np.array([2, 10, 1000])), HardMax(), Overlaps(kappa, 1.0))
    assert found.shape == (2, 3)
    assert np.all(found[1] == 0.0) and np.all(np.diff(found[0]) > 0.0)


def test_what_has_no_exact_risk_is_refused_with_the_way_out():
    for settings, weight, o in (
        ({"beta": 2.0}, Softmax(3.0), TRUTH),
        ({}, Softmax(3.0), Overlaps(0.5, 0.5, rho=0.1)),
    ):
        with pytest.raises(ValueError, match="monte_carlo_risk"):
            excess_risk(MaxLocation(**settings), weight, o)
    with pytest.raises(TypeError, match="JAX"):
        jax.grad(lambda kappa: excess_risk(MaxLocation(), Erf(0.3), Overlaps(kappa, 0.5)))(0.3)


def test_a_component_wise_weight_loses_where_the_argmax_decides():
    """However it is scaled: R = 1 - E[p_J]^2 / E[sum p^2] stays above softmax's."""
    from soloc.risk.largest_score import hit_of_pointwise, squared_pointwise

    for L in (10, 100):
        best = min(
            1.0 - hit_of_pointwise(Erf(lam), 1.0, L) ** 2 / squared_pointwise(Erf(lam), L)
            for lam in np.geomspace(0.01, 10.0, 30)
        )
        assert best > 0.5 > float(excess_risk(MaxLocation(L=L), Softmax(30.0), TRUTH))
    assert math.isinf(MaxLocation().beta)


@pytest.mark.parametrize("lengths", [None, LengthLaw((2, 5), (0.4, 0.6))])
def test_null_and_linear_risk_of_graded_answers_against_samples(lengths):
    task = MaxLocation(
        d=5, L=4 if lengths is None else None, beta=2.0, eps=0.3, graded=True, lengths=lengths
    )
    n = 40_000
    with jax.enable_x64(True):
        drawn = task.sample(task.truth(jax.random.key(0)), jax.random.key(1), n)
    tokens, answers = np.asarray(drawn.tokens), np.asarray(drawn.answers)
    features = np.column_stack([tokens.reshape(n, -1), np.ones(n)])
    left = answers - features @ np.linalg.lstsq(features, answers, rcond=None)[0]
    for square, wanted in ((answers**2, task.null_risk()), (left**2, task.linear_risk())):
        assert abs(square.mean() - wanted) < 4.5 * square.std() / np.sqrt(n)
