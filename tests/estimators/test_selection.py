"""Held-out bags: groups stay together, every bag of a small set is held out once, and ties go to
the larger alpha."""

import numpy as np
import pytest

from soloc.estimators.selection import Trial, equal, held_out_folds


@pytest.mark.parametrize(("n", "folds"), [(20, 5), (500, 3), (3000, 1)])
def test_small_sets_are_held_out_in_turn_and_large_ones_once(n, folds):
    masks = held_out_folds(n, None, np.random.default_rng(0))
    assert len(masks) == folds
    times = np.sum(masks, axis=0)
    assert times.max() == 1 and (folds == 1 or times.min() == 1)
    assert 0.15 * n <= masks[0].sum() <= 0.4 * n


def test_groups_are_never_split():
    groups = np.random.default_rng(1).integers(30, size=400)
    for mask in held_out_folds(400, groups, np.random.default_rng(2)):
        assert not set(groups[mask]) & set(groups[~mask])


def test_errors_within_their_standard_error_are_equal():
    rng = np.random.default_rng(3)
    errors = rng.random(400)
    best = Trial("squared", 1.0, [], errors, errors)
    noise = rng.standard_normal(400)
    noise -= noise.mean()
    close = Trial("squared", 3.0, [], errors + noise * 0.1 + 0.004, errors)
    far = Trial("squared", 3.0, [], errors + noise * 0.1 + 0.008, errors)
    assert equal(close, best, 1.0, 1.0) and not equal(far, best, 1.0, 1.0)
