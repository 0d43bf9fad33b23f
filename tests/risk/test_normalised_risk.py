"""Risks of softmax and normalised kernels at any length, against brute force, limits and
identities.
"""

import math

import jax
import numpy as np
import pytest
from scipy.special import expit
from tests.oracles.softmax_bruteforce import kernel_two_tokens, posterior_miss, softmax_two_tokens
from tests.risk_draws import overlaps as draw_overlaps

from soloc import (
    LengthLaw,
    Overlaps,
    SingleLocation,
    Softmax,
    excess_risk,
    log_excess_risk,
    weights,
)

O = draw_overlaps(np.random.default_rng(5), "generic")
KERNELS = {
    weights.NormalisedSoftplus: lambda x: np.logaddexp(0.0, x),
    weights.NormalisedSigmoid: expit,
    weights.NormalisedReLU: lambda x: np.maximum(x, 0.0),
}
KINDS = [Softmax, *KERNELS]


def ours(weight, task, overlaps=O):
    return float(excess_risk(task, weight, Overlaps(**overlaps)))


def at_truth(L):
    return ours(Softmax(math.sqrt(50)), SingleLocation(100, L, 1.0), {"kappa": 1.0, "nu": 1.0})


@pytest.mark.parametrize("L", [10, 1000])
def test_softmax_at_the_truth_is_the_posterior_miss(L):
    assert at_truth(L) == pytest.approx(posterior_miss(math.sqrt(50), L), rel=1e-9)


@pytest.mark.parametrize(
    "L, printed", [(1000, 3.10227989e-4), (10**6, 2.359375340e-2), (10**9, 0.2213670097)]
)
def test_softmax_check_points_at_every_length(L, printed):
    last_digit = 10.0 ** (math.floor(math.log10(printed)) - (8 if L == 1000 else 9))
    assert abs(at_truth(L) - printed) <= 0.51 * last_digit


@pytest.mark.parametrize("lam", [-3.0, -0.4, 0.3, 2.0, 15.0])
@pytest.mark.parametrize("gamma", [0.3, 1.6])
def test_softmax_of_two_tokens_equals_brute_force_off_the_manifold(lam, gamma):
    task = SingleLocation(20, 2, gamma)
    assert ours(Softmax(lam), task) == pytest.approx(
        softmax_two_tokens(task.m, gamma, lam, **O), rel=1e-9
    )


@pytest.mark.parametrize("kind", KERNELS)
@pytest.mark.parametrize("lam", [-2.0, 0.3, 4.0])
def test_kernels_of_two_tokens_equal_brute_force_off_the_manifold(kind, lam):
    task = SingleLocation(20, 2, 0.8)
    expected = kernel_two_tokens(lambda a: KERNELS[kind](lam * a), task.m, 0.8, **O)
    assert ours(kind(lam), task) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("L", [1, 2, 7, 10**6])
def test_softmax_without_scores_is_the_mean_of_the_values(L):
    task = SingleLocation(20, L, 0.8)
    g2, signal = 0.64, (task.m * O["theta"]) ** 2
    expected = g2 - 2 * g2 * O["nu"] / L + (g2 + signal) / L**2 + (L - 1) / L**2
    assert ours(Softmax(0.0), task) == pytest.approx(expected, rel=1e-9)
    assert ours(weights.NormalisedSigmoid(0.0), task) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("kind", [Softmax, weights.NormalisedSoftplus, weights.NormalisedSigmoid])
def test_a_token_alone_has_weight_one(kind):
    task = SingleLocation(20, 1, 0.8)
    expected = 2 * 0.64 * (1 - O["nu"]) + (task.m * O["theta"]) ** 2
    assert ours(kind(1.3), task) == pytest.approx(expected, rel=1e-9)


def test_normalised_relu_does_not_depend_on_the_size_of_lam():
    task = SingleLocation(20, 7, 0.8)
    assert ours(weights.NormalisedReLU(1e-3), task) == pytest.approx(
        ours(weights.NormalisedReLU(50.0), task), rel=1e-9
    )


def test_very_sharp_softmax_tends_to_the_hard_maximum():
    task = SingleLocation(8, 5, 0.8)
    errors = [ours(Softmax(lam), task) - ours(Softmax(1e6), task) for lam in (1e4, 1e5)]
    assert abs(errors[1]) < 0.2 * abs(errors[0]) < 1e-3
    hard = excess_risk(
        task, weights.HardMax(), Overlaps(**O), samples=100_000, key=jax.random.key(1)
    )
    assert abs(hard.value - ours(Softmax(1e6), task)) < 4.5 * hard.error


@pytest.mark.parametrize("d", [10**4, 10**6])
def test_logarithm_follows_its_asymptote_where_the_excess_underflows(d):
    """E[1 - p_s] ~ (L - 1) exp(-m^2/4) sqrt(pi) / (2 m) as m grows: a two-point error per other
    token.
    """
    task = SingleLocation(d, 10, 1.0)
    asymptote = math.log(9) - task.m**2 / 4 + math.log(math.sqrt(math.pi) / (2 * task.m))
    log_excess = float(log_excess_risk(task, Softmax(task.m), Overlaps(1.0, 1.0)))
    assert log_excess < -700
    assert log_excess == pytest.approx(asymptote, abs=10.0 / d)


@pytest.mark.parametrize("kind", KINDS)
def test_a_random_length_is_the_mixture_of_fixed_ones(kind):
    law = LengthLaw((1, 4, 30), (0.3, 0.5, 0.2))
    mixture = excess_risk(SingleLocation(20, gamma=0.8, lengths=law), kind(1.2), Overlaps(**O))
    fixed = excess_risk(SingleLocation(20, np.array(law.values), 0.8), kind(1.2), Overlaps(**O))
    assert float(mixture) == pytest.approx(
        float(np.dot(law.probabilities, np.asarray(fixed))), rel=1e-12
    )


def test_arrays_of_overlaps_and_of_lam_broadcast():
    task = SingleLocation(20, 5, 0.8)
    grid = excess_risk(
        task, Softmax(np.array([[0.5], [2.0]])), Overlaps(np.array([0.1, 0.5, 0.9]), 0.7)
    )
    assert np.shape(grid) == (2, 3)
    assert float(grid[1, 2]) == pytest.approx(
        ours(Softmax(2.0), task, {"kappa": 0.9, "nu": 0.7}), rel=1e-12
    )


def test_softmax_stays_finite_over_its_whole_range():
    rng = np.random.default_rng(2)
    d = np.floor(10 ** rng.uniform(np.log10(4), 6, 16))
    lam = rng.uniform(0, 2, 16) * np.sqrt(d / 2)
    task = SingleLocation(d, np.floor(10 ** rng.uniform(0, 9, 16)), 10 ** rng.uniform(-2, 1, 16))
    five = [
        {"theta": 0.0, "eta": 0.0, "rho": 0.0} | draw_overlaps(rng, place)
        for place in ("generic", "near truth") * 8
    ]
    overlaps = Overlaps(
        *(np.array([one[name] for one in five]) for name in ("kappa", "nu", "theta", "eta", "rho"))
    )
    excess = np.asarray(excess_risk(task, Softmax(lam), overlaps))
    assert np.all(np.isfinite(excess)) and np.all(excess >= 0)
    assert np.all(np.isfinite(log_excess_risk(task, Softmax(lam), overlaps)))


def test_a_sharper_softmax_than_the_nodes_resolve_is_refused():
    with pytest.raises(ValueError, match=r"`lam` must be at most 1e\+06"):
        excess_risk(SingleLocation(20, 5, 1.0), Softmax(1e9), Overlaps(1.0, 1.0))
