"""Bags or instances that repeat: what is held out was not seen, whichever model is asked."""

import numpy as np
import pytest

from soloc.estimators import (
    Bags,
    SingleLocationAutoRegressor,
    SingleLocationClassifier,
    SingleLocationNetworkClassifier,
    SingleLocationNetworkRegressor,
    SingleLocationRegressor,
)
from soloc.estimators.auto.estimator import coarsest
from soloc.estimators.instances import Instances

QUICK = {"decay": 1.5, "members": 5, "max_epochs": 40}


def noise(repeated, seed=0):
    """150 bags of noise of which the first ones are given twice."""
    rng = np.random.default_rng(seed)
    x, y = rng.standard_normal((150, 10, 5)), rng.standard_normal(150)
    given = np.r_[np.arange(150), np.arange(repeated)]
    return x[given], y[given], given


def test_few_repeats_are_by_chance_and_many_are_computed_once():
    def of(distinct, rows=400):
        values = np.random.default_rng(0).standard_normal((distinct, 3))
        values = values[np.r_[np.arange(distinct), np.zeros(rows - distinct, dtype=int)]]
        bags = Bags(values, np.arange(0, rows + 1, 4))
        return Instances(bags, np.zeros(3), np.ones(3), shared=True)

    assert of(390).repeated is None and of(390).rows is None
    some, many = of(300), of(100)
    assert some.rows is None and len(some.x) == 400 and some.repeated.max() == 299
    assert many.rows is many.repeated and len(many.x) == 100


@pytest.mark.parametrize("repeated", [45, 149])
@pytest.mark.parametrize(
    "model",
    [SingleLocationRegressor(n_starts=8), SingleLocationNetworkRegressor(**QUICK)],
    ids=lambda model: type(model).__name__,
)
def test_bags_given_twice_are_held_out_together(model, repeated):
    x, y, given = noise(repeated)
    model.fit(x, y)
    by_group = {}
    for bag, group in zip(given, model.groups_, strict=True):
        by_group.setdefault(bag, set()).add(group)
    assert all(len(groups) == 1 for groups in by_group.values())
    found = model.diagnostics_  # it was .3 to .8, of noise
    assert found.held_out < 3 * found.beyond_chance_error
    new = np.random.default_rng(1)
    low, high = model.predict_interval(new.standard_normal((2000, 10, 5)), 0.9).T
    labels = new.standard_normal(2000)  # of 150 training labels the width varies by a tenth
    assert 0.82 < np.mean((low <= labels) & (labels <= high)) < 0.97


@pytest.mark.parametrize(
    "model",
    [
        SingleLocationClassifier(n_starts=8, alpha=1.0, loss="cross_entropy"),
        SingleLocationNetworkClassifier(**QUICK),
    ],
    ids=lambda model: type(model).__name__,
)
def test_classes_of_bags_given_twice_are_no_easier(model):
    x, y, _ = noise(90)
    found = model.fit(x, y > 0).diagnostics_  # it was .8 and more
    assert found.held_out < 0.65


def test_mean_pooling_leaves_out_what_the_others_found_to_repeat():
    shares = []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        words, values = rng.standard_normal((60, 5)), rng.standard_normal(60)
        bags = rng.integers(60, size=(300, 2))
        decisive = bags[np.arange(300), np.argmax(words[bags, 0], axis=1)]
        model = SingleLocationAutoRegressor().fit(words[bags], values[decisive])
        scores = model.scores_.set_index("candidate")["held_out"]
        shares.append(scores["mean-pool"])  # of values that no feature tells; it was .2 to .5
        assert len(np.unique(model.model_.groups_)) <= 60
    assert np.mean(shares) < 0.1


def test_the_coarsest_way_of_holding_out_together_is_taken():
    each, pairs = np.arange(8), np.arange(8) // 2
    assert coarsest([None, None]) is None
    assert coarsest([None, each, pairs]) is pairs
