"""Mean pooling predicts a fold in units that do not know it."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge

from soloc.estimators.auto import unseen
from soloc.estimators.auto.pooled import pooled_classifier, pooled_regressor
from soloc.estimators.auto.unseen import means_without
from soloc.estimators.bags import Bags

N, L = 60, 4
RNG = np.random.default_rng(4)
X = RNG.standard_normal((N, L, 3))
X[:, :, 2] = 0.0
X[7, 0, 2] = 1e4  # a feature that one bag alone has
BAGS = Bags(X.reshape(-1, 3), np.arange(N + 1) * L)
Y = X[:, :, 0].mean(axis=1) + 0.1 * RNG.standard_normal(N)
ONES = np.ones(N)
FOLDS = [np.arange(N) % 5 == fold for fold in range(5)]


def test_without_the_bag_that_has_it_a_feature_is_worth_nothing():
    fold = FOLDS[7 % 5]
    found = means_without(fold, BAGS, X.mean(axis=1), ONES)
    seen = X[~fold].reshape(-1, 3)
    wanted = (X - seen.mean(axis=0))[..., :2].mean(axis=1) / seen.std(axis=0)[:2]
    np.testing.assert_allclose(found[:, :2], wanted, atol=1e-12)
    np.testing.assert_array_equal(found[:, 2], 0)
    other = means_without(FOLDS[0], BAGS, X.mean(axis=1), ONES)
    assert other[7, 2] > 3  # whose unit the bag itself decides


def test_what_lies_beyond_the_reach_of_others_is_taken_to_lie_there():
    values = X.copy()
    values[8, 0, 2] = 1.0  # of another fold: now the feature has a unit, and the bag is far beyond
    bags = Bags(values.reshape(-1, 3), BAGS.offsets)
    fold = FOLDS[7 % 5]
    seen = values[~fold].reshape(-1, 3)[:, 2]
    found = means_without(fold, bags, values.mean(axis=1), ONES)
    reach = 2 * (1.0 - seen.mean())
    wanted = (reach - 3 * seen.mean()) / L / seen.std()
    assert found[7, 2] == pytest.approx(wanted)


def test_data_of_many_numbers_are_not_copied_for_each_fold(monkeypatch):
    monkeypatch.setattr(unseen, "MOST_NUMBERS", BAGS.values.size - 1)
    means = X.mean(axis=1)
    assert means_without(FOLDS[0], BAGS, means, ONES) is means


def test_what_is_held_out_is_what_plain_fits_without_it_say():
    classes = Y > 0
    model = pooled_classifier(BAGS, classes, ONES, FOLDS, None)
    numbers = pooled_regressor(BAGS, Y, ONES, FOLDS, None)
    standard = (Y - Y.mean()) / Y.std()
    shrink = []
    for fold in FOLDS:
        means = means_without(fold, BAGS, X.mean(axis=1), ONES)
        plain = LogisticRegression(C=1 / model.alpha_, max_iter=1000, tol=1e-8)
        wanted = plain.fit(means[~fold], classes[~fold]).predict_proba(means[fold])
        np.testing.assert_allclose(model.held_out_[fold], wanted, atol=2e-3)
        ridge = Ridge(numbers.alpha_).fit(means[~fold], standard[~fold])
        left, nothing = ridge.predict(means[fold]), standard[~fold].mean()
        shrink += [*((numbers.held_out_[fold, 0] - left) / (nothing - left))]
    np.testing.assert_allclose(shrink, np.median(shrink), atol=2e-3)  # drawn to the mean, all alike
