"""Risks of component-wise weights against closed-form Gaussian moments and plain integration."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.special import erf, expit
from tests.oracles import pointwise_plain as oracle
from tests.risk_draws import overlaps as draw_overlaps

from soloc import Overlaps, SingleLocation, excess_risk, weights
from soloc.risk.closed_form import erf_excess
from soloc.risk.quadrature import pointwise_excess
from soloc.risk.signal_numbers import SignalNumbers

D, L, GAMMA = 20, 6, 0.8
O = draw_overlaps(np.random.default_rng(5), "generic")
REST = {name: O[name] for name in ("nu", "theta", "eta", "rho")}
TASK = SingleLocation(D, L, GAMMA)


def ours(weight, task=TASK):
    return float(excess_risk(task, weight, Overlaps(**O)))


def true(moments, lam):
    signal, background = (
        moments(lam * TASK.m * O["kappa"], abs(lam) * GAMMA),
        moments(0.0, abs(lam)),
    )
    if lam < 0:  # moments are along x = lam a: the standardised score is reversed
        signal, background = reversed_score(signal), reversed_score(background)
    return oracle.excess_from_moments(signal, background, TASK.m, GAMMA, L, **REST)


def reversed_score(moment):
    return lambda power, q: moment(power, q(np.polynomial.Polynomial([0.0, -1.0])))


@pytest.mark.parametrize("lam", [-0.7, 0.01, 0.5, 30.0])
def test_linear_weights_equal_their_gaussian_moments(lam):
    for weight, sigma in (
        (weights.Linear(lam), lambda x: x),
        (weights.OnePlusLinear(lam), lambda x: 1 + x),
    ):
        expected = true(
            lambda centre, s, sigma=sigma: oracle.polynomial_moments(sigma, centre, s), lam
        )
        assert ours(weight) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("lam", [-1.0, 0.3, 1.0, 4.0])
def test_exponential_weight_equals_its_gaussian_moments(lam):
    assert ours(weights.Exponential(lam)) == pytest.approx(
        true(oracle.exponential_moments, lam), rel=1e-10
    )


SMOOTH = {
    "tanh": (weights.Tanh, np.tanh, 0.0),
    "sigmoid": (lambda lam: weights.Sigmoid(lam, shift=2.0), lambda x: expit(x - 2.0), 2.0),
    "one-plus-erf": (
        lambda lam: weights.OnePlusErf(lam, shift=0.5),
        lambda x: 1 + erf(x - 0.5),
        0.5,
    ),
    "relu": (weights.ReLU, lambda x: np.maximum(x, 0.0), 0.0),
    "softplus": (weights.Softplus, lambda x: np.logaddexp(0.0, x), 0.0),
}


@pytest.mark.parametrize("name", SMOOTH)
@pytest.mark.parametrize("lam", [-0.6, 0.05, 1.0, 1e4])
def test_smooth_kinked_and_sharp_weights_equal_plain_integration(name, lam):
    make, sigma, bend = SMOOTH[name]
    expected = true(lambda centre, s: oracle.integrated(sigma, centre, s, bend), lam)
    assert ours(make(lam)) == pytest.approx(expected, rel=1e-10)


def test_erf_by_quadrature_equals_the_closed_form():
    rng = np.random.default_rng(3)
    with jax.enable_x64(True):
        both = jax.jit(
            lambda m, gamma, L, lam, *o: (
                pointwise_excess(
                    SignalNumbers(m[None], gamma[None], L[None]),
                    weights.Erf(lam[None]),
                    Overlaps(*(x[None] for x in o)),
                ),
                erf_excess(SignalNumbers(m, gamma, L), lam, Overlaps(*o)),
            )
        )
        for place in ("generic", "manifold", "near truth", "truth") * 8:
            numbers = (
                10 ** rng.uniform(0, 3),
                10 ** rng.uniform(-2, 1),
                float(rng.integers(1, 50)),
                10 ** rng.uniform(-3, 4),
            )
            five = {"theta": 0.0, "eta": 0.0, "rho": 0.0} | draw_overlaps(rng, place)
            inputs = (*numbers, *(five[name] for name in ("kappa", "nu", "theta", "eta", "rho")))
            (value, log_scale), closed = both(*(jnp.asarray(x, jnp.float64) for x in inputs))
            quadrature = value * jnp.exp(log_scale)
            if closed > 1e-20:
                assert float(quadrature) == pytest.approx(float(closed), rel=1e-10), (
                    place,
                    numbers,
                )


def test_division_by_the_length_scales_the_weight():
    expected = true(lambda centre, s: oracle.integrated(lambda x: erf(x) / L, centre, s), 0.9)
    assert ours(weights.Erf(0.9, per_length=True)) == pytest.approx(expected, rel=1e-10)
    alone = SingleLocation(D, 1, GAMMA)
    assert ours(weights.ReLU(0.9, per_length=True), alone) == pytest.approx(
        ours(weights.ReLU(0.9), alone), rel=1e-12
    )


def test_no_attention_at_all_is_the_null_predictor():
    for weight in (weights.Erf(0.0), weights.Linear(0.0), weights.Tanh(0.0), weights.ReLU(0.0)):
        assert ours(weight) == pytest.approx(GAMMA**2, rel=1e-12)


def test_a_risk_beyond_the_largest_double_is_refused_by_name():
    with pytest.raises(
        ValueError, match="`lam` must be such that the risk of Exponential is a finite number"
    ):
        ours(weights.Exponential(1e3))
