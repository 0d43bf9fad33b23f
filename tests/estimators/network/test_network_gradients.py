"""Gradients of the network by hand are those by differences, for numbers and for classes."""

import numpy as np
import pytest

from soloc.estimators.network.batches import Batch
from soloc.estimators.network.layer import Shape, backward, forward
from soloc.estimators.network.losses import Classes, Numbers


def batch_of(outputs, rng, classes):
    lengths = np.array([3, 1, 5, 2])
    y = rng.standard_normal((4, outputs))
    if classes:
        y = np.eye(outputs)[rng.integers(outputs, size=4)]
    return Batch(rng.standard_normal((11, 4)), np.cumsum(lengths) - lengths, lengths, y)


@pytest.mark.parametrize("loss, outputs", [(Numbers, 1), (Numbers, 2), (Classes, 3)])
def test_gradients_are_differences_of_the_loss(loss, outputs):
    rng = np.random.default_rng(outputs)
    batch = batch_of(outputs, rng, loss is Classes)
    shape = Shape(4, 6, 3, outputs)
    flat = rng.standard_normal(shape.size)

    def value(point):
        said = forward(shape.views(point), batch)
        return loss.slope(said, batch, 0.4)

    said = forward(shape.views(flat), batch)
    slope = loss.slope(said, batch, 0.4)
    gradient = np.empty(shape.size)
    backward(shape.views(flat), shape.views(gradient), batch, said, slope.ds, slope.df)
    for position in range(shape.size):
        step = np.zeros(shape.size)
        step[position] = 1e-5
        difference = (value(flat + step).loss - value(flat - step).loss) / 2e-5
        assert gradient[position] == pytest.approx(difference, rel=1e-4, abs=1e-7)


def test_the_loss_of_numbers_is_its_formula_bag_by_bag():
    rng = np.random.default_rng(9)
    batch = batch_of(1, rng, False)
    shape = Shape(4, 6, 3, 1)
    w = shape.views(rng.standard_normal(shape.size))
    total = 0.0
    for start, length, y in zip(batch.starts, batch.lengths, batch.y, strict=True):
        h = np.maximum(batch.x[start : start + length] @ w.hidden + w.bias, 0)
        p = np.exp(np.tanh(h @ w.key_hidden + w.key_bias) @ w.key)
        p /= p.sum()
        f = (h @ w.value + h.mean(axis=0) @ w.context + w.intercept)[:, 0]
        likelihood = np.sum(p * np.exp(-((f - y) ** 2) / 0.8))
        total += 0.25 * (p @ f - y[0]) ** 2 - 0.5 * 0.4 * np.log(likelihood)
    slope = Numbers.slope(forward(w, batch), batch, 0.4)
    assert slope.loss == pytest.approx(total / 4, rel=1e-12)
