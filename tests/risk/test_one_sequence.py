"""One sequence through its projections: weights, posterior and answers as in full dimension."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from soloc import Erf, Overlaps, SingleLocation, Softmax
from soloc.predictors.attention import predict
from soloc.risk.one_sequence import one_sequence
from soloc.tasks.single_location import Truth

OVERLAPS = Overlaps(0.5, 0.6, 0.2, -0.3, 0.1)


@pytest.mark.parametrize("weight", [Erf(0.7), Softmax(1.5)], ids=["erf", "softmax"])
@pytest.mark.parametrize("gamma", [0.7, 1.0, 1.6])
def test_in_dimension_four_the_frame_is_everything(weight, gamma):
    task, key = SingleLocation(d=4, L=9, gamma=gamma), jax.random.key(3)
    seen = one_sequence(task, weight, OVERLAPS, key)
    with jax.enable_x64(True):
        tokens = jnp.asarray(seen.tokens)
        truth = Truth(jnp.eye(4)[0], jnp.eye(4)[1])
        k, v = (jnp.asarray(x) for x in OVERLAPS.in_frame())
        of_vectors = Overlaps.of(k, v, truth)
        np.testing.assert_allclose(
            jax.tree.leaves(of_vectors), jax.tree.leaves(OVERLAPS), rtol=1e-12
        )
        assert seen.prediction == pytest.approx(float(predict(weight, k, v, tokens)), rel=1e-12)
        np.testing.assert_allclose(
            seen.posterior, task.posterior(truth, tokens), rtol=1e-9, atol=1e-300
        )
        assert seen.bayes == pytest.approx(float(task.bayes(truth, tokens)), rel=1e-9)
    assert seen.answer == pytest.approx(float(tokens[seen.location, 1]))


def test_the_posterior_is_calibrated_in_any_dimension():
    task = SingleLocation(d=30, L=6, gamma=1.3, signal=2.0)
    draws = [
        one_sequence(task, Erf(1.0), OVERLAPS, key)
        for key in jax.random.split(jax.random.key(1), 600)
    ]
    right = np.asarray([seen.posterior[seen.location] for seen in draws])
    # E[p_J0 | X] = sum p^2 when p is the posterior
    gini = np.asarray([np.sum(seen.posterior**2) for seen in draws])
    gap = right - gini
    assert abs(gap.mean()) < 4.0 * gap.std() / np.sqrt(len(gap))


def test_any_dimension_costs_the_same_and_long_sequences_are_refused():
    seen = one_sequence(
        SingleLocation(d=10**9, L=50), Softmax(3.0), Overlaps(1.0, 1.0), jax.random.key(0)
    )
    assert seen.posterior[seen.location] == pytest.approx(1.0)
    assert seen.weights.argmax() == seen.location
    with pytest.raises(ValueError, match="`L` must be at most"):
        one_sequence(SingleLocation(L=10**6), Erf(1.0), OVERLAPS, jax.random.key(0))
