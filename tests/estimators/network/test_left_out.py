"""What an ensemble says of bags that it left out, and by how much that exceeds its own error."""

import numpy as np
import pytest
from scipy.special import softmax

from soloc.datasets import make_single_location
from soloc.estimators import SingleLocationNetworkClassifier, SingleLocationNetworkRegressor
from soloc.estimators.network import ensemble
from soloc.estimators.network.batches import Stock
from soloc.estimators.network.context import SAFE, safe_share_of, share_of
from soloc.estimators.network.ensemble import Ensemble, excess, left_out, parts_of
from soloc.estimators.network.losses import Classes, Numbers
from soloc.estimators.network.member import Member


def stock_of_labels(y):
    n = len(y)
    starts, lengths = np.arange(n), np.ones(n, dtype=int)
    x, weights = np.zeros((n, 1), dtype=np.float32), np.ones(n, dtype=np.float32)
    return Stock(x, None, starts, lengths, y[:, None].astype(np.float32), weights)


def member(judged, judges, y):
    trace = [float(np.mean((y[judges] - each[:, 0]) ** 2)) for each in judged]
    return Member(None, 1.0, trace, judges, judged)


def test_no_bag_has_a_say_in_the_epoch_at_which_it_is_predicted():
    """Two epochs of pure noise: the one a bag would choose flatters it, what is said does not."""
    rng = np.random.default_rng(0)
    honest, flattered = [], []
    for _ in range(300):
        y, judges = rng.standard_normal(20), np.arange(20)
        judged = [rng.standard_normal((20, 1)) for _ in range(8)]
        one = member(judged, judges, y)
        found = Ensemble([one], [0], np.zeros(20, dtype=int), 1.0, {})
        said = left_out(found, stock_of_labels(y), Numbers, parts_of(None, 20))
        honest.append(np.mean((y - said[:, 0]) ** 2))
        flattered.append(min(one.trace))
    error = np.std(honest) / np.sqrt(len(honest))
    assert abs(np.mean(honest) - 2) < 3 * error  # noise predicted by noise
    assert np.mean(flattered) < 2 - 10 * error


def test_groups_are_in_one_part():
    groups = np.repeat(np.arange(30), 4)
    parts = parts_of(groups, 120).reshape(30, 4)
    assert (parts == parts[:, :1]).all() and len(np.unique(parts)) == 5


@pytest.mark.parametrize(("count", "folds"), [(3, 3), (5, 5), (10, 5)])
def test_the_excess_is_what_averaging_all_members_would_gain(monkeypatch, count, folds):
    """Members are the truth plus noise of variance .5; k of them leave a bag out."""
    rng = np.random.default_rng(1)
    n = 4000
    y = rng.standard_normal(n)
    said = y + np.sqrt(0.5) * rng.standard_normal((count, n))
    fold_of = np.arange(n) % folds
    judges = [np.flatnonzero(fold_of == number % folds) for number in range(count)]
    members = [
        member([each[own, None]], own, y)._replace(weights=number)
        for number, (each, own) in enumerate(zip(said, judges, strict=True))
    ]
    monkeypatch.setattr(
        ensemble, "predicted", lambda _, weights, stock, bags: said[weights][bags, None]
    )
    stock = stock_of_labels(y)
    found = Ensemble(members, [i % folds for i in range(count)], fold_of, 1.0, {})
    honest = left_out(found, stock, Numbers, parts_of(None, n))[:, 0]
    single, whole = np.mean((y - honest) ** 2), np.mean((y - said.mean(axis=0)) ** 2)
    beyond = excess(found, stock, Numbers).mean()
    assert beyond == pytest.approx(single - whole, abs=0.03)


def test_the_share_that_labels_ask_for_is_that_of_the_ensemble():
    """With the excess told, noisy members ask for as little shrinking as their mean does."""
    rng = np.random.default_rng(2)
    truth = rng.standard_normal((20_000, 1))
    y, weights = truth + 0.5 * rng.standard_normal(truth.shape), np.ones(len(truth))
    nothing = np.zeros_like(truth)
    single = truth + rng.standard_normal(truth.shape)
    whole = truth + np.sqrt(0.1) * rng.standard_normal(truth.shape)
    wanted = share_of(y, whole, nothing, weights)
    assert share_of(y, single, nothing, weights, 0.9) == pytest.approx(wanted, abs=0.02)
    assert share_of(y, single, nothing, weights) > wanted + 0.2


def test_the_safe_share_is_half_a_standard_error_beyond_at_any_scale_of_weights():
    rng = np.random.default_rng(5)
    n, draws = 200, 2000
    y = rng.standard_normal((draws, n, 1))
    predicted = 0.3 * y + rng.standard_normal((draws, n, 1))
    nothing, ones = np.zeros((n, 1)), np.ones(n)
    shares = [share_of(a, b, nothing, ones) for a, b in zip(y, predicted, strict=True)]
    safe = [safe_share_of(a, b, nothing, ones, None) for a, b in zip(y, predicted, strict=True)]
    added = np.subtract(safe, shares) / SAFE
    error = np.std(shares) / np.sqrt(2 * draws)  # of a standard deviation
    assert added.mean() == pytest.approx(np.std(shares), abs=4 * error)
    for scale in (1 / n, 10.0):
        again = safe_share_of(y[0], predicted[0], nothing, scale * ones, None)
        assert again == pytest.approx(safe[0])
    twice = np.arange(n) < 50
    rows = np.concatenate([np.arange(n), np.flatnonzero(twice)])
    again = share_of(y[0][rows], predicted[0][rows], nothing[rows], np.ones(len(rows)))
    assert share_of(y[0], predicted[0], nothing, 1.0 + twice) == pytest.approx(again)
    assert safe_share_of(y[0], nothing, nothing, ones, None) == 0.0  # nothing to draw
    timid = 0.5 * y[0] + 0.1 * predicted[0]  # labels ask for more of it, surely: the half remains
    away, wanted = timid[:, 0], (y[0] - timid)[:, 0]
    error = np.sqrt(((away * wanted) ** 2).sum()) / (away**2).sum()
    assert share_of(y[0], timid, nothing, ones) == 0.0
    assert safe_share_of(y[0], timid, nothing, ones, None) == pytest.approx(SAFE * error)


@pytest.mark.parametrize("context", [False, True])
@pytest.mark.parametrize("scale", [0.005, 10.0, 1e15])
def test_the_scale_of_weights_changes_nothing(scale, context):
    data = make_single_location(80, width=5, lengths=(3, 6), signal=4.0, random_state=1)
    y = data.labels + data.labels.std() * np.random.default_rng(1).standard_normal(80)
    model = SingleLocationNetworkRegressor(members=5, decay=1.0, context=context, max_epochs=8)
    first = model.fit(data.bags, y, sample_weight=np.ones(80))
    shrunk, said = first.shrink_, first.predict(data.bags)
    again = model.fit(data.bags, y, sample_weight=np.full(80, scale))
    assert again.shrink_ == pytest.approx(shrunk, abs=1e-6) and 0 < shrunk < 1
    np.testing.assert_allclose(again.predict(data.bags), said, rtol=1e-5, atol=1e-5)


def test_shrinkage_does_not_flatter_the_score_of_noise():
    """A share fitted to the labels by which it is judged never scores below a constant."""
    found = []
    for seed in range(4):
        data = make_single_location(80, width=5, lengths=(3, 6), random_state=seed)
        y = np.random.default_rng(seed).permutation(data.labels)
        model = SingleLocationNetworkRegressor(members=3, context=False, random_state=0)
        found.append(model.fit(data.bags, y).diagnostics_)
    assert np.mean([each.held_out < 0.0 for each in found]) > 0.5
    assert all(each.doubts for each in found)


@pytest.mark.parametrize("count", [3, 5])
@pytest.mark.parametrize("classes", [2, 3])
def test_the_excess_of_classes_is_what_averaging_logits_would_gain(count, classes, monkeypatch):
    """Members are true logits plus noise; to second order the log-loss tells the difference."""
    rng = np.random.default_rng(7)
    n = 20_000
    truth = 1.5 * rng.standard_normal((n, classes))
    y = (truth + rng.gumbel(size=truth.shape)).argmax(axis=1)
    y = np.eye(classes)[y]
    said = softmax(truth + 0.5 * rng.standard_normal((count, n, classes)), axis=2)
    fold_of = np.arange(n) % count
    members = [
        Member(number, 1.0, [0.0], own, [said[number][own]])
        for number, own in enumerate(np.flatnonzero(fold_of == fold) for fold in range(count))
    ]
    monkeypatch.setattr(ensemble, "predicted", lambda _, weights, stock, bags: said[weights][bags])
    stock = stock_of_labels(np.zeros(n))._replace(y=y.astype(np.float32))
    found = Ensemble(members, list(range(count)), fold_of, 1.0, {})
    honest = left_out(found, stock, Classes, np.zeros(n, dtype=int))
    together = softmax(np.log(said).mean(axis=0), axis=1)
    losses = [-np.log((each * y).sum(axis=1)) for each in (honest, together)]
    wanted = losses[0] - losses[1]
    beyond = excess(found, stock, Classes)
    error = np.std(wanted) / np.sqrt(n)
    assert beyond.shape == (n, 1) and wanted.mean() > 10 * error
    assert beyond.mean() == pytest.approx(wanted.mean(), abs=4 * error + 0.05 * wanted.mean())
    model = SingleLocationNetworkClassifier()
    lowered = model._as_one(honest, beyond, y)
    np.testing.assert_allclose(lowered.sum(axis=1), 1)
    gained = losses[0] + np.log((lowered * y).sum(axis=1))
    np.testing.assert_allclose(gained, np.minimum(beyond[:, 0], 0.75 * losses[0]), atol=1e-5)
