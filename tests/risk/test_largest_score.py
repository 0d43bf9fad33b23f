"""Attention on the token with the largest score: check values, limits, and plain simulation."""

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import expit
from scipy.stats import norm

from soloc.predictors.pointwise import Erf, ReLU, Tanh
from soloc.risk.largest_score import (
    agreement_of_maxima,
    hit_of_pointwise,
    hit_of_softmax,
    share_of_pointwise,
    squared_pointwise,
    squared_softmax,
)


@pytest.mark.parametrize(
    "lam, L, value",
    [
        (1.0, 2, 0.636838153968),
        (3.0, 2, 0.826522927638),
        (10.0, 2, 0.944037255840),
        (1.0, 10, 0.194687393695),
        (3.0, 10, 0.540019380274),
        (10.0, 10, 0.847511208424),
    ],
)
def test_squares_of_softmax(lam, L, value):
    assert squared_softmax(lam, L) == pytest.approx(value, abs=1e-11)


@pytest.mark.parametrize(
    "lam, L, value",
    [
        (1.0, 2, 0.725213454422),
        (3.0, 2, 0.877723177763),
        (10.0, 2, 0.961143666596),
        (1.0, 10, 0.320264371568),
        (3.0, 10, 0.660607638396),
        (10.0, 10, 0.892789496115),
    ],
)
def test_hits_of_softmax_at_the_truth(lam, L, value):
    assert hit_of_softmax(lam, 1.0, L) == pytest.approx(value, abs=1e-11)


@pytest.mark.parametrize(
    "kappa, L, value",
    [
        (0.5, 3, 0.534637820240),
        (0.9, 3, 0.790818244769),
        (0.99, 3, 0.933022352271),
        (0.5, 10, 0.293809866435),
        (0.9, 10, 0.645933982074),
        (0.99, 10, 0.880840545227),
    ],
)
def test_how_often_two_maxima_agree(kappa, L, value):
    assert agreement_of_maxima(kappa, L) == pytest.approx(value, abs=1e-11)


@pytest.mark.parametrize("kappa", [-0.99, -0.6, 0.0, 0.3, 0.9999])
def test_two_tokens_agree_by_the_angle_between_their_keys(kappa):
    assert agreement_of_maxima(kappa, 2) == pytest.approx(
        0.5 + math.asin(kappa) / math.pi, abs=1e-10
    )


@pytest.mark.parametrize("L, value", [(2, 0.178132142875), (10, 0.473265557648)])
def test_hits_of_erf(L, value):
    assert hit_of_pointwise(Erf(0.3), 1.0, L) == pytest.approx(value, abs=1e-11)


@pytest.mark.parametrize("lam, kappa", [(0.3, 1.0), (0.7, 0.4), (0.5, -0.8)])
def test_hits_of_erf_on_two_tokens_are_an_arcsine(lam, kappa):
    wanted = (2.0 / math.pi) * math.asin(kappa * lam / math.sqrt(1.0 + 2.0 * lam**2))
    assert hit_of_pointwise(Erf(lam), kappa, 2) == pytest.approx(wanted, abs=1e-12)


def test_squares_of_erf_are_an_arcsine():
    lam = 0.7
    wanted = 6 * (2.0 / math.pi) * math.asin(2 * lam**2 / (1 + 2 * lam**2))
    assert squared_pointwise(Erf(lam), 6) == pytest.approx(wanted, abs=1e-12)
    assert squared_pointwise(Erf(lam, per_length=True), 6) == pytest.approx(wanted / 36, abs=1e-12)


@pytest.mark.slow
def test_a_sharp_softmax_is_the_hard_maximum():
    sharp = [hit_of_softmax(lam, 0.8, 5) for lam in (300.0, 3000.0)]
    wanted = agreement_of_maxima(0.8, 5)
    assert abs(sharp[1] - wanted) < 0.11 * abs(sharp[0] - wanted) < 1e-3


def test_a_key_that_sees_nothing_hits_by_chance():
    assert hit_of_softmax(3.0, 1e-9, 8) == pytest.approx(1.0 / 8.0, abs=1e-6)
    assert hit_of_softmax(3.0, 0.0, 8) == 1.0 / 8.0
    assert agreement_of_maxima(0.0, 8) == pytest.approx(1.0 / 8.0, abs=1e-12)


@pytest.mark.parametrize("lam, kappa, L", [(2.0, 0.5, 5), (1.5, -0.6, 4), (8.0, 0.95, 20)])
def test_hits_agree_with_plain_simulation(lam, kappa, L):
    rng, n = np.random.default_rng(3), 100_000
    chi = rng.normal(size=(n, L))
    a = kappa * chi + math.sqrt(1.0 - kappa**2) * rng.normal(size=(n, L))
    rows, J = np.arange(n), chi.argmax(axis=1)
    p = np.exp(lam * (a - a.max(axis=1, keepdims=True)))
    p /= p.sum(axis=1, keepdims=True)
    pairs = [
        (hit_of_softmax(lam, kappa, L), p[rows, J]),
        (hit_of_pointwise(Tanh(lam), kappa, L), np.tanh(lam * a[rows, J])),
        (agreement_of_maxima(kappa, L), a.argmax(axis=1) == J),
    ]
    for exact, draws in pairs:
        assert abs(exact - draws.mean()) < 4.5 * draws.std() / math.sqrt(n)


@pytest.mark.parametrize("L", [1e3, 1e6, 1e9])
def test_the_length_costs_nothing_and_more_tokens_hide_the_largest(L):
    assert hit_of_softmax(10.0, 1.0, L) < hit_of_softmax(10.0, 1.0, L / 10)
    assert squared_softmax(10.0, L) <= hit_of_softmax(10.0, 1.0, L)


@pytest.mark.parametrize("kappa, L", [(1.0, 2), (1.0, 10), (0.7, 10), (0.99, 5)])
def test_the_bend_of_relu_costs_nothing(kappa, L):
    s = math.sqrt(1.0 - kappa * kappa)

    def seen(x):  # E[max(a, 0)] of a normal, in closed form
        return kappa * x * norm.cdf(kappa * x / s) + s * norm.pdf(kappa * x / s) if s else max(x, 0)

    def integrand(x):
        return L * norm.pdf(x) * norm.cdf(x) ** (L - 1) * seen(x)

    value = 0.4 * sum(quad(integrand, *ends, epsabs=1e-13)[0] for ends in ((-8, 0), (0, 9)))
    assert hit_of_pointwise(ReLU(0.4), kappa, L) == pytest.approx(value, abs=1e-11)


@pytest.mark.parametrize("weight", [ReLU(0.4), Erf(0.3)])
@pytest.mark.parametrize("beta", [0.2, 5.0, 40.0])
def test_shares_of_two_tokens_by_a_double_integral(weight, beta):
    z = np.linspace(-9.0, 9.0, 10_001)
    other = norm.pdf(z) * (z[1] - z[0])

    def integrand(x):
        share = float(other @ expit(beta * (x - z)))
        return 2.0 * norm.pdf(x) * float(weight.value(weight.lam * x)) * share

    value = sum(quad(integrand, *ends, epsabs=1e-12)[0] for ends in ((-9, 0), (0, 9)))
    assert share_of_pointwise(weight, 1.0, 2, beta) == pytest.approx(value, abs=1e-9)
