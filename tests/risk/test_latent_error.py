"""Errors with latent and noise integrated out are those of drawn data; limits are limits."""

import jax
import numpy as np
import pytest

from soloc.maths.harmonics import Coordinates, Harmonics
from soloc.predictors.kernel_mean import FeatureKernel, KernelMeanAttention
from soloc.predictors.key_query import LinearAttention, SoftmaxAttention
from soloc.risk.latent_error import (
    error_given_keys,
    kernel_mean_law,
    softmax_floor,
    softmax_multipliers,
    softmax_spread,
    unexplained_by_a_constant,
    whitened_linear_law,
)
from soloc.tasks.exchangeable_latent import ExchangeableLatent
from soloc.tasks.key_laws import SphereKeys
from soloc.tasks.protocol import attend


def z_score(draws, expected=0.0):
    return float((np.mean(draws) - expected) / (np.std(draws, ddof=1) / np.sqrt(len(draws))))


@pytest.mark.parametrize(
    "predictor",
    [
        SoftmaxAttention(0.2),
        LinearAttention(Harmonics(), 3.0),
        KernelMeanAttention(FeatureKernel(Harmonics()), 2.0),
    ],
    ids=["softmax", "linear", "CME"],
)
def test_the_exact_error_is_the_mean_of_drawn_squared_errors(predictor):
    task = ExchangeableLatent(sigma=0.6, lam=1.4, L=10)
    batch = task.sample((), jax.random.key(0), 6000)
    weights = predictor.weights(batch.keys, batch.query)
    drawn = (attend(weights, batch.values) - batch.answers)[:, 0] ** 2
    assert abs(z_score(drawn - error_given_keys(task, batch.keys, batch.query, weights))) < 4


def test_with_the_bayes_weights_the_exact_error_is_the_posterior_variance():
    task = ExchangeableLatent(sigma=0.6, lam=1.4, L=12)
    batch = task.sample((), jax.random.key(1), 20)
    error = error_given_keys(
        task, batch.keys, batch.query, task.bayes_weights(batch.keys, batch.query)
    )
    np.testing.assert_allclose(error, task.bayes_variance((), batch.tokens), rtol=1e-12)


@pytest.mark.parametrize("L", [3, 40])
def test_whitened_linear_attention_has_its_exact_law_at_every_length(L):
    task = ExchangeableLatent(sigma=0.6, lam=1.4, L=L)
    batch = task.sample((), jax.random.key(2), 8000)
    weights = LinearAttention(Harmonics(), 1 / Harmonics().second_moment).weights(
        batch.keys, batch.query
    )
    assert (
        abs(
            z_score(
                error_given_keys(task, batch.keys, batch.query, weights),
                whitened_linear_law(task, L),
            )
        )
        < 4
    )
    assert whitened_linear_law(ExchangeableLatent(), 1) == pytest.approx(9.0)


@pytest.mark.parametrize("d", [2, 3, 5])
@pytest.mark.parametrize("temperature", [0.2, 1.0])
def test_softmax_tends_to_its_multipliers_with_its_spread_over_length(d, temperature):
    task = ExchangeableLatent(Harmonics(d), SphereKeys(d), L=4000)
    batch = task.sample((), jax.random.key(3), 150)
    weights = SoftmaxAttention(temperature).weights(batch.keys, batch.query)
    to_limit = error_given_keys(
        task, batch.keys, batch.query, weights, softmax_multipliers(Harmonics(d), temperature)
    )
    assert abs(z_score(4000 * to_limit, softmax_spread(task, temperature))) < 4
    floor = softmax_floor(task, temperature)
    assert np.mean(error_given_keys(task, batch.keys, batch.query, weights)) == pytest.approx(
        floor, rel=0.1, abs=0.003
    )


def test_floor_and_unexplained_share_are_those_of_the_specification():
    assert softmax_floor(ExchangeableLatent(), 0.2) == pytest.approx(0.1352, abs=5e-5)
    assert unexplained_by_a_constant(Harmonics(), 0.2) == pytest.approx(0.0431, abs=5e-5)
    assert unexplained_by_a_constant(Harmonics(), 1.0) == pytest.approx(0.3126, abs=5e-5)
    assert unexplained_by_a_constant(Harmonics(shares=(0.0, 1.0)), 1.0) == pytest.approx(
        0.0, abs=1e-15
    )


@pytest.mark.parametrize("ridge", [0.25, 30.0])
def test_the_law_of_kernel_regression_is_its_error_for_many_tokens(ridge):
    task = ExchangeableLatent(L=4000)
    batch = task.sample((), jax.random.key(4), 100)
    weights = KernelMeanAttention(FeatureKernel(Harmonics()), ridge).weights(
        batch.keys, batch.query
    )
    assert np.mean(error_given_keys(task, batch.keys, batch.query, weights)) == pytest.approx(
        kernel_mean_law(task, ridge, 4000), rel=0.02
    )
    assert kernel_mean_law(task, 0.25, 10**7) * 10**7 == pytest.approx(0.25 * 8, rel=1e-4)


def test_laws_of_the_sphere_refuse_other_features():
    with pytest.raises(TypeError, match="must have Harmonics as features"):
        softmax_floor(ExchangeableLatent(Coordinates()), 0.2)
