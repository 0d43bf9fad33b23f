"""Weights: a weight of two is the same bag twice, a weight of zero no bag."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from soloc.datasets import make_single_location
from soloc.estimators import (
    SingleLocationAutoClassifier,
    SingleLocationAutoRegressor,
    SingleLocationClassifier,
    SingleLocationNetworkClassifier,
    SingleLocationNetworkRegressor,
    SingleLocationRegressor,
)
from soloc.estimators.calibration import calibration_of
from soloc.estimators.coefficients import bag_means
from soloc.estimators.instances import Instances, centre_and_scale
from soloc.estimators.mean_pool import fit_mean_pool, without_folds
from soloc.estimators.network.batches import Stock
from soloc.estimators.network.layer import Shape, backward, forward
from soloc.estimators.network.losses import Classes, Numbers
from soloc.estimators.network.member import Plan, error, predicted

N = 160
DATA = make_single_location(N, width=5, lengths=(2, 5), signal=4.0, random_state=3)
RNG = np.random.default_rng(0)
TIMES = RNG.integers(0, 4, size=N)
REPEATED = np.repeat(np.arange(N), TIMES)
EXACT = {"alpha": 2.0, "tol": 1e-13, "max_iter": 3000}
NUMBERS = [SingleLocationRegressor(loss=loss, **EXACT) for loss in ("squared", "likelihood")]
SORTS = np.digitize(DATA.labels, [-0.7, 0.7])
OF_CLASSES = [
    SingleLocationClassifier(loss=loss, **EXACT) for loss in ("cross_entropy", "likelihood")
]
QUICK_NETWORK = {"decay": 1.0, "members": 2, "max_epochs": 4}


def same(one, other, bags=DATA.bags):
    np.testing.assert_allclose(one.key_, other.key_, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(one.value_, other.value_, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(one.intercept_, other.intercept_, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("context", [False, True])
@pytest.mark.parametrize("model", NUMBERS, ids=lambda model: model.loss)
def test_weights_of_bags_are_bags_given_so_often(model, context):
    model.set_params(context=context)
    y = DATA.labels
    weighted = model.fit(DATA.bags, y, sample_weight=TIMES).__dict__.copy()
    repeated = model.fit(DATA.bags[REPEATED], y[REPEATED])
    one = SingleLocationRegressor()
    one.__dict__ |= weighted
    same(one, repeated)
    np.testing.assert_allclose(one.predict(DATA.bags), repeated.predict(DATA.bags), atol=1e-4)
    plain = model.fit(DATA.bags, y)
    assert np.abs(plain.key_ - one.key_).max() > 1e-2  # weights do something


@pytest.mark.parametrize("model", OF_CLASSES, ids=lambda model: model.loss)
def test_weights_of_classified_bags_are_bags_given_so_often(model):
    weighted = model.fit(DATA.bags, SORTS, sample_weight=TIMES).__dict__.copy()
    repeated = model.fit(DATA.bags[REPEATED], SORTS[REPEATED])
    one = SingleLocationClassifier()
    one.__dict__ |= weighted
    np.testing.assert_allclose(
        one.predict_proba(DATA.bags), repeated.predict_proba(DATA.bags), atol=1e-4
    )


@pytest.mark.parametrize(
    "model",
    [
        SingleLocationRegressor(n_starts=8),
        SingleLocationNetworkRegressor(**QUICK_NETWORK),
        SingleLocationAutoRegressor(candidates=["mean-pool", "linear"]),
    ],
    ids=lambda model: type(model).__name__,
)
def test_a_bag_of_weight_zero_is_no_bag(model):
    weights = np.ones(N)
    weights[20:60] = 0.0
    rest = np.flatnonzero(weights)
    groups = np.arange(N) // 2
    first = model.fit(DATA.bags, DATA.labels, groups, sample_weight=weights).predict(DATA.bags)
    second = model.fit(DATA.bags[rest], DATA.labels[rest], groups[rest]).predict(DATA.bags)
    np.testing.assert_array_equal(first, second)


def test_mean_pool_ridge_with_weights_is_that_of_scikit_learn():
    instances = Instances(DATA.bags, *centre_and_scale(DATA.bags, True))
    means, y = bag_means(instances), DATA.labels
    weights = RNG.uniform(0.2, 3.0, N)
    found = fit_mean_pool(means, y, True, weights)
    ours = Ridge(found.alpha).fit(means, y, weights)
    np.testing.assert_allclose(found.coef, ours.coef_, rtol=1e-9)
    for bag in (0, 7):
        rest = np.arange(N) != bag
        without = Ridge(found.alpha).fit(means[rest], y[rest], weights[rest])
        assert found.left_out[bag] == pytest.approx(without.predict(means[[bag]])[0], rel=1e-9)
    fold = np.arange(N) < 40
    left = without_folds(found, means, y, weights, [fold, ~fold], True).left_out
    without = Ridge(found.alpha).fit(means[~fold], y[~fold], weights[~fold])
    np.testing.assert_allclose(left[fold], without.predict(means[fold]), rtol=1e-9)


def test_the_standard_units_of_weighted_bags_are_those_of_repeated_ones():
    found = centre_and_scale(DATA.bags, True, TIMES.astype(float))
    for one, other in zip(found, centre_and_scale(DATA.bags[REPEATED], True), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-14)


def stock_of(bags, y, weights):
    x = np.column_stack([bags.values, np.ones(len(bags.values))])
    return Stock(x, None, bags.offsets[:-1], bags.lengths, y, weights)


@pytest.mark.parametrize("loss, outputs", [(Numbers, 1), (Numbers, 2), (Classes, 3)])
def test_losses_and_slopes_of_the_network_count_a_bag_by_its_weight(loss, outputs):
    rng = np.random.default_rng(outputs)
    y = np.eye(outputs)[rng.integers(outputs, size=N)]
    if loss is Numbers:
        y = rng.standard_normal((N, outputs))
    shape = Shape(5, 6, 3, outputs)
    flat = rng.standard_normal((1, shape.size))
    found = []
    for bags, weights in ((np.arange(N)[TIMES > 0], TIMES.astype(float)), (REPEATED, np.ones(N))):
        stock = stock_of(DATA.bags, y, weights)
        batch = stock.batch(bags)
        said = forward(shape.views(flat), batch)
        slope = loss.slope(said, batch, np.array([0.4]))
        gradient = np.empty_like(flat)
        backward(shape.views(flat), shape.views(gradient), batch, said, slope.ds, slope.df)
        plan = Plan(loss, shape)
        judged = predicted(loss, shape.views(flat), stock, bags)
        value = loss.value(said, batch, np.array([0.4]))
        found.append([value, slope.noise, gradient, error(plan, stock, bags, judged)])
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-13)


def test_members_side_by_side_have_the_slopes_they_have_alone():
    rng = np.random.default_rng(5)
    stock = stock_of(DATA.bags, rng.standard_normal((N, 2)), rng.uniform(0.5, 2.0, N))
    shape = Shape(5, 6, 3, 2)
    flat, noise = rng.standard_normal((3, shape.size)), np.array([0.2, 0.5, 0.9])
    chosen = [np.arange(9), np.arange(30, 37), np.arange(3, 15)]

    def slopes(some, bags, s2):
        batch = stock.batch(*bags)
        said = forward(shape.views(some), batch)
        slope = Numbers.slope(said, batch, s2)
        gradient = np.empty_like(some)
        backward(shape.views(some), shape.views(gradient), batch, said, slope.ds, slope.df)
        return Numbers.value(said, batch, s2), slope.noise, gradient

    for number, together in enumerate(zip(*slopes(flat, chosen, noise), strict=True)):
        own = slice(number, number + 1)
        for one, other in zip(together, slopes(flat[own], chosen[own], noise[own]), strict=True):
            np.testing.assert_allclose(one, other[0], rtol=1e-10, atol=1e-13)


def test_weighted_intervals_hold_the_weighted_share_of_the_bags_left_out():
    scores = RNG.exponential(size=400)
    weights = np.where(scores > 1, 5.0, 1.0)  # rare errors count for more
    level = calibration_of(scores, weights, 400).level(0.8)
    assert np.average(scores <= level, weights=weights) == pytest.approx(0.8, abs=0.01)
    assert level > calibration_of(scores, np.ones(400), 400).level(0.8)


@pytest.mark.parametrize(
    "model",
    [
        SingleLocationClassifier(alpha=1.0, loss="likelihood"),
        SingleLocationNetworkClassifier(**QUICK_NETWORK),
        SingleLocationAutoClassifier(candidates=["mean-pool"]),
    ],
    ids=lambda model: type(model).__name__,
)
def test_classes_weigh_what_they_are_said_to_weigh(model):
    y = np.where(DATA.labels > 1.0, "rare", "common")
    as_weights = {"rare": 3.0}
    by_class = model.set_params(class_weight=as_weights).fit(DATA.bags, y).predict_proba(DATA.bags)
    model.set_params(class_weight=None)
    weights = np.where(y == "rare", 3.0, 1.0)
    by_bag = model.fit(DATA.bags, y, sample_weight=weights).predict_proba(DATA.bags)
    np.testing.assert_array_equal(by_class, by_bag)
    balanced = model.set_params(class_weight="balanced").fit(DATA.bags, y).predict_proba(DATA.bags)
    model.set_params(class_weight=None)
    assert balanced[:, 1].mean() > model.fit(DATA.bags, y).predict_proba(DATA.bags)[:, 1].mean()


@pytest.mark.parametrize(
    "given, said",
    [
        (np.ones(3), "one entry per bag"),
        (np.ones((N, 1)), "one entry per bag"),
        (-np.ones(N), "not negative"),
        (np.full(N, np.nan), "finite and not negative, got nan for bag 0;"),
        (np.r_[np.ones(7), np.nan, np.ones(N - 8)], "finite and not negative, got nan for bag 7;"),
        (np.r_[np.ones(7), np.inf, np.ones(N - 8)], "finite and not negative, got inf for bag 7;"),
        (np.r_[np.ones(7), -0.5, np.ones(N - 8)], "not negative, got -0.5 for bag 7;"),
        (np.zeros(N), "not be zero everywhere"),
        (["much"] * N, "must hold numbers"),
        (["1"] * N, "must hold numbers"),
        (np.full(N, 1j), "must hold numbers, .* real ones"),
        (np.full(N, 1 + 0j), "must hold numbers, .* real ones"),
        ([[1], [1, 2]] * (N // 2), "must hold numbers"),
        (np.full(N, 1e307), "largest entry between"),
        (np.full(N, 1e-310), "largest entry between"),
        (np.r_[np.ones(7), 1e7, np.ones(N - 8)], "1e.06 times the median, 1, got 1e.07 for bag 7;"),
    ],
)
def test_weights_that_cannot_be_are_refused(given, said):
    with pytest.raises(ValueError, match=f"`sample_weight` .*{said}"):
        NUMBERS[0].fit(DATA.bags, DATA.labels, sample_weight=given)


@pytest.mark.parametrize(
    "model",
    [
        SingleLocationClassifier(alpha=1.0, loss="likelihood"),
        SingleLocationAutoClassifier(candidates=["linear"]),
    ],
    ids=lambda model: type(model).__name__,
)
def test_a_class_may_weigh_ten_million_times_another(model):
    few = np.arange(N) % 10 == 0  # as scikit-learn's own check asks of classes
    model.set_params(class_weight={False: 1e-4, True: 1e3})
    assert model.fit(DATA.bags, few).predict(DATA.bags).mean() > 0.87


@pytest.mark.parametrize("given", ["even", {"no such class": 2.0}, {0: 0.0}, [1.0, 2.0]])
def test_class_weights_that_cannot_be_are_refused(given):
    model = SingleLocationClassifier(alpha=1.0, loss="likelihood", class_weight=given)
    with pytest.raises(ValueError, match="`class_weight` must"):
        model.fit(DATA.bags, SORTS)


def test_diagnostics_are_those_of_the_weighted_bags():
    weights = np.ones(N)
    weights[:40] = 1e-6  # bags that say nothing true count for almost nothing
    y = DATA.labels.copy()
    y[:40] = RNG.permutation(y[:40]) * 5
    model = SingleLocationRegressor(alpha=1.0, loss="likelihood")
    assert model.fit(DATA.bags, y, sample_weight=weights).diagnostics_.held_out > 0.7
    assert model.fit(DATA.bags, y).diagnostics_.held_out < 0.5


@pytest.mark.parametrize("kind", [SingleLocationNetworkRegressor, SingleLocationNetworkClassifier])
def test_a_weight_that_is_nothing_beside_others_is_that_of_a_bag_that_is_not_there(kind):
    y = DATA.labels > 0 if kind is SingleLocationNetworkClassifier else DATA.labels
    few = np.arange(N) % 3 == 0
    model = kind(**QUICK_NETWORK).fit(DATA.bags, y, sample_weight=np.where(few, 1e-60, 1.0))
    found = model.predict(DATA.bags)
    model.fit(DATA.bags[np.flatnonzero(~few)], y[~few])
    np.testing.assert_array_equal(model.predict(DATA.bags), found)


HEAVY = [
    SingleLocationRegressor(alpha=1.0),
    SingleLocationRegressor(alpha=1.0, loss="squared"),
    SingleLocationRegressor(context=True),
    SingleLocationClassifier(alpha=1.0),
]


@pytest.mark.parametrize("model", HEAVY, ids=range(len(HEAVY)))
def test_one_bag_may_weigh_as_much_as_all_others_a_million_times(model):
    bags = make_single_location(60, width=4, random_state=0)
    y = bags.labels > 0 if isinstance(model, SingleLocationClassifier) else bags.labels
    model.fit(bags.bags, y, sample_weight=np.r_[1e6, np.ones(59)])
    assert model.predict(bags.bags)[0] == pytest.approx(y[0], abs=1e-3)


@pytest.mark.parametrize("scale", [1e-15, 1e12, 1e15])
def test_the_scale_of_all_weights_is_that_of_the_penalty(scale):
    model = SingleLocationRegressor(loss="squared", alpha=2.0, tol=1e-10)
    plain = model.fit(DATA.bags, DATA.labels).predict(DATA.bags)
    model.set_params(alpha=2.0 * scale)
    found = model.fit(DATA.bags, DATA.labels, sample_weight=np.full(N, scale)).predict(DATA.bags)
    np.testing.assert_allclose(found, plain, atol=1e-3)
