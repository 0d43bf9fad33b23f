"""The exact Bayes risk against dense sums, and the laws of every posterior."""

import math

import numpy as np
import pytest
from tests.oracles.bayes_bruteforce import log_excess, log_excess_of_two

from soloc import SingleLocation, log_bayes_excess
from soloc.risk.bayes import bayes_laws
from soloc.risk.laplace import weight_moments


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
            math.floor(10 ** rng.uniform(math.log10(4), 2.5)),
            math.floor(10 ** rng.uniform(math.log10(2), 9)),
        )
        yield float(d), float(L), 10 ** rng.uniform(math.log10(0.05), math.log10(5))


def _moments(d, L, gamma):
    with np.errstate(all="ignore"):
        return weight_moments(
            bayes_laws, (np.float64(d), np.sqrt(0.5 * d), np.float64(gamma)), np.float64(L)
        )


EXTREMES = [(4.0, 3.0, 0.05), (60.0, 1e9, 0.05), (300.0, 1e9, 5.0), (4.0, 1e9, 5.0)]


@pytest.mark.parametrize("d, L, gamma", [*_random_settings(10), *EXTREMES])
def test_the_posterior_is_calibrated_and_sums_to_one(d, L, gamma):
    """The location is a draw from the posterior: E[p_s f(x_s)] = E[sum of p_l^2 f(x_l)], here
    without p_s^2 f(x_s) on either side.
    """
    moments = _moments(d, L, gamma)
    missed = np.log([moments.squares, moments.PP]) + moments.log_miss
    assert missed == pytest.approx(
        np.log([moments.se[0], moments.se[2]]) + moments.log_hit, rel=0, abs=1e-10
    )
    total = (moments.ss[0] + 2.0 * moments.se[0]) * np.exp(moments.log_hit) + moments.ee[
        0
    ] * np.exp(moments.log_miss)
    assert total == pytest.approx(1.0, rel=1e-10)


def test_a_weak_signal_in_many_dimensions_meets_softmax_at_gamma_one():
    d, m, step = 1e8, 3.0, 1e-9
    sides = [
        float(log_bayes_excess(SingleLocation(d, 100, 1.0 + side, signal=m)))
        for side in (-step, step)
    ]
    exact = float(log_bayes_excess(SingleLocation(d, 100, 1.0, signal=m)))
    # log densities are differences of numbers as large as d
    assert np.mean(sides) == pytest.approx(exact, rel=0, abs=5e-9)
