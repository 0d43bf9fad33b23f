"""From the full single-head layer to the paper's predictor: each step is an equality."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.special import erf

from soloc import Erf, Softmax
from soloc.predictors.attention import (
    AttentionHead,
    attention_layer,
    first_row,
    predict,
    softmax_predictor,
)

LAM = 0.7


@pytest.fixture
def random():
    rng = np.random.default_rng(0)
    with jax.enable_x64(True):
        yield lambda *shape: jnp.asarray(rng.normal(size=shape))


def test_layer_is_the_formula_written_out(random):
    X, head = random(5, 6), AttentionHead(*(random(6, 3) for _ in range(4)))
    scores = LAM * np.asarray(X @ head.Q @ head.K.T @ X.T)
    weights = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
    expected = weights @ np.asarray(X @ head.V @ head.O.T)
    assert np.asarray(attention_layer(head, LAM, X)) == pytest.approx(expected, abs=1e-12)


def test_first_row_is_the_row_of_the_layer(random):
    X, head = random(4, 5, 6), AttentionHead(*(random(6, 3) for _ in range(4)))
    assert np.asarray(first_row(head, LAM, X)) == pytest.approx(
        np.asarray(attention_layer(head, LAM, X)[:, 0]), abs=1e-12
    )


def test_first_row_of_rank_one_is_the_softmax_predictor(random):
    """With p = o = 1 the query of [CLS] only rescales k, and the output direction only carries the
    number.
    """
    X, head = random(4, 5, 6), AttentionHead(*(random(6, 1) for _ in range(4)))
    queries = X[:, 0] @ head.Q[:, 0]
    numbers = jnp.stack(
        [
            softmax_predictor(q * head.K[:, 0], head.V[:, 0], LAM, x)
            for q, x in zip(queries, X, strict=True)
        ]
    )
    expected = numbers[:, None] * head.O[:, 0]
    assert np.asarray(first_row(head, LAM, X)) == pytest.approx(np.asarray(expected), abs=1e-12)


def test_softmax_predictor_is_the_predictor_with_softmax_weights(random):
    X, k, v = random(4, 5, 6), random(6), random(6)
    expected = np.asarray(softmax_predictor(k, v, LAM, X))
    assert np.asarray(predict(Softmax(LAM), k, v, X)) == pytest.approx(expected, abs=1e-12)


def test_predictor_with_erf_weights_is_that_of_the_paper(random):
    X, k, v = (np.asarray(a) for a in (random(4, 5, 6), random(6), random(6)))
    expected = np.sum(erf(LAM * X @ k) * (X @ v), axis=-1)
    assert np.asarray(predict(Erf(LAM), k, v, X)) == pytest.approx(expected, abs=1e-12)
