"""Numbers at the edges of what a risk can be asked: each was refused or wrong once."""

import math

import jax
import mpmath
import numpy as np
import pytest
from mpmath import mp, mpf
from tests.oracles.softmax_bruteforce import softmax_two_tokens

from soloc import (
    Erf,
    LengthLaw,
    Overlaps,
    SingleLocation,
    Softmax,
    bayes_risk,
    excess_risk,
    linear_risk,
    log_bayes_excess,
    log_excess_risk,
)
from soloc.predictors.normalised import NormalisedReLU, NormalisedSigmoid, NormalisedSoftplus
from soloc.predictors.pointwise import Exponential, Sigmoid, Tanh

TRUTH = Overlaps(1.0, 1.0)


def test_a_token_alone_has_no_excess_and_minus_infinity_for_its_logarithm():
    task = SingleLocation(20, 1, 0.8, 0.3)
    assert float(bayes_risk(task)) == pytest.approx(0.09, rel=1e-15)
    assert float(log_bayes_excess(task)) == -math.inf
    for kind in (Softmax, NormalisedSoftplus, NormalisedSigmoid):
        assert float(log_excess_risk(task, kind(1.0), TRUTH)) == -math.inf
        assert float(excess_risk(task, kind(1.0), TRUTH)) == 0.0
        off = float(excess_risk(task, kind(1.0), Overlaps(0.5, 0.4)))
        assert off == pytest.approx(2.0 * (1.0 - 0.4) * 0.64, rel=1e-13)


def _background_squares(L: int) -> mpmath.mpf:
    """E of the sum of squared weights of L - 1 normalised ReLU kernels of standard Gaussians, 0
    where all of them are 0: (L-1) int t E[x^2 e^-tx] E[e^-tx]^(L-2) dt, x = max(a, 0).
    """
    with mp.workdps(100):

        def tail(t: mpmath.mpf) -> mpmath.mpf:
            return mp.erfc(t / mp.sqrt(2)) / 2 * mp.exp(t**2 / 2)

        def value(t: mpmath.mpf) -> mpmath.mpf:
            square = (1 + t**2) * tail(t) - t / mp.sqrt(2 * mp.pi)
            return t * square * (mpf(1) / 2 + tail(t)) ** (L - 2)

        # in equal steps of log t; the tail falls like 1/t, the digits of `square` like t^4
        steps = [mp.exp(mpf(k) / 4) for k in range(-160, 144)]
        return (L - 1) * mp.fsum(value(t) * t for t in steps) / 4


@pytest.mark.parametrize("kappa", [-0.7, -0.9, -1.0])
def test_a_signal_that_relu_never_sees_leaves_the_background(kappa):
    task = SingleLocation(400, 10, 1.0)
    found = float(excess_risk(task, NormalisedReLU(1.0), Overlaps(kappa, 0.0)))
    assert found == pytest.approx(1.0 + float(_background_squares(10)), rel=1e-11)
    assert found == pytest.approx(1.357403, abs=5e-7)


@pytest.mark.slow
def test_a_signal_that_relu_never_sees_has_a_gradient():
    task = SingleLocation(400, 10, 1.0)
    with jax.enable_x64(True):
        slope = jax.grad(lambda nu: excess_risk(task, NormalisedReLU(1.0), Overlaps(-0.7, nu)))(0.1)
    assert float(slope) == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("L", [1, 2, 10])
def test_relu_without_temperature_answers_nothing(L):
    task = SingleLocation(400, L, 0.7)
    for o in (Overlaps(0.5, 0.5), TRUTH):
        lams = np.array([0.0, 1.0])
        batch = np.asarray(excess_risk(task, NormalisedReLU(lams), o))
        assert batch[0] == pytest.approx(0.49, rel=1e-14)
        assert float(excess_risk(task, NormalisedReLU(0.0), o)) == batch[0]
        assert float(excess_risk(task, NormalisedReLU(1.0), o)) == batch[1]


@pytest.mark.parametrize("gamma", [1.0, 0.3, 0.01])
def test_relu_alone_misses_the_negative_scores_however_rare(gamma):
    task = SingleLocation(400, 1, gamma)
    with mp.workdps(30):
        edge = -mpf(task.m) / mpf(gamma)
        exact = mp.log(mpf(gamma) ** 2 * mp.ncdf(edge))
    found = float(log_excess_risk(task, NormalisedReLU(2.0), TRUTH))
    assert found == pytest.approx(float(exact), rel=1e-13)


@pytest.mark.parametrize("lam", [1e-12, 1e-9, 1e-7, 1e-6, 3e-6, 1e-4, 1e-2])
@pytest.mark.parametrize("gamma", [0.7, 1e-3, 30.0])
def test_softmax_of_little_temperature_is_a_double_sum(lam, gamma):
    task, o = SingleLocation(400, 2, gamma), Overlaps(0.5, 0.5, 0.1, -0.2, 0.15)
    exact = softmax_two_tokens(task.m, gamma, lam, 0.5, 0.5, 0.1, -0.2, 0.15, nodes=120)
    assert float(excess_risk(task, Softmax(lam), o)) == pytest.approx(exact, rel=1e-11)


def test_softmax_of_little_temperature_meets_the_mean():
    value = float(excess_risk(SingleLocation(400, 2, 0.7), Softmax(1e-6), Overlaps(0.5, 0.5)))
    assert value == pytest.approx(0.617498, abs=5e-7)


def _log_saturated(sigma, lam: float, m: float, gamma: float, eta: float) -> float:
    """log E[gamma^2 (1 - sigma)^2 (1 - eta^2 + eta^2 alpha^2)] in 30 digits, around its mode."""
    with mp.workdps(30):
        lam, m, gamma, eta = map(mpf, (lam, m, gamma, eta))
        kappa = mp.sqrt(1 - eta**2)

        def value(alpha: mpmath.mpf) -> mpmath.mpf:
            e = sigma(lam * (m * kappa + gamma * alpha))
            return e**2 * (1 - eta**2 + eta**2 * alpha**2) * mp.exp(-(alpha**2) / 2)

        cliff = -m * kappa / gamma
        grid = [cliff + (k - 40) * mpf(1) / 4 for k in range(80)] + [
            mpf(k) / 2 for k in range(-60, 41)
        ]
        mode = max(grid, key=value)
        step = 1 / (8 * max(lam * gamma, 1))  # equal steps: the integrand is analytic and decays
        count = int(13 / step)
        total = step * mp.fsum(value(mode + k * step) for k in range(-count, count))
        return float(mp.log(gamma**2 * total / mp.sqrt(2 * mp.pi)))


COMPLEMENTS = {
    Tanh: lambda x: 2 / (1 + mp.exp(2 * x)),
    Sigmoid: lambda x: 1 / (1 + mp.exp(x)),
    Erf: mp.erfc,
}


@pytest.mark.parametrize("kind", COMPLEMENTS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize(
    "lam, gamma, eta", [(5.0, 0.70710678, 0.0), (0.4, 1.3, 0.3), (30.0, 0.1, 0.0)]
)
def test_a_saturated_weight_alone_is_followed_into_its_tail(kind, lam, gamma, eta):
    """d = 400, L = 1, v = v*: for Tanh(5) the logarithm is -182.150, and panels that end at 9.8
    standard deviations say -194.011.
    """
    task, o = SingleLocation(400, 1, gamma), Overlaps(math.sqrt(1 - eta**2), 1.0, 0.0, eta, eta)
    exact = _log_saturated(COMPLEMENTS[kind], lam, task.m, gamma, eta)
    for per_length in (False, True):  # at L = 1 one and the same; Erf takes its integral for True
        found = float(log_excess_risk(task, kind(lam, per_length=per_length), o))
        assert found == pytest.approx(exact, rel=1e-12)
    if (kind, lam) == (Tanh, 5.0):
        assert exact == pytest.approx(-182.150, abs=5e-4)


def test_the_tail_of_a_saturated_weight_has_its_gradient():
    def log_excess(gamma):
        return log_excess_risk(SingleLocation(400, 1, gamma), Tanh(5.0), TRUTH)

    with jax.enable_x64(True):
        slope, h = float(jax.grad(log_excess)(0.7)), 1e-5
    assert slope == pytest.approx(
        float(log_excess(0.7 + h) - log_excess(0.7 - h)) / (2 * h), rel=1e-8
    )


def test_linear_regression_on_one_token_is_perfect():
    for gamma in (math.sqrt(0.5), 0.7, 7000.0):
        assert linear_risk(SingleLocation(400, 1, gamma)) == 0.0
    lengths = LengthLaw((1, 3), (0.5, 0.5))
    assert linear_risk(SingleLocation(10, lengths=LengthLaw((1,), (1.0,)), gamma=0.7)) == 0.0
    assert linear_risk(SingleLocation(10, lengths=lengths, gamma=1e-9)) > 0.0
    assert linear_risk(SingleLocation(10, 3, 0.7, prior=(1.0, 0.0, 0.0))) == 0.0


def _log_exponential(m, gamma, L, lam, kappa, nu, theta, eta, rho) -> float:
    """log E[(sum of exp(lam a_l) b_l - c)^2] from means over one score each, by equal steps."""
    with mp.workdps(60):
        m, gamma, lam, kappa, nu, theta, eta, rho = map(
            mpf, (m, gamma, lam, kappa, nu, theta, eta, rho)
        )

        def mean(spread, power, f):
            """E[exp(power lam spread x) f(x)], x standard normal."""
            tilt, step = power * lam * spread, mpf(1) / 8
            nodes = [tilt + k * step for k in range(-130, 131)]
            values = (mp.exp(tilt * x - x**2 / 2) * f(x) for x in nodes)
            return step * mp.fsum(values) / mp.sqrt(2 * mp.pi)

        def b(x):
            return m * theta + gamma * rho * x

        scale = mp.exp(lam * m * kappa)
        square = mean(gamma, 2, lambda x: b(x) ** 2 + gamma**2 * (1 - rho**2))
        cross = mean(gamma, 1, lambda x: b(x) * gamma * eta * x + gamma**2 * (nu - rho * eta))
        total = scale**2 * square - 2 * scale * cross + gamma**2
        behind = mean(1, 2, lambda x: (rho * x) ** 2 + 1 - rho**2)
        one, other = scale * mean(gamma, 1, b), mean(1, 1, lambda x: rho * x)
        total += (L - 1) * (behind + 2 * one * other + (L - 2) * other**2)
        return float(mp.log(total))


@pytest.mark.parametrize("m, gamma, L, lam", [
    (0.0, 17.6, 5e10, -1.0), (3.0, 0.5, 4.0, 20.0), (200.0, 1.0, 1.0, 2.0), (2.0, 30.0, 7.0, 3.0),
    (500.0, 0.01, 1e6, -1.0), (2.0, 0.7, 3.0, 0.4),
])  # fmt: skip
def test_exponential_weights_have_a_risk_beyond_doubles(m, gamma, L, lam):
    """The first was refused, though its excess is 1e277, since nodes in its tail overflow."""
    o = (0.4, 0.5, 0.2, -0.3, 0.1)
    task = SingleLocation(10, L, gamma, signal=m)
    exact = _log_exponential(m, gamma, L, lam, *o)
    found = float(log_excess_risk(task, Exponential(lam), Overlaps(*o)))
    assert found == pytest.approx(exact, rel=1e-13)
    if exact < 700.0:
        value = float(excess_risk(task, Exponential(lam), Overlaps(*o)))
        assert value == pytest.approx(math.exp(exact), rel=1e-10)
    else:
        with pytest.raises(ValueError, match="exceeds the largest double"):
            excess_risk(task, Exponential(lam), Overlaps(*o))
