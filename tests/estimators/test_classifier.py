"""The classifier: binary and multiclass, against the class of the Bayes prediction."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator
from tests.weight_checks import BY_HELD_OUT_BAGS

from soloc.datasets import single_location_law
from soloc.estimators import SingleLocationClassifier

LAW = single_location_law(10, 4.0, random_state=2)
TRAIN, TEST = LAW.sample(900, (3, 8), random_state=2), LAW.sample(3000, (3, 8), random_state=3)


def quantile_classes(labels, count):
    edges = np.quantile(TRAIN.labels, np.linspace(0, 1, count + 1)[1:-1])
    return np.digitize(labels, edges)


@pytest.mark.slow
def test_scikit_learn_finds_nothing_to_object_to():
    check_estimator(
        SingleLocationClassifier(),
        on_skip=None,
        expected_failed_checks=BY_HELD_OUT_BAGS,
        on_fail="raise",
    )


@pytest.mark.parametrize("loss", ["likelihood", "cross_entropy", "auto"])
@pytest.mark.parametrize("count", [2, 3])
def test_it_classifies_and_points_nearly_as_well_as_the_bayes_rule(loss, count):
    model = SingleLocationClassifier(loss=loss, alpha=3.0).fit(
        TRAIN.bags, quantile_classes(TRAIN.labels, count)
    )
    prediction, where = LAW.bayes(TEST.bags)
    truth = quantile_classes(TEST.labels, count)
    bayes = np.mean(quantile_classes(prediction, count) == truth)
    assert model.score(TEST.bags, truth) > bayes - 0.04
    assert (
        np.mean(model.locate(TEST.bags) == TEST.locations) > np.mean(where == TEST.locations) - 0.03
    )
    assert (
        model.diagnostics_.held_out
        > model.diagnostics_.mean_pool
        > model.diagnostics_.chance - 0.05
    )


def test_probabilities_sum_to_one_and_are_calibrated():
    model = SingleLocationClassifier(loss="likelihood").fit(TRAIN.bags, TRAIN.labels > 0)
    probability = model.predict_proba(TEST.bags)
    np.testing.assert_allclose(probability.sum(axis=1), 1.0)
    truth = TEST.labels > 0
    for low, high in ((0.0, 0.2), (0.2, 0.8), (0.8, 1.01)):
        chosen = (probability[:, 1] >= low) & (probability[:, 1] < high)
        stated, kept = probability[chosen, 1].mean(), truth[chosen].mean()
        assert abs(stated - kept) < 0.05 + 3 * np.sqrt(0.25 / chosen.sum())


def test_bags_of_one_are_logistic_regression_on_standardised_features():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((300, 4)) * [1, 5, 0.2, 1]
    y = x @ [1.0, 0.2, 2.0, 0.0] + rng.logistic(size=300) > 0
    # two symmetric columns of logits with penalty alpha each are one column with penalty alpha / 2
    reference = LogisticRegression(C=2 / 3.0, tol=1e-10).fit(StandardScaler().fit_transform(x), y)
    model = SingleLocationClassifier(loss="cross_entropy", alpha=3.0, tol=1e-9).fit(x, y)
    expected = reference.predict_proba(StandardScaler().fit_transform(x))
    np.testing.assert_allclose(model.predict_proba(x), expected, atol=2e-3)


def test_strings_are_classes_too():
    names = np.where(TRAIN.labels > 0, "up", "down")
    model = SingleLocationClassifier(alpha=3.0).fit(TRAIN.bags, names)
    assert model.classes_.tolist() == ["down", "up"]
    assert np.mean(model.predict(TRAIN.bags) == names) > 0.85


def test_one_class_and_continuous_labels_are_refused():
    with pytest.raises(ValueError, match="`y` must hold at least two classes"):
        SingleLocationClassifier().fit(TRAIN.bags, np.ones(900))
    with pytest.raises(ValueError, match="`y` must hold classes of one kind"):
        SingleLocationClassifier().fit(TRAIN.bags, TRAIN.labels)
