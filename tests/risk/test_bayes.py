"""The exact Bayes risk against dense sums, and the laws of every posterior."""

import math

import numpy as np
import pytest
from tests.oracles import bayes_mpmath
from tests.oracles.bayes_bruteforce import log_excess, log_excess_of_two

from soloc import Overlaps, SingleLocation, Softmax, bayes_risk, log_bayes_excess, log_excess_risk


@pytest.mark.parametrize(
    "d, gamma", [(6, 0.082), (36, 0.12), (8, 0.05), (20, 0.7), (15, 2.3), (4, 2.76), (30, 4.5)]
)
def test_two_tokens_are_a_double_sum_over_radii(d, gamma):
    assert float(log_bayes_excess(SingleLocation(d, 2, gamma))) == pytest.approx(
        log_excess_of_two(d, gamma), rel=0, abs=1e-10
    )


@pytest.mark.parametrize(
    "d, L, gamma", [(8, 45, 0.097), (16, 1.75e7, 0.099), (53, 4081, 0.134), (5, 1.3e5, 3.81)]
)
def test_many_tokens_are_a_dense_sum_over_radii_and_log_t(d, L, gamma):
    assert float(log_bayes_excess(SingleLocation(d, L, gamma))) == pytest.approx(
        log_excess(d, L, gamma), rel=0, abs=1e-10
    )


def _random_settings(count):
    rng = np.random.default_rng(3)
    for _ in range(count):
        d, L = (
            math.floor(10 ** rng.uniform(math.log10(4), 1.7)),
            math.floor(10 ** rng.uniform(math.log10(2), 9)),
        )
        yield float(d), float(L), 10 ** rng.uniform(math.log10(0.1), math.log10(5))


# dense sums reach no deeper than exp(-100)
EXTREMES = [(4.0, 3.0, 0.05), (30.0, 1e9, 0.07), (80.0, 1e9, 5.0), (4.0, 1e9, 5.0)]


@pytest.mark.parametrize("d, L, gamma", [*_random_settings(10), *EXTREMES])
def test_the_posterior_is_calibrated(d, L, gamma):
    """The location is a draw from the posterior: E[c_s^2 (1 - p_s)], which is computed, is the
    E[(1 - p_s)^2 c_s^2] + (L-1) E[p_l^2 c_l^2] of the definition, which the dense sum adds up.
    """
    assert float(log_bayes_excess(SingleLocation(d, L, gamma))) == pytest.approx(
        log_excess(d, L, gamma), rel=0, abs=1e-10
    )


def test_a_weak_signal_in_many_dimensions_meets_softmax_at_gamma_one():
    d, m, step = 1e8, 3.0, 1e-9
    sides = [
        float(log_bayes_excess(SingleLocation(d, 100, 1.0 + side, signal=m)))
        for side in (-step, step)
    ]
    exact = float(log_bayes_excess(SingleLocation(d, 100, 1.0, signal=m)))
    # log densities are differences of numbers as large as d
    assert np.mean(sides) == pytest.approx(exact, rel=0, abs=5e-9)


# d, gamma and signal at which the integral over radii was not a number, or was wrong by 29 and more
EDGES = [
    (4, 1e4, 1e-7), (400, 1e6, 14.142135623730951), (10, 0.5, 0.0), (10**6, 1e-6, 707.0),
    (10**12, 1e-6, 707106.0), (4, 1e-3, 1e6), (4, 1e-6, 1e6), (10**12, 1e6, 0.0),
    (10**12, 1.0 + 1e-7, 1.0), (4, 1.0, 1e-6), (10**6, 0.9999, 3.0), (4, 1e6, 1e6),
]  # fmt: skip


@pytest.mark.parametrize("d, gamma, m", EDGES)
def test_two_tokens_are_one_contour_integral_up_to_every_edge(d, gamma, m):
    exact = bayes_mpmath.log_excess_of_two(d, gamma, m)
    found = float(log_bayes_excess(SingleLocation(d, 2, gamma, signal=m)))
    assert abs(found - exact) < 1e-14 * max(1.0, abs(exact))


def test_the_oracle_of_two_tokens_agrees_with_the_definition():
    for d, gamma, m in [(5, 0.4, 1.0), (4, 1.7, 0.0)]:
        assert log_excess_of_two(d, gamma, m) == pytest.approx(
            float(bayes_mpmath.log_excess_of_two(d, gamma, m)), rel=0, abs=1e-11
        )


@pytest.mark.parametrize("d, gamma, m", EDGES[1:8:2])
def test_rare_errors_of_many_tokens_add_up(d, gamma, m):
    two, ten = (float(log_bayes_excess(SingleLocation(d, L, gamma, signal=m))) for L in (2, 10))
    if two < -1000.0:  # beyond, two rare events at once no longer count
        assert ten - two == pytest.approx(math.log(9.0), abs=1e-14 * abs(two) + 1e-11)
    assert two < ten <= two + math.log(9.0) + 1e-14 * abs(two)


def test_known_values_at_the_edges():
    gammas = np.array([0.9, 1.0, 1.1])
    batch = np.asarray(bayes_risk(SingleLocation(10, 10, gammas, signal=2.0)))
    each = [float(bayes_risk(SingleLocation(10, 10, gamma, signal=2.0))) for gamma in gammas]
    assert batch == pytest.approx(each, rel=1e-14) and each[1] == pytest.approx(0.446880, abs=5e-7)
    nothing = float(log_bayes_excess(SingleLocation(10, 10, 0.5, signal=0.0)))
    assert nothing == pytest.approx(log_excess(10, 10, 0.5, 0.0), rel=0, abs=1e-10)
    assert math.exp(nothing) == pytest.approx(0.067824, abs=5e-7)


def test_without_any_difference_the_posterior_is_uniform():
    L = np.array([1.0, 2.0, 3.0, 1e6, 1e12])
    found = bayes_risk(SingleLocation(10, L, 1.0, 0.3, signal=0.0))
    assert np.asarray(found) == pytest.approx(1.0 - 1.0 / L + 0.09, rel=1e-14)


@pytest.mark.parametrize("m", [0.01, 0.6, 3.0, 7.0, 40.0])
@pytest.mark.parametrize("L", [2.0, 3.0, 1e3, 1e8, 1e12])
def test_at_gamma_one_bayes_is_softmax(m, L):
    task = SingleLocation(10, L, 1.0, signal=m)
    softmax = float(log_excess_risk(task, Softmax(m), Overlaps(1.0, 1.0)))
    assert float(log_bayes_excess(task)) == pytest.approx(softmax, rel=1e-11, abs=1e-11)


def test_many_settings_at_once_are_each_of_them():
    rng = np.random.default_rng(11)
    d, L = np.floor(10 ** rng.uniform(0.61, 9, 300)), np.floor(10 ** rng.uniform(0, 12, 300))
    gamma, m = 10 ** rng.uniform(-4, 4, 300), 10 ** rng.uniform(-4, 4, 300)
    batch = np.asarray(log_bayes_excess(SingleLocation(d, L, gamma, signal=m)))
    for i in range(0, 300, 15):
        alone = float(log_bayes_excess(SingleLocation(d[i], L[i], gamma[i], signal=m[i])))
        assert batch[i] == pytest.approx(alone, rel=1e-14, abs=1e-14)
