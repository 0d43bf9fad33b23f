"""Bags that belong together tell no more than one bag would: in intervals, errors and shares."""

import numpy as np
import pytest
from scipy.special import ndtr

from soloc.datasets import make_single_location
from soloc.estimators import (
    Bags,
    SingleLocationAutoRegressor,
    SingleLocationNetworkRegressor,
    SingleLocationRegressor,
)
from soloc.estimators.diagnostics import SURE, gain
from soloc.estimators.groups import count_of, summed
from soloc.estimators.network import ensemble
from soloc.estimators.network.context import SAFE, asked_share, safe_share_of
from soloc.estimators.network.ensemble import Place, decided


def test_groups_are_counted_and_summed_whatever_their_names():
    groups = np.array(["b", "a", "b", "c"])
    assert count_of(groups, 4) == 3 and count_of(None, 4) == 4
    np.testing.assert_array_equal(summed(np.array([1.0, 2.0, 4.0, 8.0]), groups), [2.0, 5.0, 8.0])


@pytest.mark.parametrize(
    "model",
    [
        SingleLocationRegressor(n_starts=4),
        SingleLocationNetworkRegressor(members=5, decay=1.0, max_epochs=5),
        SingleLocationAutoRegressor(candidates=["mean-pool"]),
    ],
    ids=lambda model: type(model).__name__,
)
def test_intervals_and_errors_know_how_many_groups_there_are(model):
    data = make_single_location(300, width=6, lengths=(2, 5), signal=4.0, random_state=0)
    alone = model.fit(data.bags, data.labels).diagnostics_
    assert getattr(model, "model_", model).calibration_.units == 300
    # groups of similar labels: their bags err together
    groups = np.argsort(np.argsort(data.labels)) // 15
    told = model.fit(data.bags, data.labels, groups=groups).diagnostics_
    assert getattr(model, "model_", model).calibration_.units == 20
    assert told.beyond_chance_error > 1.5 * alone.beyond_chance_error


def test_intervals_cover_new_groups_where_labels_are_noise_of_the_group():
    count, size, shares = 9, 12, []

    def drawn(rng, groups):
        x = rng.standard_normal((groups * size * 2, 2))
        labels = np.repeat(rng.standard_normal(groups), size)
        return Bags(x, np.arange(groups * size + 1) * 2), labels

    for seed in range(100):
        rng = np.random.default_rng(seed)
        bags, labels = drawn(rng, count)
        model = SingleLocationAutoRegressor(candidates=["mean-pool"])
        model.fit(bags, labels, groups=np.repeat(np.arange(count), size))
        bags, labels = drawn(rng, 40)
        low, high = model.predict_interval(bags, 0.8).T
        shares.append(np.mean((low <= labels) & (labels <= high)))
    error = np.std(shares) / np.sqrt(len(shares))
    assert np.mean(shares) > 0.8 - 3 * error


@pytest.mark.parametrize("size", [1, 16])
def test_errors_are_those_of_so_many_groups(size):
    """The told standard error is the deviation over draws, where bags of a group are alike."""
    rng = np.random.default_rng(size)
    count, draws = 40, 1500
    groups = None if size == 1 else np.repeat(np.arange(count), size)
    n = count * size
    ones, nothing = np.ones(n), np.zeros((n, 1))
    means, shares, safe = [], [], []
    for _ in range(draws):
        y = np.repeat(rng.standard_normal((count, 1)), size, axis=0)
        predicted = 0.3 * y + np.repeat(rng.standard_normal((count, 1)), size, axis=0)
        means.append(gain(y[:, 0], ones, groups))
        shares.append(asked_share(y, predicted, nothing, ones, groups=groups))
        safe.append(safe_share_of(y, predicted, nothing, ones, groups) - shares[-1].share)
    for found, slack in ((means, 0.03), (shares, 0.1)):  # a quotient of few groups is skewed
        true = np.std([each[0] for each in found])
        told = np.array([each[1] for each in found])
        assert told.mean() == pytest.approx(true, rel=slack + 4 / np.sqrt(2 * draws))
    added = np.minimum([SAFE * each.error for each in shares], [1 - each.share for each in shares])
    np.testing.assert_allclose(safe, added, atol=1e-12)


def test_a_decay_is_sure_by_groups(monkeypatch):
    """Half an error over groups is three over their bags, which are all alike."""
    of_groups = np.random.default_rng(0).standard_normal(10)
    of_groups += 0.5 * of_groups.std(ddof=1) / np.sqrt(10) - of_groups.mean()
    better = 0.3 * np.repeat(of_groups, 20)
    monkeypatch.setattr(ensemble, "judged_errors", lambda member, *_: member.error)

    class Fitted:
        def __init__(self, error):
            self.error, self.judges, self.trace = error, np.arange(200), [2.0]

    found = {Place(0, 1.5, 0): Fitted(np.ones(200)), Place(0, 4.0, 0): Fitted(1.0 - better)}
    for groups, decay in ((None, 4.0), (np.arange(200) // 20, 1.5)):
        assert decided(found, [(0, 0)], (1.5, 4.0), None, None, groups)[0] == decay


@pytest.mark.parametrize("count", [2, 3, 6])
def test_two_errors_are_as_sure_of_few_bags_as_of_many(count):
    """Means of noise are beyond two errors as often as a normal number is beyond two."""
    rng = np.random.default_rng(count)
    found = [gain(rng.standard_normal(count), np.ones(count), None) for _ in range(20_000)]
    share, least = np.mean([each.mean > SURE * each.error for each in found]), ndtr(-SURE)
    assert share == pytest.approx(least, abs=4 * np.sqrt(least / 20_000))
    assert gain(np.array([3.0]), np.ones(1), None) == (3.0, 3.0)
