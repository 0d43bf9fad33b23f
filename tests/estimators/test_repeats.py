"""Instances that repeat across bags: computed once with the same results, and held out together."""

import numpy as np
import pytest

from soloc.estimators import Bags, SingleLocationRegressor
from soloc.estimators.instances import Instances, centre_and_scale
from soloc.estimators.repeats import distinct_rows
from soloc.estimators.selection import pointed_groups


def shared_bags(n, words, rng, names=None):
    """Bags of six instances drawn from a table: one of the first half decides."""
    decisive = rng.integers(len(words) // 2, size=n)
    others = len(words) // 2 + rng.integers(len(words) // 2, size=(n, 5))
    rows = np.column_stack([decisive, others])
    places = rng.permuted(np.tile(np.arange(6), (n, 1)), axis=1)
    rows = np.take_along_axis(rows, places, axis=1)
    return Bags(words[rows.ravel()], np.arange(n + 1) * 6), decisive


def table_of_words(count, width, rng):
    words = rng.standard_normal((count, width))
    words[: count // 2, 0] += 4.0
    return words


def test_distinct_rows_are_those_of_numpy_and_zero_has_no_sign():
    rng = np.random.default_rng(0)
    for kind in (np.float32, np.float64):
        values = rng.integers(-1, 2, (500, 4)).astype(kind)
        values[values == 0] *= rng.choice([-1, 1], (values == 0).sum())
        first, rows = distinct_rows(values)
        assert len(first) == len(np.unique(values, axis=0))
        np.testing.assert_array_equal(values[first][rows], values)


def test_every_product_over_shared_instances_is_that_over_all_instances():
    rng = np.random.default_rng(1)
    bags, _ = shared_bags(200, table_of_words(40, 7, rng), rng)
    plain, shared = (
        Instances(bags, *centre_and_scale(bags, True), shared=flag) for flag in (False, True)
    )
    assert plain.rows is None and len(shared.x) == 40
    vector, matrix = rng.standard_normal(7), rng.standard_normal((7, 3))
    weights = rng.standard_normal(1200)
    for got, expected in (
        (shared.scores(vector), plain.scores(vector)),
        (shared.values(matrix), plain.values(matrix)),
        (shared.adjoint(weights), plain.adjoint(weights)),
        (
            shared.adjoint(weights.reshape(-1, 1) * [1, 2]),
            plain.adjoint(weights.reshape(-1, 1) * [1, 2]),
        ),
        (shared.pool(weights), plain.pool(weights)),
        (shared.standard(slice(3, 50, 7)), plain.standard(slice(3, 50, 7))),
        (shared.part(np.arange(5, 90)).scores(vector), plain.part(np.arange(5, 90)).scores(vector)),
    ):
        np.testing.assert_allclose(
            got, expected, rtol=1e-9, atol=1e-4 if got.dtype == np.float32 else 1e-9
        )


def test_bags_without_shared_instances_are_not_grouped():
    rng = np.random.default_rng(2)
    bags = Bags(rng.standard_normal((300, 3)), np.arange(101) * 3)
    instances = Instances(bags, *centre_and_scale(bags, True), shared=True)
    assert instances.rows is None and pointed_groups(instances, np.ones(300)) is None


def test_bags_that_all_point_at_one_instance_are_not_grouped():
    rng = np.random.default_rng(3)
    bags, _ = shared_bags(100, table_of_words(40, 3, rng), rng)
    values = bags.values.copy()
    values[::6] = 0.0
    bags = bags.with_values(values)
    instances = Instances(bags, *centre_and_scale(bags, True), shared=True)
    first = (np.arange(600) % 6 == 0).astype(float)
    assert pointed_groups(instances, first) is None


@pytest.mark.parametrize("loss", ["squared", "likelihood"])
def test_intervals_hold_for_decisive_instances_that_no_training_bag_had(loss):
    rng = np.random.default_rng(4)
    known, new = table_of_words(160, 30, rng), table_of_words(160, 30, rng)
    slope = rng.standard_normal(30) / 5
    # noise of the instance
    labels = [words @ slope + 0.5 * rng.standard_normal(160) for words in (known, new)]
    train, decisive = shared_bags(1500, known, rng)
    test, other = shared_bags(1500, new, rng)
    covered = []
    for seed in (1, 0):  # of the folds
        model = SingleLocationRegressor(
            loss=loss, alpha=20.0, max_iter=60, tol=1e-4, random_state=seed
        ).fit(train, labels[0][decisive])
        ends = model.predict_interval(test, 0.9)
        covered.append(np.mean((ends.T[0] <= labels[1][other]) & (labels[1][other] <= ends.T[1])))
    assert 0.8 < np.mean(covered) < 0.98  # 80 words: the standard error of a share is 3 %
    alone = SingleLocationRegressor(loss=loss, alpha=20.0, max_iter=60, tol=1e-4)
    alone.fit(train, labels[0][decisive], groups=np.arange(1500))
    narrow = alone.predict_interval(test, 0.9)
    assert np.mean(ends[:, 1] - ends[:, 0]) > 1.3 * np.mean(narrow[:, 1] - narrow[:, 0])


def test_mean_pool_ridge_is_left_out_by_the_same_groups():
    rng = np.random.default_rng(5)
    words = table_of_words(160, 200, rng)  # wide: every word can be learnt by heart
    labels = rng.standard_normal(160)
    bags, decisive = shared_bags(1500, words, rng)
    model = SingleLocationRegressor(loss="squared", alpha=5.0, tol=1e-3).fit(bags, labels[decisive])
    # labels of other words say nothing about a word; of forty words held out the standard error of
    # R^2 is .2, and where words are not held out together it is .998
    assert model.diagnostics_.held_out < 0.4
    assert model.diagnostics_.mean_pool < 0.4
