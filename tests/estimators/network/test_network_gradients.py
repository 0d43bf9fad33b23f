"""Gradients of the network by hand are those by differences, for numbers and for classes."""

from types import SimpleNamespace

import numpy as np
import pytest

from soloc.estimators.network.batches import Stock
from soloc.estimators.network.layer import Shape, backward, forward
from soloc.estimators.network.losses import Classes, Numbers


def some_bags(outputs, rng, classes):
    lengths = np.array([3, 1, 5, 2])
    y = rng.standard_normal((4, outputs))
    if classes:
        y = np.eye(outputs)[rng.integers(outputs, size=4)]
    starts, weights = np.cumsum(lengths) - lengths, np.array([1.0, 2.0, 0.5, 1.5])
    x = np.column_stack([rng.standard_normal((11, 4)), np.ones(11)])
    return Stock(x, None, starts, lengths, y, weights)


@pytest.mark.parametrize("loss, outputs", [(Numbers, 1), (Numbers, 2), (Classes, 3)])
def test_gradients_are_differences_of_the_loss(loss, outputs):
    rng = np.random.default_rng(outputs)
    stock = some_bags(outputs, rng, loss is Classes)
    batch = stock.batch(np.arange(4))
    shape = Shape(4, 6, 3, outputs)
    flat, noise = rng.standard_normal((1, shape.size)), np.array([0.4])

    def value(point):
        said = forward(shape.views(point), batch)
        return loss.value(said, batch, noise)[0]

    said = forward(shape.views(flat), batch)
    slope = loss.slope(said, batch, noise)
    gradient = np.empty((1, shape.size))
    backward(shape.views(flat), shape.views(gradient), batch, said, slope.ds, slope.df)
    for position in range(shape.size):
        step = np.zeros((1, shape.size))
        step[0, position] = 1e-5
        difference = (value(flat + step) - value(flat - step)) / 2e-5
        assert gradient[0, position] == pytest.approx(difference, rel=1e-4, abs=1e-7)


def test_the_loss_of_numbers_is_its_formula_bag_by_bag():
    rng = np.random.default_rng(9)
    stock = some_bags(1, rng, False)
    shape = Shape(4, 6, 3, 1)
    members = shape.views(rng.standard_normal((1, shape.size)))
    names = ("hidden", "bias", "key_hidden", "key_bias", "key", "value", "context", "intercept")
    w = SimpleNamespace(**{name: getattr(members, name)[0] for name in names})
    total = 0.0
    for start, length, y, weight in zip(
        stock.starts, stock.lengths, stock.y, stock.weights, strict=True
    ):
        h = np.maximum(stock.x[start : start + length, :-1] @ w.hidden + w.bias, 0)
        p = np.exp(np.tanh(h @ w.key_hidden + w.key_bias) @ w.key)
        p /= p.sum()
        f = (h @ w.value + h.mean(axis=0) @ w.context + w.intercept)[:, 0]
        likelihood = np.sum(p * np.exp(-((f - y) ** 2) / 0.8))
        total += weight * (0.25 * (p @ f - y[0]) ** 2 - 0.5 * 0.4 * np.log(likelihood))
    batch = stock.batch(np.arange(4))
    found = Numbers.value(forward(members, batch), batch, np.array([0.4]))
    assert found[0] == pytest.approx(total / 5, rel=1e-12)
