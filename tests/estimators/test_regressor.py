"""The regressor: what it must reach, what it must equal, and what it must say."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.linear_model import Ridge
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator
from tests.weight_checks import BY_HELD_OUT_BAGS

from soloc.datasets import make_single_location, single_location_law
from soloc.estimators import Bags, PointingWarning, SingleLocationRegressor

DATA = make_single_location(500, width=12, lengths=(3, 8), signal=4.0, random_state=1)
TEST = single_location_law(12, 4.0, random_state=1).sample(3000, (3, 8), random_state=77)
LOSSES = ("likelihood", "squared")


@pytest.fixture(scope="module")
def fitted():
    return {
        loss: SingleLocationRegressor(loss=loss, alpha=3.0).fit(DATA.bags, DATA.labels)
        for loss in LOSSES
    }


def test_scikit_learn_finds_nothing_to_object_to():
    check_estimator(
        SingleLocationRegressor(),
        on_skip=None,
        expected_failed_checks=BY_HELD_OUT_BAGS,
        on_fail="raise",
    )


@pytest.mark.parametrize("loss", LOSSES)
def test_it_predicts_and_points_nearly_as_well_as_the_bayes_rule(fitted, loss):
    prediction, where = single_location_law(12, 4.0, random_state=1).bayes(TEST.bags)
    bayes = 1 - np.mean((TEST.labels - prediction) ** 2) / np.var(TEST.labels)
    assert fitted[loss].score(TEST.bags, TEST.labels) > bayes - 0.02
    located = np.mean(fitted[loss].locate(TEST.bags) == TEST.locations)
    assert located > np.mean(where == TEST.locations) - 0.01


@pytest.mark.parametrize("loss", LOSSES)
def test_predictions_are_the_formula_in_the_units_of_the_data(fitted, loss):
    model = fitted[loss]
    for bag, weights, prediction in zip(
        TEST.bags[:20], model.attend(TEST.bags[:20]), model.predict(TEST.bags[:20]), strict=True
    ):
        scores = bag @ model.key_
        expected = np.exp(scores - scores.max())
        np.testing.assert_allclose(weights, expected / expected.sum(), rtol=1e-8)
        assert weights @ (bag @ model.value_) + model.intercept_ == pytest.approx(
            prediction, rel=1e-8
        )


def test_bags_of_one_are_ridge_regression_on_standardised_features():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((80, 4)) * [1, 10, 0.1, 3] + 5
    y = x @ [1.0, 0.1, 5.0, 0.0] + rng.standard_normal(80)
    scaled = StandardScaler().fit_transform(x)
    ridge = Ridge(alpha=7.0).fit(scaled, y).predict(scaled)
    model = SingleLocationRegressor(loss="squared", alpha=7.0).fit(x, y)
    np.testing.assert_allclose(model.predict(x), ridge, rtol=1e-6)
    assert model.locate(x).tolist() == [0] * 80


@pytest.mark.parametrize("loss", LOSSES)
def test_units_of_features_and_labels_do_not_matter(loss):
    stretch, shift = np.geomspace(1e-3, 1e3, 12), 100 * np.arange(12)
    model = SingleLocationRegressor(loss=loss, alpha=3.0).fit(DATA.bags, DATA.labels)
    moved = DATA.bags.with_values(DATA.bags.values * stretch + shift)
    other = SingleLocationRegressor(loss=loss, alpha=3.0).fit(moved, 1e4 * DATA.labels + 5e5)
    np.testing.assert_allclose(
        other.predict(moved), 1e4 * model.predict(DATA.bags) + 5e5, rtol=1e-3
    )


@pytest.mark.parametrize("loss", LOSSES)
def test_the_order_of_instances_within_a_bag_does_not_matter(fitted, loss):
    turned = Bags.from_list([bag[::-1] for bag in TEST.bags[:50]])
    np.testing.assert_allclose(
        fitted[loss].predict(turned), fitted[loss].predict(TEST.bags[:50]), rtol=1e-9
    )


@pytest.mark.parametrize("loss", LOSSES)
def test_the_objective_falls_and_the_history_says_why_it_stopped(fitted, loss):
    history = fitted[loss].history_
    assert (
        history.converged
        and "tol" in history.reason
        and history.evaluations >= len(history.objective) - 1
    )
    assert (np.diff(history.objective) <= 1e-9).all()


def test_a_fit_that_may_not_converge_says_so():
    with pytest.warns(ConvergenceWarning, match="`max_iter` = 1 was reached"):
        SingleLocationRegressor(loss="likelihood", alpha=0.1, max_iter=1).fit(
            DATA.bags, DATA.labels
        )


@pytest.mark.parametrize("settings", [(5.0, 10), (2.5, (5, 15)), (1.5, 4)])
@pytest.mark.parametrize("loss", LOSSES)
def test_intervals_cover_what_they_promise(settings, loss):
    signal, lengths = settings
    law = single_location_law(20, signal, random_state=5)
    train, test = (
        law.sample(1500, lengths, random_state=5),
        law.sample(6000, lengths, random_state=6),
    )
    model = SingleLocationRegressor(loss=loss, alpha=20.0).fit(train.bags, train.labels)
    for coverage in (0.5, 0.9):
        ends = model.predict_interval(test.bags, coverage)
        inside = np.mean((ends[:, 0] <= test.labels) & (test.labels <= ends[:, 1]))
        allowed = 3.5 * np.sqrt(coverage * (1 - coverage) * (1 / 1500 + 1 / 6000))
        assert (
            abs(inside - coverage) < allowed + 0.005
        )  # approximate leave-one-out costs up to half a percent


def test_auto_tries_both_losses_and_keeps_a_record():
    model = SingleLocationRegressor().fit(DATA.bags, DATA.labels)
    assert set(model.selection_["loss"]) == set(LOSSES) and len(model.selection_) >= 6
    assert model.loss_ in LOSSES and model.alpha_ in model.selection_["alpha"].to_list()
    assert model.diagnostics_.held_out > 0.8 > model.diagnostics_.mean_pool


def test_equal_seeds_give_equal_models():
    first, second = (
        SingleLocationRegressor(random_state=4).fit(DATA.bags, DATA.labels) for _ in range(2)
    )
    np.testing.assert_array_equal(first.predict(TEST.bags), second.predict(TEST.bags))


def test_the_model_says_when_pointing_should_not_be_trusted():
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((200, 6, 4)), rng.standard_normal(200)  # nothing to learn
    model = SingleLocationRegressor().fit(x, y)
    assert model.diagnostics_.doubts
    with pytest.warns(PointingWarning, match="do not trust which instance is named"):
        model.locate(x)
    mean = x.mean(axis=1) @ [1.0, 2.0, 0.0, 0.0]  # every instance counts
    model = SingleLocationRegressor().fit(x, mean)
    with pytest.warns(PointingWarning, match="mean-pool ridge, which points at nothing"):
        model.explain(x, 3)


def test_a_model_that_can_be_trusted_does_not_warn(fitted):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted["likelihood"].locate(TEST.bags)
    assert "pointing can be trusted" in str(fitted["likelihood"].diagnostics_)


def test_context_finds_a_linear_term_in_the_bag_mean():
    slope = np.linspace(-3, 3, 12)
    means = np.array([bag.mean(axis=0) for bag in DATA.bags])
    labels = DATA.labels + means @ slope
    model = SingleLocationRegressor(context=True, alpha=0.1).fit(DATA.bags, labels)
    plain = SingleLocationRegressor(alpha=0.1).fit(DATA.bags, labels)
    assert model.score(DATA.bags, labels) > plain.score(DATA.bags, labels) + 0.05
    assert np.corrcoef(model.context_coef_, slope)[0, 1] > 0.98


def test_labels_and_groups_may_come_with_the_bags_and_are_respected():
    bags = Bags(DATA.bags.values, DATA.bags.offsets, labels=DATA.labels)
    groups = np.arange(500) // 5
    model = SingleLocationRegressor(random_state=1).fit(bags, groups=groups)
    assert model.score(TEST.bags, TEST.labels) > 0.8
    with pytest.raises(ValueError, match="`groups` must have one entry per bag"):
        SingleLocationRegressor().fit(bags, groups=groups[:3])
    with pytest.raises(ValueError, match="`groups` must hold at least two different groups"):
        SingleLocationRegressor().fit(bags, groups=np.zeros(500))


def test_float32_bags_give_the_model_of_float64_bags():
    single = DATA.bags.with_values(DATA.bags.values.astype(np.float32))
    models = [
        SingleLocationRegressor(loss="likelihood", alpha=3.0).fit(b, DATA.labels)
        for b in (single, DATA.bags)
    ]
    np.testing.assert_allclose(
        models[0].predict(TEST.bags), models[1].predict(TEST.bags), atol=0.02
    )


def test_progress_is_reported_and_cloning_keeps_parameters():
    seen = []
    model = SingleLocationRegressor(alpha=1.0, loss="squared")
    model.on_progress = lambda history: seen.append(history.objective[-1])
    model.fit(DATA.bags, DATA.labels)
    assert seen and clone(model).get_params() == model.get_params()


def test_refusals_name_what_is_wrong():
    model = SingleLocationRegressor(alpha=1.0, loss="squared")
    with pytest.raises(NotFittedError):
        model.predict(TEST.bags)
    model.fit(DATA.bags, DATA.labels)
    with pytest.raises(
        ValueError, match="X has 3 features, but SingleLocationRegressor is expecting 12"
    ):
        model.predict(np.ones((2, 2, 3)))
    with pytest.raises(ValueError, match="`coverage` must be a number between 0 and 1"):
        model.predict_interval(TEST.bags, 90)
    with pytest.raises(
        ValueError, match="`y` must have one label per bag: `X` holds 500 bags, `y` 3"
    ):
        model.fit(DATA.bags, [1, 2, 3])


def test_an_outlier_and_a_constant_feature_do_no_harm():
    values = np.hstack([DATA.bags.values, np.full((len(DATA.bags.values), 1), 7.0)])
    labels = DATA.labels.copy()
    labels[0] = 1e3
    model = SingleLocationRegressor().fit(Bags(values, DATA.bags.offsets), labels)
    assert (
        np.isfinite(model.predict(Bags(values, DATA.bags.offsets))).all() and model.value_[-1] == 0
    )


class Interrupted(Exception):
    """Somebody pressed a key."""


def interrupt(*arguments):
    raise Interrupted


@pytest.mark.parametrize("place", ["in the last fit", "in the calibration"])
def test_an_interrupted_fit_leaves_the_old_model_whole(place, monkeypatch):
    model = SingleLocationRegressor(loss="likelihood", alpha=3.0).fit(DATA.bags, DATA.labels)
    before = model.predict(TEST.bags), model.predict_interval(TEST.bags), dict(vars(model))
    if place == "in the last fit":
        model.on_progress = interrupt
    else:
        monkeypatch.setattr("soloc.estimators.regressor.left_out_alone", interrupt)
    with pytest.raises(Interrupted):
        model.fit(DATA.bags.with_values(5 * DATA.bags.values - 7), -DATA.labels[::-1])
    np.testing.assert_array_equal(model.predict(TEST.bags), before[0])
    np.testing.assert_array_equal(model.predict_interval(TEST.bags), before[1])
    assert all(vars(model)[name] is value for name, value in before[2].items())


def test_an_interrupted_first_fit_leaves_no_model(monkeypatch):
    monkeypatch.setattr("soloc.estimators.regressor.left_out_alone", interrupt)
    model = SingleLocationRegressor(loss="likelihood", alpha=3.0)
    with pytest.raises(Interrupted):
        model.fit(DATA.bags, DATA.labels)
    with pytest.raises(NotFittedError):
        model.predict(TEST.bags)
    assert not hasattr(model, "n_features_in_")


@pytest.mark.parametrize("seed", [0, 1])
def test_what_is_compared_with_other_models_was_predicted_without_the_bag(seed):
    data = make_single_location(300, width=6, signal=4.0, random_state=seed)
    model = SingleLocationRegressor().fit(data.bags, data.labels)
    y = (data.labels - data.labels.mean()) / data.labels.std()
    score = 1 - np.mean((y - model.held_out_[:, 0]) ** 2)
    assert score == pytest.approx(model.diagnostics_.held_out, abs=1e-9)
