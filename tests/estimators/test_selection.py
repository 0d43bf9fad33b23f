"""Held-out bags: groups stay together, every bag of a small set is held out once, and ties go to
the larger alpha."""

import numpy as np
import pytest

from soloc.datasets import make_single_location
from soloc.estimators.bags import Bags
from soloc.estimators.selection import Trial, equal, held_out_folds
from soloc.estimators.tickets import tickets


def lots(n, seed=0):
    return np.random.default_rng(seed).integers(2**63, size=n, dtype=np.uint64)


@pytest.mark.parametrize(("n", "folds"), [(20, 5), (500, 3), (3000, 1)])
def test_small_sets_are_held_out_in_turn_and_large_ones_once(n, folds):
    masks = held_out_folds(lots(n), None)
    assert len(masks) == folds
    times = np.sum(masks, axis=0)
    assert times.max() == 1 and (folds == 1 or times.min() == 1)
    assert 0.15 * n <= masks[0].sum() <= 0.4 * n


def test_groups_are_never_split():
    groups = np.random.default_rng(1).integers(30, size=400)
    for mask in held_out_folds(lots(400), groups):
        assert not set(groups[mask]) & set(groups[~mask])


def test_errors_within_their_standard_error_are_equal():
    rng = np.random.default_rng(3)
    errors, ones = rng.random(400), np.ones(400)
    best = Trial("squared", None, [], errors, ones, errors)
    noise = rng.standard_normal(400)
    noise -= noise.mean()
    close = Trial("squared", None, [], errors + noise * 0.1 + 0.004, ones, errors)
    far = Trial("squared", None, [], errors + noise * 0.1 + 0.008, ones, errors)
    assert equal(close, best, 1.0, 1.0) and not equal(far, best, 1.0, 1.0)


def test_folds_depend_on_what_bags_hold_and_not_on_their_order():
    data = make_single_location(150, width=4, lengths=(1, 6), random_state=0)
    rng = np.random.default_rng(0)
    order = rng.permutation(150)
    bags = Bags.from_list([rng.permutation(bag) for bag in data.bags[order]])
    before = tickets(data.bags, data.labels, 5)
    np.testing.assert_array_equal(tickets(bags, data.labels[order], 5), before[order])
    folds = held_out_folds(before, None)
    for fold, other in zip(folds, held_out_folds(before[order], None), strict=True):
        np.testing.assert_array_equal(other, fold[order])
    assert (tickets(data.bags, data.labels, 6) != before).all()


@pytest.mark.parametrize("classes", [False, True])
def test_folds_do_not_depend_on_last_bits_nor_on_units(classes):
    data = make_single_location(300, width=4, lengths=(1, 6), random_state=0)
    labels = (data.labels > 0).astype(float) if classes else data.labels
    rng = np.random.default_rng(0)
    noise = 1 + 1e-13 * rng.standard_normal(data.bags.values.shape)
    before = tickets(data.bags, labels, 5)
    moved = tickets(data.bags.with_values(data.bags.values * noise), labels / 0.7 + 3.0, 5)
    np.testing.assert_array_equal(moved, before)


def test_a_bag_that_moves_takes_few_others_along():
    data = make_single_location(300, width=4, lengths=(1, 6), random_state=0)
    noise = 1e-3 * np.random.default_rng(0).standard_normal(300)  # one tenth of the mean distance
    before, moved = (tickets(data.bags, labels, 5) for labels in (data.labels, data.labels + noise))
    assert 0 < np.mean(before != moved) < 0.5
    assert sorted(before) == sorted(moved)
