"""The posterior is Gaussian conditioning; T is minimal, a sum, and streams in constant memory."""

import tracemalloc

import jax
import numpy as np
import pytest

from soloc.maths.randomness import generator
from soloc.tasks.exchangeable_latent import ExchangeableLatent, KeyValues, LatentLaw, Representation
from soloc.tasks.key_laws import GaussianKeys
from soloc.tasks.protocol import View


def one_sequence(task, L, seed=0):
    rng = generator(jax.random.key(seed))
    keys, values = task.tokens(rng, task.latent(rng, 1), L)
    return KeyValues(keys[0], values[0]), task.key_law.draw(rng, 1)[0]


@pytest.mark.parametrize("L", [1, 5, 8, 40])
def test_the_posterior_is_the_conditional_of_the_joint_gaussian_law(L):
    task = ExchangeableLatent(sigma=0.7, lam=1.8)
    tokens, query = one_sequence(task, L)
    phi, phi_q = task.features(tokens.keys), task.features(query)
    # joint law of (z, v), never seen by the code
    of_values = task.lam * phi @ phi.T + task.sigma**2 * np.eye(L)
    gain = np.linalg.solve(of_values, task.lam * phi)
    posterior = task.infer(task.represent(tokens))
    np.testing.assert_allclose(posterior.mean[0], tokens.values[:, 0] @ gain, atol=1e-11)
    np.testing.assert_allclose(
        posterior.covariance, task.lam * (np.eye(8) - phi.T @ gain), atol=1e-11
    )
    view = View(tokens.keys[None], tokens.values[None], query[None])
    np.testing.assert_allclose(
        task.bayes_weights(view.keys, view.query)[0], gain @ phi_q, atol=1e-11
    )
    np.testing.assert_allclose(
        task.bayes_variance((), view)[0], phi_q @ posterior.covariance @ phi_q, atol=1e-11
    )


def test_the_representation_is_a_sum_over_any_partition_of_the_tokens():
    task = ExchangeableLatent(dv=2)
    (keys, values), _ = one_sequence(task, 100_000)
    whole = task.represent(KeyValues(keys, values))
    pieces = [KeyValues(keys[i::7], values[i::7]) for i in range(7)]
    for other in (task.represent(pieces), sum(map(task.represent, pieces), task.nothing_seen())):
        assert isinstance(other, Representation)
        np.testing.assert_allclose(other.gram, whole.gram, rtol=1e-9, atol=1e-6)
        np.testing.assert_allclose(other.cross, whole.cross, rtol=1e-9, atol=1e-6)


def test_the_posterior_determines_the_representation():
    task = ExchangeableLatent()
    seen = task.represent(one_sequence(task, 50)[0])
    back = task.representation_of(task.infer(seen))
    np.testing.assert_allclose(back.gram, seen.gram, atol=1e-11)
    np.testing.assert_allclose(back.cross, seen.cross, atol=1e-11)


def test_nothing_seen_leaves_the_prior():
    task = ExchangeableLatent(lam=1.7)
    mean, covariance = task.infer(task.nothing_seen())
    assert isinstance(task.infer(task.nothing_seen()), LatentLaw)
    np.testing.assert_allclose(mean, 0)
    np.testing.assert_allclose(covariance, 1.7 * np.eye(8), atol=1e-13)


@pytest.mark.parametrize(
    "L", [pytest.param(300_000), pytest.param(10_000_000, marks=pytest.mark.slow)]
)
def test_a_stream_needs_no_more_memory_than_a_piece(L):
    task = ExchangeableLatent()
    rng = generator(jax.random.key(2))
    latent = task.latent(rng, 1)

    def stream():
        for _ in range(0, L, 20_000):
            keys, values = task.tokens(rng, latent, 20_000)
            yield KeyValues(keys[0], values[0])

    tracemalloc.start()
    posterior = task.infer(task.represent(stream()))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 12e6
    z = (posterior.mean - latent[0]) / np.sqrt(np.diag(posterior.covariance))
    assert np.max(np.abs(z)) < 4.5


def test_noise_on_the_target_adds_its_variance():
    quiet, noisy = ExchangeableLatent(), ExchangeableLatent(noisy_answer=True)
    view = quiet.sample((), jax.random.key(3), 5).tokens
    np.testing.assert_allclose(
        noisy.bayes_variance((), view), quiet.bayes_variance((), view) + 0.25
    )


def test_bad_input_gets_one_sentence():
    for name in ("sigma", "lam", "dv"):
        with pytest.raises(ValueError, match=f"`{name}` must be > 0"):
            ExchangeableLatent(**{name: 0})
    with pytest.raises(ValueError, match="`variances` must be numbers > 0"):
        GaussianKeys((1.0, 0.0))
    task = ExchangeableLatent()
    with pytest.raises(ValueError, match="unit sphere"):
        task.represent(KeyValues(np.ones((4, 3)), np.ones((4, 1))))
    with pytest.raises(ValueError, match="of one sequence"):
        task.represent(KeyValues(np.ones((2, 4, 3)), np.ones((2, 4, 1))))
