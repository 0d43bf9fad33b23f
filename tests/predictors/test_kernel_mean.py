"""CME attention is the Bayes mean, by either route, and refuses a singular kernel."""

import jax
import numpy as np
import pytest

from soloc.maths.harmonics import Coordinates, Harmonics
from soloc.predictors.kernel_mean import FeatureKernel, GaussianKernel, KernelMeanAttention
from soloc.predictors.key_query import PowerLaw
from soloc.tasks.exchangeable_latent import ExchangeableLatent


class Dense:
    """The same kernel without its features, so that Cholesky must serve."""

    def __call__(self, x, y):
        return Harmonics()(x) @ Harmonics()(y).T


@pytest.mark.parametrize("L", [1, 2, 7, 8, 9, 50, 400])
@pytest.mark.parametrize(
    "kernel", [FeatureKernel(Harmonics()), Dense()], ids=["Woodbury", "Cholesky"]
)
def test_with_the_bayes_ridge_it_is_the_bayes_mean_at_every_length(L, kernel):
    task = ExchangeableLatent(L=L)
    batch = task.sample((), jax.random.key(L), 5)
    weights = KernelMeanAttention(kernel, task.ridge).weights(batch.keys, batch.query)
    np.testing.assert_allclose(weights, task.bayes_weights(batch.keys, batch.query), atol=1e-10)


def test_any_kernel_and_ridge_solve_the_normal_equations():
    rng = np.random.default_rng(0)
    keys, query = rng.standard_normal((3, 20, 4)), rng.standard_normal((3, 4))
    for ridge in (0.5, PowerLaw(0.1, 0.75)):
        weights = KernelMeanAttention(GaussianKernel(1.3), ridge).weights(keys, query)
        value = 0.5 if ridge == 0.5 else 0.1 * 20**0.75
        for k, q, w in zip(keys, query, weights, strict=True):
            gram = np.exp(-((k[:, None] - k[None]) ** 2).sum(-1) / (2 * 1.3**2))
            cross = np.exp(-((k - q) ** 2).sum(-1) / (2 * 1.3**2))
            np.testing.assert_allclose((gram + value * np.eye(20)) @ w, cross, atol=1e-12)


def test_without_ridge_a_regular_kernel_interpolates():
    rng = np.random.default_rng(1)
    keys = rng.standard_normal((2, 6, 4))
    weights = KernelMeanAttention(GaussianKernel(), 0.0).weights(keys, keys[:, 3])
    np.testing.assert_allclose(weights, np.eye(6)[[3, 3]], atol=1e-8)


@pytest.mark.parametrize(
    "kernel", [FeatureKernel(Coordinates()), GaussianKernel(1e3)], ids=["few features", "too flat"]
)
def test_a_singular_kernel_without_ridge_is_refused(kernel):
    keys = np.random.default_rng(2).standard_normal((1, 30, 3))
    with pytest.raises(
        ValueError,
        match="`ridge` must be > 0 and not negligible when the kernel matrix is singular",
    ):
        KernelMeanAttention(kernel, 0.0).weights(keys, keys[:, 0])


def test_bad_settings_are_refused():
    with pytest.raises(ValueError, match="`ridge` must be >= 0"):
        KernelMeanAttention(GaussianKernel(), -0.1)
    with pytest.raises(ValueError, match=r"`ridge` must be >= 0, got .* for 3 tokens"):
        KernelMeanAttention(GaussianKernel(), PowerLaw(-2.0, 0.0)).weights(
            np.ones((1, 3, 2)), np.ones((1, 2))
        )
    with pytest.raises(ValueError, match="`width` must be > 0"):
        GaussianKernel(0)
