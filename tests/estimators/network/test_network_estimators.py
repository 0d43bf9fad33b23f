"""The network estimators: what they reach, what they must equal, and what they must say."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.utils.estimator_checks import check_estimator
from tests.weight_checks import BY_HELD_OUT_BAGS

from soloc.datasets import digit_bags, make_nonlinear_location, make_single_location
from soloc.estimators import (
    Bags,
    PointingWarning,
    SingleLocationNetworkClassifier,
    SingleLocationNetworkRegressor,
    SingleLocationRegressor,
    load,
)
from soloc.estimators.network import ensemble
from soloc.estimators.network.ensemble import DECAYS_OF_FEW, HALF, MUCH, Place, folds_of, stuck
from soloc.estimators.network.forest import SETTINGS, boost_classes, boost_numbers
from soloc.estimators.network.losses import Numbers
from soloc.estimators.network.member import LONG_PATIENCE, PATIENCE, Learner, Member, Plan

DATA = make_single_location(300, width=8, lengths=(2, 6), signal=4.0, random_state=1)
NEW = make_single_location(600, width=8, lengths=(2, 6), signal=4.0, random_state=1)
QUICK = {"decay": 1.0, "members": 2, "max_epochs": 15}
PLAN = Plan(Numbers, None)


@pytest.fixture(scope="module")
def regressor():
    return SingleLocationNetworkRegressor(**QUICK).fit(DATA.bags, DATA.labels)


@pytest.fixture(scope="module")
def classifier():
    return SingleLocationNetworkClassifier(**QUICK).fit(DATA.bags, DATA.labels > 0)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [SingleLocationNetworkRegressor, SingleLocationNetworkClassifier])
def test_scikit_learn_finds_nothing_to_object_to(kind):
    check_estimator(
        kind(members=2, decay=1.0, max_epochs=12, context=False),
        on_skip=None,
        expected_failed_checks=BY_HELD_OUT_BAGS,
        on_fail="raise",
    )


@pytest.mark.slow
def test_it_reads_and_points_where_the_linear_class_cannot():
    train = make_nonlinear_location(4000, random_state=0)
    test = make_nonlinear_location(2000, random_state=0, draw=1)
    model = SingleLocationNetworkRegressor().fit(train.bags, train.labels)
    assert model.score(test.bags, test.labels) >= 0.25  # the linear class has .03
    assert np.mean(model.locate(test.bags) == test.locations) >= 0.45  # chance is .12
    agreed = model.agreement(test.bags) == 1
    right = model.locate(test.bags) == test.locations
    assert right[agreed].mean() > right[~agreed].mean() + 0.1
    low, high = model.predict_interval(test.bags, 0.9).T
    assert abs(np.mean((low <= test.labels) & (test.labels <= high)) - 0.9) < 0.03


def test_one_member_is_no_witness():
    model = SingleLocationNetworkRegressor(**QUICK | {"members": 1}).fit(DATA.bags, DATA.labels)
    found = model.diagnostics_
    assert found.agreement == found.chance_agreement
    assert "the only member and a pick at random name the same instance" in found.verdict


def test_it_warns_where_members_do_not_agree_on_these_bags(regressor):
    assert not regressor.diagnostics_.doubts
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        regressor.locate(DATA.bags)
    row = np.random.default_rng(0).standard_normal((20, 1, DATA.bags.width))
    with pytest.warns(PointingWarning, match="on these bags two members .* in 0%"):
        regressor.locate(np.repeat(row, 4, axis=1))  # equal instances: nobody names one


def test_weights_times_values_add_up_to_the_prediction(regressor):
    explanation = regressor.explain(DATA.bags, 3)
    total = explanation.table["contribution"].sum() + explanation.offset
    assert total == pytest.approx(regressor.predict(DATA.bags[3])[0], rel=1e-9)
    np.testing.assert_allclose([w.sum() for w in regressor.attend(DATA.bags)], 1.0, rtol=1e-9)


def test_a_boosted_context_is_mixed_in_where_the_mean_of_the_bag_decides():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((600, 4, 3))
    y = np.sign(x.mean(axis=1)[:, 0]) + 0.1 * rng.standard_normal(600)
    model = SingleLocationNetworkRegressor(**QUICK).fit(x[:400], y[:400])
    plain = SingleLocationNetworkRegressor(**QUICK, context=False).fit(x[:400], y[:400])
    assert model.share_ > 0.1 and plain.share_ == 0
    assert model.score(x[400:], y[400:]) > plain.score(x[400:], y[400:])
    assert model.diagnostics_.rival == "boosted trees on bag means"
    with pytest.warns(PointingWarning, match="on bag means, which points at nothing"):
        model.locate(x)
    assert "(boosted trees on bag means " in str(model.diagnostics_)


@pytest.mark.parametrize("outputs", [1, 2])
def test_trees_as_arrays_say_what_scikit_learn_says(outputs):
    rng = np.random.default_rng(outputs)
    x, y = rng.standard_normal((300, 5)), rng.standard_normal((300, outputs))
    weights = rng.uniform(0.5, 2.0, 300)
    forest = boost_numbers(x[:200], y[:200], weights[:200], 3)
    for column in range(outputs):
        model = HistGradientBoostingRegressor(**SETTINGS, max_features=0.3, random_state=3)
        expected = model.fit(x[:200], y[:200, column], weights[:200]).predict(x)
        np.testing.assert_allclose(forest.raw(x)[:, column], expected, rtol=1e-10, atol=1e-12)
    codes = rng.integers(outputs + 1, size=300)
    model = HistGradientBoostingClassifier(**SETTINGS, max_features=0.3, random_state=3)
    model.fit(x, codes, weights)
    raw = boost_classes(x, np.eye(outputs + 1)[codes], weights, 3).raw(x)
    np.testing.assert_allclose(np.squeeze(raw), model.decision_function(x), rtol=1e-10)


def test_the_order_of_bags_and_of_instances_does_not_matter(regressor):
    order = np.random.default_rng(3).permutation(300)
    model = SingleLocationNetworkRegressor(**QUICK).fit(DATA.bags[order], DATA.labels[order])
    np.testing.assert_array_equal(model.predict(NEW.bags), regressor.predict(NEW.bags))
    turned = Bags.from_list([bag[::-1] for bag in NEW.bags[:20]])
    np.testing.assert_allclose(
        regressor.predict(turned), regressor.predict(NEW.bags[:20]), rtol=1e-9
    )


@pytest.mark.slow
def test_processes_do_not_change_what_is_fitted(regressor):
    model = SingleLocationNetworkRegressor(**QUICK, n_jobs=2).fit(DATA.bags, DATA.labels)
    np.testing.assert_array_equal(model.predict(NEW.bags), regressor.predict(NEW.bags))


def test_loaded_models_equal_the_saved_ones(regressor, classifier, tmp_path):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((400, 3, 3))
    y = np.sign(x.mean(axis=1)[:, 0])
    mixed = SingleLocationNetworkRegressor(**QUICK).fit(x, y)
    assert mixed.forests_
    for model, bags in ((regressor, NEW.bags), (classifier, NEW.bags), (mixed, x)):
        model.save(tmp_path / "model.soloc", notes={"bag": "id"})
        again = load(tmp_path / "model.soloc")
        np.testing.assert_array_equal(again.predict(bags), model.predict(bags))
        np.testing.assert_array_equal(again.agreement(bags), model.agreement(bags))
        assert again.diagnostics_ == model.diagnostics_ and again.notes_ == {"bag": "id"}
        assert again.history_.equals(model.history_)
        assert again.get_params() == model.get_params()


def test_noise_is_doubted():
    rng = np.random.default_rng(4)
    labels = rng.permutation(DATA.labels)
    model = SingleLocationNetworkRegressor(**QUICK).fit(DATA.bags, labels)
    assert -0.05 < model.score(NEW.bags[300:], rng.permutation(NEW.labels[300:])) < 0.01
    with pytest.warns(PointingWarning, match="no better than a constant"):
        model.locate(DATA.bags)


def test_a_model_that_can_be_trusted_does_not_warn(regressor):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        right = regressor.locate(NEW.bags) == NEW.locations
    assert right.mean() > 0.85 and regressor.agreement(NEW.bags).mean() > 0.9


def test_bags_that_share_their_decisive_instance_are_left_out_together():
    train = digit_bags(800, 8, random_state=3)
    test = digit_bags(800, 8, split="test", random_state=3)
    model = SingleLocationNetworkRegressor(**QUICK).fit(train.bags, train.labels)
    leaking = SingleLocationNetworkRegressor(**QUICK)
    leaking.fit(train.bags, train.labels, groups=np.arange(800))
    true = 1 - model.score(test.bags, test.labels)  # shares of the variance that are missed
    honest, flattered = 1 - model.diagnostics_.held_out, 1 - leaking.diagnostics_.held_out
    assert true / 3 < honest < 3 * true  # other draws: .5 to 1.6 times
    assert flattered < true / 5  # other draws: a tenth and less


def test_groups_stay_whole_and_folds_are_even():
    rng = np.random.default_rng(5)
    tickets = rng.integers(0, 2**63, 400).astype(np.uint64)
    groups = np.concatenate([np.zeros(60, dtype=int), rng.integers(1, 80, 340)])
    folds = folds_of(tickets, groups)
    assert all(len(set(folds[groups == group])) == 1 for group in set(groups))
    assert np.bincount(folds).tolist() == pytest.approx([80] * 5, abs=6)


def test_classes_of_any_kind_come_back_with_probabilities(classifier):
    names = np.array(["low", "middle", "high"], dtype=object)
    codes = np.digitize(DATA.labels, [-0.5, 0.5])
    model = SingleLocationNetworkClassifier(**QUICK).fit(DATA.bags, names[codes])
    probability = model.predict_proba(NEW.bags)
    assert probability.shape == (600, 3) and sorted(names) == model.classes_.tolist()
    np.testing.assert_allclose(probability.sum(axis=1), 1.0, rtol=1e-9)
    assert np.mean(model.predict(NEW.bags) == names[np.digitize(NEW.labels, [-0.5, 0.5])]) > 0.6
    assert classifier.score(NEW.bags, NEW.labels > 0) > 0.85


def test_an_interrupted_fit_leaves_the_model_as_it_was(regressor):
    model = clone(regressor).fit(DATA.bags, DATA.labels)
    before = model.predict(NEW.bags)

    def stop(history):
        if history.evaluations == 2:
            raise KeyboardInterrupt

    model.on_progress = stop
    with pytest.raises(KeyboardInterrupt):
        model.fit(NEW.bags, -NEW.labels)
    np.testing.assert_array_equal(model.predict(NEW.bags), before)


def test_verbose_tells_the_error_after_each_epoch(capsys):
    SingleLocationNetworkRegressor(**QUICK, verbose=1).fit(DATA.bags[:60], DATA.labels[:60])
    assert "epoch 1: error of bags left out" in capsys.readouterr().out


@pytest.mark.parametrize(
    "parameter",
    [
        {"decay": -1.0},
        {"units": 0},
        {"members": "many"},
        {"context": 1},
        {"max_epochs": 1.5},
        {"n_jobs": 0},
        {"verbose": "yes"},
        {"random_state": "seed"},
    ],
)
def test_parameters_that_cannot_be_are_refused_by_name(parameter):
    with pytest.raises(ValueError, match=f"`{next(iter(parameter))}` must be"):
        SingleLocationNetworkRegressor(**parameter).fit(DATA.bags, DATA.labels)


def test_last_bits_of_the_features_change_nothing_but_last_bits():
    noise = 1 + 1e-14 * np.random.default_rng(6).standard_normal(DATA.bags.values.shape)
    moved = DATA.bags.with_values(DATA.bags.values * noise)
    for model in (SingleLocationNetworkRegressor(**QUICK), SingleLocationRegressor(n_starts=4)):
        first = model.fit(DATA.bags, DATA.labels).predict(NEW.bags)
        again = model.fit(moved, DATA.labels).predict(NEW.bags)
        np.testing.assert_allclose(again, first, atol=1e-6)


def member(*trace):
    return Member(None, 1.0, list(trace), np.arange(0), [])


def test_members_that_found_nothing_are_told_from_those_that_did():
    places = [Place(fold, 1.0, fold) for fold in range(3)]
    found = dict(zip(places, [member(1, 0.3), member(1, 0.95), member(2, 0.9)], strict=True))
    assert stuck(found, places, MUCH, HALF) == places[1:2]  # gains of .7, .05 and .55
    assert stuck(found, places, 0.8, HALF) == []
    assert stuck(found, places, MUCH, 0.9) == places[1:]
    assert stuck(found, places, MUCH, 0.9, enough=0.1) == places[1:2]  # a fold may just be hard


def test_a_member_that_stays_stuck_takes_no_part(monkeypatch):
    tried = []

    def fit_all(stock, plan, fold_of, places, n_jobs, watch):
        tried.extend(places)
        again = [place.seed > ensemble.AGAIN for place in places]
        most = ensemble.EPOCHS_AGAIN if any(again) else PLAN.max_epochs
        assert plan.max_epochs == most
        stuck_at = [0.9 if second else 0.95 for second in again]
        return [
            member(1, error if place.fold == 1 else 0.3)
            for place, error in zip(places, stuck_at, strict=True)
        ]

    monkeypatch.setattr(ensemble, "fit_all", fit_all)
    many, few = (
        ensemble.fit_ensemble(None, PLAN, (1.0,), np.arange(900) % 5, 3, groups, 0)
        for groups in (None, np.arange(900) // 10)
    )
    assert many.folds == [0, 2] and few.folds == [0, 1, 2]  # few bags do not judge who may stay
    assert [place.seed for place in tried if place.fold == 1] == [1, 10_001, 1, 10_001]
    assert min(few.members[1].trace) == 0.9  # of both tries the better one


@pytest.mark.parametrize("better", DECAYS_OF_FEW)
def test_no_fit_of_the_trial_of_decays_is_in_vain(monkeypatch, better):
    """Both decays at two folds, the better one at the others; each fold is left out twice."""
    fitted = []

    def fit_all(stock, plan, fold_of, places, n_jobs, watch):
        fitted.extend(places)
        return [member(1, 0.3 if place.decay == better else 0.4) for place in places]

    def errors(member, stock, loss):
        return min(member.trace) + 0.01 * np.arange(40)

    monkeypatch.setattr(ensemble, "fit_all", fit_all)
    monkeypatch.setattr(ensemble, "judged_errors", errors)
    found = ensemble.fit_ensemble(None, PLAN, DECAYS_OF_FEW, np.arange(200) % 5, 10, None, 0)
    assert found.decay == better and len(found.members) == len(fitted) == len({*fitted}) == 10
    assert np.bincount(found.folds).tolist() == [2] * 5
    assert sum(place.decay != better for place in fitted) == 2


@pytest.mark.parametrize("folds", [2, 5])
@pytest.mark.parametrize("count", [1, 2, 4, 5, 7, 10, 11])
def test_folds_are_left_out_evenly_whatever_was_tried(monkeypatch, folds, count):
    def fit_all(stock, plan, fold_of, places, n_jobs, watch):
        return [member(1, 0.3) for _ in places]

    monkeypatch.setattr(ensemble, "fit_all", fit_all)
    monkeypatch.setattr(ensemble, "judged_errors", lambda *_: np.arange(40.0))
    found = ensemble.fit_ensemble(None, PLAN, DECAYS_OF_FEW, np.arange(200) % folds, count, None, 0)
    times = np.bincount(found.folds, minlength=folds)
    assert len(found.members) == count and times.max() - times.min() <= 1


def test_who_stays_on_the_plateau_is_waited_for_but_not_who_learns_by_heart():
    def done(trace, since):
        learner = Learner.__new__(Learner)
        learner.trace, learner.since = trace, since
        return learner.done

    for trace, patience in (
        ([1.0, 0.95, 1.05], LONG_PATIENCE),  # a key may still be found
        ([1.0, 0.95, 1.2], PATIENCE),
        ([1.0, 0.5, 0.6], PATIENCE),
    ):
        assert done(trace, patience) and not done(trace, patience - 1)
