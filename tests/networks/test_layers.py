"""The standard layer is the paper's predictor seen through matrices; the others answer in shape."""

import sys

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from soloc import Overlaps, SingleLocation, Softmax, population_risk, score
from soloc.networks import (
    FullyConnected,
    LinearRegression,
    MeanPool,
    StandardAttention,
    Transformer,
    exact_risk,
)
from soloc.predictors.attention import predict

TASK = SingleLocation(d=12, L=5, gamma=0.8, eps=0.2, signal=2.0)
KEY = jax.random.key(1)


def test_the_layer_of_a_key_and_a_value_is_the_exact_predictor():
    truth = TASK.truth(KEY)
    tokens = TASK.sample(truth, KEY, 50).tokens
    layer = StandardAttention.of(truth.k, truth.v, 1.7)
    expected = predict(Softmax(1.7), truth.k, truth.v, tokens)
    np.testing.assert_allclose(jax.vmap(layer)(tokens), expected, atol=1e-6)
    exact = float(population_risk(TASK, Softmax(1.7), Overlaps(1.0, 1.0)))
    assert exact_risk(layer, TASK, truth) == pytest.approx(exact, rel=1e-6)
    found = score(jax.vmap(layer), TASK, samples=40_000, key=KEY, truth=truth)
    assert abs(found.risk[0] - exact) < 4.0 * found.error[0]


@pytest.mark.parametrize("temperature", [False, True])
def test_its_effective_vectors_are_what_it_looks_through(temperature):
    layer = StandardAttention(12, KEY, p=3, heads=2, temperature=temperature)
    layer = eqx.tree_at(lambda it: it.log_tau, layer, jnp.asarray(0.5))
    tokens = jax.random.normal(KEY, (5, 12))
    keys, values = layer.effective
    plain = 0.0
    tau = np.exp(0.5) if temperature else 1.0
    for Q, K, V, O in zip(layer.Q, layer.K, layer.V, layer.O, strict=True):
        scores = tau * (tokens @ K.T) @ (Q @ layer.cls) / np.sqrt(3)
        plain += jax.nn.softmax(scores) @ (tokens @ V.T) @ O
    assert float(layer(tokens)) == pytest.approx(float(plain), rel=1e-4)
    assert keys.shape == values.shape == (2, 12)


def test_the_exact_risk_of_any_layer_is_that_of_simulation():
    truth = TASK.truth(KEY)
    layer = StandardAttention(12, jax.random.key(5), p=4, init="xavier")
    pulled = 3.0 * jnp.outer(jnp.ones(4), truth.v) / 4
    layer = eqx.tree_at(lambda it: (it.V, it.K), layer, (layer.V + pulled, 4.0 * layer.K))
    found = score(jax.vmap(layer), TASK, samples=40_000, key=KEY)
    assert abs(found.risk[0] - exact_risk(layer, TASK, truth)) < 4.0 * found.error[0]


def test_several_heads_have_no_exact_risk():
    with pytest.raises(ValueError, match="`layer` must have one head"):
        exact_risk(StandardAttention(12, KEY, heads=2), TASK, TASK.truth(KEY))


@pytest.mark.parametrize(
    "network",
    [
        StandardAttention(12, KEY, init="small"),
        Transformer(12, KEY, width=8, heads=2),
        FullyConnected(12, KEY, length=5, width=8),
        MeanPool(12, KEY, width=8),
        LinearRegression(12, length=5),
    ],
    ids=lambda network: type(network).__name__,
)
def test_every_network_answers_one_number_and_has_slopes(network):
    tokens = jax.random.normal(KEY, (5, 12))
    answer, slopes = eqx.filter_value_and_grad(lambda it: (it(tokens) - 1.0) ** 2)(network)
    assert jnp.shape(network(tokens)) == () and np.isfinite(answer)
    assert any(np.abs(x).max() > 0.0 for x in jax.tree.leaves(slopes))


def test_order_matters_only_to_those_who_read_places():
    tokens = jax.random.normal(KEY, (5, 12))
    for network in (StandardAttention(12, KEY), Transformer(12, KEY), MeanPool(12, KEY)):
        assert float(network(tokens[::-1])) == pytest.approx(float(network(tokens)), abs=1e-5)
    placed = FullyConnected(12, KEY, length=5)
    assert float(placed(tokens[::-1])) != pytest.approx(float(placed(tokens)), abs=1e-3)


def test_without_the_extra_a_sentence_names_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "equinox", None)
    for name in [name for name in sys.modules if name.startswith("soloc.networks")]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'soloc\[networks\]'"):
        import soloc.networks  # noqa: F401
