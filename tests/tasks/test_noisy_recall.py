"""Recall by a blurred key: its posterior is Bayes' rule, which softmax at the blur's variance
follows.
"""

import jax
import numpy as np
import pytest
from scipy.stats import multivariate_normal

from soloc.predictors.key_query import SoftmaxAttention
from soloc.tasks.noisy_recall import NoisyRecall


def test_the_posterior_is_bayes_rule_on_the_densities():
    task = NoisyRecall(d=4, tau=0.2)
    batch = task.sample(jax.random.key(0), 6, 5)
    for keys, query, weights in zip(
        batch.keys, batch.query, task.bayes_weights(batch), strict=True
    ):
        density = np.array([multivariate_normal(k, 0.2 * np.eye(4)).pdf(query) for k in keys])
        np.testing.assert_allclose(weights, density / density.sum(), rtol=1e-10)


@pytest.mark.parametrize("tau", [0.01, 0.1, 2.0])
def test_softmax_at_temperature_tau_is_bayes(tau):
    task = NoisyRecall(tau=tau)
    batch = task.sample(jax.random.key(1), 50, 30)
    softmax = SoftmaxAttention(tau).weights(batch.keys, batch.query)
    np.testing.assert_allclose(softmax, task.bayes_weights(batch), atol=1e-12)


def test_keys_off_the_sphere_are_refused():
    batch = NoisyRecall().sample(jax.random.key(2), 2, 3)
    with pytest.raises(ValueError, match="`keys` must lie on the unit sphere"):
        NoisyRecall().bayes_weights(batch._replace(keys=2 * batch.keys))


def test_bad_settings_are_refused():
    for settings, sentence in (
        ({"tau": 0}, "`tau` must be > 0"),
        ({"d": 1}, "`d` must be at least 2"),
    ):
        with pytest.raises(ValueError, match=sentence):
            NoisyRecall(**settings)
