"""Reach: a feature that lies far beyond what training saw is taken to lie at twice the farthest."""

import numpy as np
import pytest

from soloc.datasets import make_single_location
from soloc.estimators import (
    SingleLocationAutoClassifier,
    SingleLocationAutoRegressor,
    SingleLocationClassifier,
    SingleLocationRegressor,
    load,
)
from soloc.estimators.bags import Bags
from soloc.estimators.instances import FARTHER, reach_of, within

DATA = make_single_location(160, width=5, lengths=(2, 6), signal=4.0, random_state=0)
CLASSES = DATA.labels > np.median(DATA.labels)
MODELS = {
    "regressor": (SingleLocationRegressor(alpha=1.0, loss="squared"), DATA.labels),
    "classifier": (SingleLocationClassifier(alpha=1.0), CLASSES),
    "mean-pool": (SingleLocationAutoRegressor(candidates=["mean-pool"]), DATA.labels),
    "mean-pool of classes": (SingleLocationAutoClassifier(candidates=["mean-pool"]), CLASSES),
}


def said(model, bags):
    return model.predict_proba(bags) if hasattr(model, "predict_proba") else model.predict(bags)


def rare(bags):
    """The bags with one more feature, which only the first instance has a little of."""
    values = np.column_stack([bags.values, np.zeros(len(bags.values))])
    values[0, -1] = 0.01
    return bags.with_values(values)


def moved(bags, column, value):
    values = bags.values.copy()
    values[:, column] = value
    return bags.with_values(values)


@pytest.mark.parametrize("name", MODELS)
def test_what_was_rare_in_training_does_not_shout_later(name, tmp_path):
    model, labels = MODELS[name]
    bags = rare(DATA.bags)
    model = model.fit(bags, labels)
    centre = bags.values[:, -1].mean()
    edge = centre + FARTHER * (0.01 - centre)
    at_the_edge, beyond = said(model, moved(bags, -1, edge)), said(model, moved(bags, -1, 50.0))
    np.testing.assert_allclose(beyond, at_the_edge, rtol=1e-9, atol=1e-12)
    assert not np.allclose(said(model, moved(bags, -1, 0.9 * edge)), at_the_edge, rtol=1e-9)
    model.save(tmp_path / "model.soloc")
    again = load(tmp_path / "model.soloc")
    np.testing.assert_allclose(said(again, moved(bags, -1, 50.0)), beyond, rtol=1e-12)
    one = moved(bags, -1, 50.0)[3:4]
    assert said(model, one)[0] == pytest.approx(beyond[3])  # whatever other bags hold


def test_within_reach_the_formula_is_the_formula():
    model = SingleLocationRegressor(alpha=1.0, loss="squared").fit(DATA.bags, DATA.labels)
    far = DATA.bags.values.mean(axis=0) + 1.9 * (DATA.bags.values - DATA.bags.values.mean(axis=0))
    predictions = model.predict(DATA.bags.with_values(far))
    for i, x in enumerate(np.split(far, DATA.bags.offsets[1:-1])):
        scores = np.exp(x @ model.key_ - (x @ model.key_).max())
        expected = scores @ (x @ model.value_) / scores.sum() + model.intercept_
        assert predictions[i] == pytest.approx(expected, rel=1e-9)


def test_reach_is_twice_the_farthest_and_anywhere_where_nothing_varied():
    x = np.array([[1.0, 7.0], [-3.0, 7.0], [2.0, 7.0]])
    bags = Bags(x, np.array([0, 1, 3]))
    reach = reach_of(bags, np.array([0.0, 7.0]))
    np.testing.assert_array_equal(reach, [6.0, np.inf])
    new = Bags(np.array([[-6.0, 1e9], [6.0, -1e9]]), np.array([0, 2]))
    assert within(new, np.array([0.0, 7.0]), reach) is new
    beyond = Bags(np.array([[-7.0, 1e9], [6.5, 0.0]], dtype=np.float32), np.array([0, 2]))
    near = within(beyond, np.array([0.0, 7.0]), reach)
    np.testing.assert_array_equal(near.values, np.float32([[-6.0, 1e9], [6.0, 0.0]]))
    assert near.values.dtype == np.float32


def test_heavy_tails_cost_mean_pooling_no_certainty_it_has_not():
    """Features that are rarely anything: held-out and test log-loss agree, none is infinite."""
    rng = np.random.default_rng(2)
    n, d = 240, 60
    x = np.where(rng.random((n, 4, d)) < 0.003, rng.standard_cauchy((n, 4, d)) * 30, 0.0)
    x[..., :5] = rng.standard_normal((n, 1, 5)) + 0.3 * rng.standard_normal((n, 4, 5))
    y = x[:, :, 0].mean(axis=1) + 0.3 * rng.standard_normal(n) > 0
    model = SingleLocationAutoClassifier(candidates=["mean-pool"]).fit(x[:120], y[:120])
    p = model.predict_proba(x[120:])[np.arange(120), y[120:].astype(int)]
    losses = -np.log(p)
    assert losses.max() < 8 and losses.mean() < 0.5
