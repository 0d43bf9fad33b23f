"""Auto: the choice follows the data, is told, and has all verbs of what was chosen."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator
from tests.weight_checks import BY_HELD_OUT_BAGS

from soloc.datasets import make_nonlinear_location, make_single_location
from soloc.estimators import (
    PointingWarning,
    SingleLocationAutoClassifier,
    SingleLocationAutoRegressor,
    SingleLocationNetworkClassifier,
    SingleLocationNetworkRegressor,
    load,
)
from soloc.estimators.auto.estimator import reason, simplest_of_best

DATA = make_single_location(300, width=8, lengths=(2, 6), signal=4.0, random_state=1)


def wide(n, classes):
    """Bags whose mean decides, with more features than bags."""
    rng = np.random.default_rng(3)
    factors = rng.standard_normal((n, 1, 4))
    x = rng.standard_normal((n, 5, 200)) + factors @ rng.standard_normal((4, 200))
    y = factors[:, 0, 0] + 0.2 * rng.standard_normal(n)
    return x, (y > 0 if classes else y)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [SingleLocationAutoRegressor, SingleLocationAutoClassifier])
def test_scikit_learn_finds_nothing_to_object_to(kind):
    check_estimator(
        kind(candidates=["mean-pool"]),
        on_skip=None,
        expected_failed_checks=BY_HELD_OUT_BAGS,
        on_fail="raise",
    )  # the others have their own


@pytest.mark.parametrize("classes", [False, True])
def test_where_the_mean_decides_it_answers_with_mean_pooling_and_points_at_nothing(classes):
    x, y = wide(180, classes)
    kind = SingleLocationAutoClassifier if classes else SingleLocationAutoRegressor
    model = kind().fit(x[:60], y[:60])
    assert model.choice_ == "mean-pool" and "it points at nothing" in model.reason_
    means = StandardScaler().fit(x[:60].mean(axis=1)).transform(x.mean(axis=1))
    rival = LogisticRegression(C=0.01) if classes else RidgeCV(np.geomspace(1, 1e4, 9))
    assert (
        model.score(x[60:], y[60:]) > rival.fit(means[:60], y[:60]).score(means[60:], y[60:]) - 0.05
    )
    with pytest.warns(PointingWarning, match="mean-pool ridge, which points at nothing"):
        model.locate(x)
    np.testing.assert_allclose(model.attend(x), 0.2, rtol=1e-9)


def test_linear_bags_are_left_to_the_linear_model_and_others_to_the_network():
    model = SingleLocationAutoRegressor().fit(DATA.bags, DATA.labels)
    assert model.choice_ == "linear"
    assert set(model.scores_["candidate"]) == {"mean-pool", "linear", "network"}
    bent = make_nonlinear_location(600, lengths=(2, 3), random_state=0)
    labels = np.abs(bent.bags.values[bent.bags.offsets[:-1] + bent.locations, 8])
    model = SingleLocationAutoRegressor().fit(bent.bags, labels)
    assert model.choice_ == "network" and model.agreement(bent.bags).shape == (600,)


def test_mean_pooling_answers_where_it_is_within_an_error_of_the_best():
    constant, weights = np.full(100, 2.0), np.ones(100)
    swing = np.tile([-1.0, 1.0], 50)  # an error of .1 of its size, and a bit: bags are a hundred
    for behind, size, choice in (
        (0.009, 0.0, "mean-pool"),  # the bound is .005 of 2
        (0.011, 0.0, "network"),
        (0.09, 1.0, "mean-pool"),
        (0.11, 1.0, "network"),
    ):
        errors = {"mean-pool": 0.5 + behind + size * swing, "network": np.full(100, 0.5)}
        assert simplest_of_best(errors, constant, weights, None) == choice
    scores = pd.DataFrame({"candidate": ["mean-pool", "network"], "held_out": [0.746, 0.75]})
    for error, said in (
        (0.1, "mean pooling is as good as the best on bags left out, to an error or 0.005"),
        (0.8, "nothing is better than a constant by a standard error"),
    ):
        told = reason("mean-pool", scores.assign(error=error), "R^2")
        assert told.startswith(said) and told.endswith("it points at nothing")


def test_one_process_may_be_asked_for():
    model = SingleLocationAutoRegressor(n_jobs=1, candidates=["mean-pool"])
    assert model.fit(DATA.bags, DATA.labels).choice_ == "mean-pool"
    with pytest.raises(ValueError, match="`n_jobs` must be None or an integer other than 0"):
        model.set_params(n_jobs=True).fit(DATA.bags, DATA.labels)


def test_residuals_are_those_of_the_chosen_model():
    model = SingleLocationAutoRegressor(candidates=["linear"]).fit(DATA.bags, DATA.labels)
    assert model.residuals_.equals(model.model_.residuals_)
    assert model.residuals(DATA.bags, DATA.labels).equals(
        model.model_.residuals(DATA.bags, DATA.labels)
    )
    model.model_ = SingleLocationNetworkRegressor()
    assert not hasattr(model, "residuals") and not hasattr(model, "residuals_")


def test_a_saved_classifier_of_means_says_the_same_to_the_last_bit(tmp_path):
    x, y = wide(60, True)
    model = SingleLocationAutoClassifier(candidates=["mean-pool"]).fit(x, y)
    model.save(tmp_path / "m.soloc")
    again = load(tmp_path / "m.soloc")
    np.testing.assert_array_equal(again.predict_proba(x), model.predict_proba(x))


def test_the_network_must_be_ahead_of_linear_attention_by_one_and_a_half_errors():
    constant, weights = np.full(100, 2.0), np.ones(100)
    swing = np.tile([-1.0, 1.0], 50)  # an error of .1, and a bit: bags are a hundred
    for behind, choice in ((0.13, "linear"), (0.17, "network")):
        errors = {
            "mean-pool": np.full(100, 1.9),
            "linear": 0.5 + behind + swing,
            "network": np.full(100, 0.5),
        }
        assert simplest_of_best(errors, constant, weights, None) == choice
    scores = pd.DataFrame({"candidate": ["linear", "network"], "held_out": [0.74, 0.75]})
    told = reason("linear", scores.assign(error=0.1), "R^2")
    assert told.startswith("linear attention is within 1.5 standard errors of the best")


@pytest.mark.parametrize("count", [2, 3, 5])
@pytest.mark.parametrize("kind", [SingleLocationNetworkRegressor, SingleLocationNetworkClassifier])
def test_a_few_bags_of_noise_vouch_for_nothing(kind, count):
    """By Student's t one of forty may pass; members that attend to all alike agree on nothing."""
    trusted = 0
    for seed in range(8):
        rng = np.random.default_rng(seed)
        bags = DATA.bags[rng.choice(len(DATA.bags), count, replace=False)]
        y = rng.standard_normal(count)
        if kind is SingleLocationNetworkClassifier:
            y = rng.permutation(np.arange(count) % 2)
        trusted += not kind(random_state=seed).fit(bags, y).diagnostics_.doubts
    assert trusted <= 1


@pytest.mark.parametrize("candidates", [["mean-pool"], ["linear"], ["network"]])
@pytest.mark.parametrize("classes", [False, True])
def test_loaded_models_equal_the_saved_ones(candidates, classes, tmp_path):
    kind = SingleLocationAutoClassifier if classes else SingleLocationAutoRegressor
    bags, labels = DATA.bags[:80], DATA.labels[:80]
    model = kind(candidates=candidates).fit(bags, labels > 0 if classes else labels)
    model.save(tmp_path / "model.soloc")
    again = load(tmp_path / "model.soloc")
    np.testing.assert_array_equal(again.predict(DATA.bags), model.predict(DATA.bags))
    assert again.choice_ == model.choice_ == candidates[0] and again.reason_ == model.reason_
    assert again.diagnostics_ == model.diagnostics_
    assert again.get_params() == model.get_params()
    if not classes:
        ends = model.predict_interval(DATA.bags)
        np.testing.assert_array_equal(again.predict_interval(DATA.bags), ends)


def test_candidates_that_cannot_be_are_refused_by_name():
    for candidates in ([], ["trees"], "linear"):
        with pytest.raises(ValueError, match="`candidates` must be"):
            SingleLocationAutoRegressor(candidates=candidates).fit(DATA.bags, DATA.labels)


def test_where_nothing_predicts_mean_pooling_answers_with_the_mean_label():
    rng = np.random.default_rng(8)
    x, y = rng.standard_normal((258, 4, 300)), 5 + rng.standard_normal(258)
    model = SingleLocationAutoRegressor().fit(x[:58], y[:58])
    assert model.choice_ == "mean-pool" and "points at nothing" in model.reason_
    with pytest.warns(PointingWarning):
        model.locate(x[:5])
    plain = RidgeCV(58 * np.geomspace(3.0, 3e-6, 13)).fit(x[:58].mean(axis=1), y[:58])
    errors, others = (
        np.mean((y[58:] - each) ** 2)
        for each in (model.predict(x[58:]), plain.predict(x[58:].mean(axis=1)))
    )
    assert errors < others
    assert errors < 1.05 * np.mean((y[58:] - y[:58].mean()) ** 2)
