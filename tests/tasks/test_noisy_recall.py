"""Recall by a blurred key: softmax at the blur's variance follows Bayes' rule."""

import jax
import numpy as np
import pytest
from scipy.stats import multivariate_normal

from soloc.predictors.key_query import SoftmaxAttention
from soloc.tasks.noisy_recall import NoisyRecall


def test_the_posterior_is_bayes_rule_on_the_densities():
    task = NoisyRecall(d=4, tau=0.2, L=5)
    batch = task.sample((), jax.random.key(0), 6)
    posterior = task.posterior((), batch.tokens)
    for keys, query, weights in zip(batch.keys, batch.query, posterior, strict=True):
        density = np.array([multivariate_normal(k, 0.2 * np.eye(4)).pdf(query) for k in keys])
        np.testing.assert_allclose(weights, density / density.sum(), rtol=1e-10)


@pytest.mark.parametrize("tau", [0.01, 0.1, 2.0])
def test_softmax_at_temperature_tau_is_bayes(tau):
    task = NoisyRecall(tau=tau, L=30)
    batch = task.sample((), jax.random.key(1), 50)
    softmax = SoftmaxAttention(tau).weights(batch.keys, batch.query)
    np.testing.assert_allclose(softmax, task.posterior((), batch.tokens), atol=1e-12)


def test_keys_off_the_sphere_are_refused():
    batch = NoisyRecall().sample((), jax.random.key(2), 2)
    with pytest.raises(ValueError, match="`keys` must lie on the unit sphere"):
        NoisyRecall().bayes_weights(2 * batch.keys, batch.query)


def test_bad_settings_are_refused():
    for settings, sentence in (
        ({"tau": 0}, "`tau` must be > 0"),
        ({"d": 1}, "`d` must be an integer >= 2, got 1"),
    ):
        with pytest.raises(ValueError, match=sentence):
            NoisyRecall(**settings)
