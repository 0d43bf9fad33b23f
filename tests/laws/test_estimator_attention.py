"""The estimators' attention is the attention that `predictors` defines: the same k and v, the same
prediction."""

import jax.numpy as jnp
import numpy as np
import pytest

from soloc.datasets import make_single_location
from soloc.estimators import SingleLocationRegressor
from soloc.predictors.attention import predict
from soloc.predictors.normalised import Softmax


@pytest.mark.parametrize("loss", ["squared", "likelihood"])
@pytest.mark.parametrize("lam", [0.5, 1.0, 3.0])
def test_the_regressor_predicts_what_the_predictor_chain_predicts(loss, lam):
    data = make_single_location(200, width=8, lengths=6, signal=3.0, random_state=2)
    model = SingleLocationRegressor(loss=loss, alpha=2.0).fit(data.bags, data.labels)
    tokens = data.bags.values.reshape(200, 6, 8)
    # scores of the predictor are lam X k: a key of the estimator is lam times that of the predictor
    chain = predict(
        Softmax(lam), jnp.asarray(model.key_ / lam), jnp.asarray(model.value_), jnp.asarray(tokens)
    )
    expected = model.predict(tokens) - model.intercept_
    single = 2e-5 * np.abs(tokens @ model.key_).max()  # JAX computes in single precision here
    np.testing.assert_allclose(np.asarray(chain), expected, atol=single * np.abs(expected).max())
