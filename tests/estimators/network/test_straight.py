"""Half a linear value: the network that it gives, and when it is taken."""

import numpy as np
import pytest

from soloc.datasets import make_nonlinear_location
from soloc.estimators import Bags, SingleLocationNetworkRegressor
from soloc.estimators.network.batches import Stock
from soloc.estimators.network.layer import Shape, forward
from soloc.estimators.network.losses import Numbers
from soloc.estimators.network.straight import halves, mixed, unmixed


def network(outputs, rng):
    shape = Shape(4, 6, 3, outputs)
    return shape.views(rng.standard_normal((1, shape.size)))


def some_bags(outputs, rng):
    lengths = np.array([3, 1, 5, 2] * 10)
    x = np.column_stack([rng.standard_normal((lengths.sum(), 4)), np.ones(lengths.sum())])
    starts = np.cumsum(lengths) - lengths
    y = rng.standard_normal((len(lengths), outputs))
    return Stock(x, None, starts, lengths, y, np.ones(len(lengths)))


def batch_from(stock):
    return stock.batch(np.arange(len(stock.y)))


@pytest.mark.parametrize("outputs", [1, 3])
@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_a_mixed_network_says_so_much_of_each(outputs, share):
    rng = np.random.default_rng(outputs)
    weights, batch = network(outputs, rng), batch_from(some_bags(outputs, rng))
    coef, intercept = rng.standard_normal((4, outputs)), rng.standard_normal(outputs)
    before, after = forward(weights, batch), forward(mixed(weights, coef, intercept, share), batch)
    linear = (batch.x[:, :4] @ coef).T
    assert after.attention == pytest.approx(before.attention, abs=1e-12)
    assert after.values == pytest.approx((1 - share) * before.values + share * linear, abs=1e-12)
    offset = (1 - share) * before.offset + share * intercept[:, None]
    assert after.offset == pytest.approx(offset, abs=1e-12)


def test_room_for_a_linear_value_changes_nothing():
    rng = np.random.default_rng(5)
    weights, batch = network(2, rng), batch_from(some_bags(2, rng))
    assert Numbers.predict(forward(unmixed(weights), batch), batch) == pytest.approx(
        Numbers.predict(forward(weights, batch), batch), abs=1e-12
    )


def test_what_is_said_of_judges_is_what_the_half_linear_network_says():
    rng = np.random.default_rng(6)
    weights, stock = network(1, rng), some_bags(1, rng)
    seen, judges = np.arange(30), np.arange(30, 40)
    new = stock.batch(judges)
    said = Numbers.predict(forward(weights, new), new)
    for half in halves(weights, stock, seen, judges, said):
        assert half.judged == pytest.approx(Numbers.predict(forward(half.weights, new), new))


def linear_among_distractors(n, seed):
    """The label is linear in the one instance on the outside: location is not linear."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((n, 5, 12)) * np.where(np.arange(12) < 3, 0.3, 1.0)
    places = rng.integers(5, size=n)
    away = rng.standard_normal((n, 3))
    x[np.arange(n), places, :3] = 3 * away / np.linalg.norm(away, axis=1, keepdims=True)
    y = x[np.arange(n), places, 3:] @ np.linspace(-1, 1, 9) + 0.1 * rng.standard_normal(n)
    return Bags(x.reshape(-1, 12), np.arange(n + 1) * 5), y


def linear_members(model):
    """How many members have a linear value."""
    return int((np.abs(model.members_.value[:, 64:]).sum(axis=(1, 2)) > 0).sum())


def test_it_is_taken_where_labels_are_linear_and_left_where_they_are_not():
    straight = SingleLocationNetworkRegressor().fit(*linear_among_distractors(600, 0))
    bent = make_nonlinear_location(2000, random_state=0)
    curved = SingleLocationNetworkRegressor().fit(bent.bags, bent.labels)
    assert linear_members(straight) == len(straight.members_.intercept)
    assert linear_members(curved) == 0
