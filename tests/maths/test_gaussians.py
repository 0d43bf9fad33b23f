"""The log-ratio of two Gaussian laws is the difference of their log densities."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import multivariate_normal

from soloc.maths.gaussians import log_ratio, squared_distance

RNG = np.random.default_rng(0)
X, SIGNAL, BACKGROUND = RNG.normal(size=(5, 3)), RNG.normal(size=3), RNG.normal(size=3)


@pytest.mark.parametrize("gamma", [0.3, 1.0, 2.5])
def test_it_is_the_difference_of_log_densities(gamma):
    ratio = log_ratio(squared_distance(X, BACKGROUND), squared_distance(X, SIGNAL), gamma, 3)
    signal = multivariate_normal(SIGNAL, gamma**2 * np.eye(3)).logpdf(X)
    np.testing.assert_allclose(ratio, signal - multivariate_normal(BACKGROUND).logpdf(X))


def test_single_precision_stays_single():
    x = jnp.asarray(X, jnp.float32)
    with jax.enable_x64(True):
        ratio = log_ratio(squared_distance(x, 0.0), squared_distance(x, 1.0), 0.7, 3)
    assert ratio.dtype == jnp.float32


def test_many_widths_broadcast():
    gammas = np.array([0.5, 2.0])
    both = log_ratio(1.0, 2.0, gammas, 4)
    np.testing.assert_allclose(both, [log_ratio(1.0, 2.0, gamma, 4) for gamma in (0.5, 2.0)])
