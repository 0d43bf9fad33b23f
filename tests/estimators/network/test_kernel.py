"""The context of few bags: a kernel regression, its share, and its file."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from scipy.special import expit
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss

from soloc.datasets import make_single_location
from soloc.estimators import (
    Bags,
    SingleLocationNetworkClassifier,
    SingleLocationNetworkRegressor,
    load,
)
from soloc.estimators.instances import Instances
from soloc.estimators.network.context import mixed, share_asked
from soloc.estimators.network.kernel import fit_kernels, sums_of_bags

QUICK = {"decay": 1.5, "members": 5, "max_epochs": 12}


def spread_decides(n, seed):
    """The deviation of the bag's first feature decides: no instance does, nor does the mean."""
    rng = np.random.default_rng(seed)
    size = rng.uniform(0.3, 2.0, n)
    x = rng.standard_normal((n, 12, 4))
    x[:, :, 0] *= size[:, None]
    return Bags(x.reshape(-1, 4), np.arange(n + 1) * 12), size + 0.1 * rng.standard_normal(n)


def test_pieces_of_bags_say_what_all_of_them_say(monkeypatch):
    bags, y = spread_decides(60, 0)
    instances = Instances(bags, np.full(4, 0.5), np.full(4, 2.0))
    whole = sums_of_bags(instances)
    expected = (bags.values.reshape(60, 12, 4) - 0.5) / 2.0
    np.testing.assert_allclose(whole[:, :4], expected.mean(axis=1), atol=1e-12)
    np.testing.assert_allclose(whole[:, 8:12], expected.min(axis=1), atol=1e-12)
    assert (whole[:, -1] == 12).all() and whole.shape == (60, 17)
    [kernel] = fit_kernels(whole, y[:, None], np.ones(60), (0.1,), False)
    said = kernel.said(whole, False)
    monkeypatch.setattr("soloc.estimators.network.kernel.BLOCK", 30)
    monkeypatch.setattr("soloc.estimators.network.kernel.ROWS", 7)
    np.testing.assert_array_equal(sums_of_bags(instances), whole)
    np.testing.assert_allclose(kernel.said(whole, False), said, rtol=1e-10)


def test_many_classes_have_no_kernel():
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((80, 3, 2)), np.arange(80) % 20
    model = SingleLocationNetworkClassifier(decay=1.5, members=2, max_epochs=2)
    assert model.fit(x + y[:, None, None], y).kernel_ is None  # 20 systems for each penalty, fold
    few = model.fit(x + (y % 4)[:, None, None], y % 4)
    assert few.kernel_ is not None


def standard(x, weights):
    share = weights / weights.sum()
    return (x - share @ x) / np.sqrt(share @ (x - share @ x) ** 2)


def likeness(these, those):
    return 1 / (1 + 3 * cdist(these, those, "sqeuclidean") / these.shape[1])


@pytest.mark.parametrize("outputs", [1, 3])
def test_numbers_are_those_of_the_kernel_ridge_of_scikit_learn(outputs):
    rng = np.random.default_rng(outputs)
    x, y = rng.standard_normal((60, 5)) * [1, 2, 3, 4, 5] + 7, rng.standard_normal((60, outputs))
    weights = rng.uniform(0.5, 2.0, 60)
    z, middle = standard(x, weights), weights @ y / weights.sum()
    model = KernelRidge(alpha=0.3, kernel="precomputed")
    model.fit(likeness(z, z), y - middle, sample_weight=weights)
    [found] = fit_kernels(x, y, weights, (0.3,), False)
    expected = model.predict(likeness(z, z)).reshape(60, -1) + middle
    np.testing.assert_allclose(found.said(x, False), expected, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("penalty", [1.0, 0.01])
def test_classes_are_those_of_logistic_regression_on_a_root_of_the_kernel(classes, penalty):
    rng = np.random.default_rng(classes)
    x, weights = rng.standard_normal((60, 5)), rng.uniform(0.5, 2.0, 60)
    codes = np.digitize(x[:, 0] + rng.standard_normal(60), [0.0, 0.7][: classes - 1])
    y = np.eye(classes)[codes]
    z = standard(x, weights)
    root = np.linalg.cholesky(likeness(z, z) + 1e-12 * np.eye(60))
    said = []
    for own in range(classes):
        model = LogisticRegression(C=1 / penalty, tol=1e-10, max_iter=100_000)
        model.fit(root, codes == own, weights)
        said.append(model.predict_proba(root)[:, 1])
    expected = np.transpose(said) / np.sum(said, axis=0)[:, None]
    *_, found = fit_kernels(x, y, weights, (3.0, penalty), True)
    np.testing.assert_allclose(found.said(x, True), expected, atol=2e-3)


@pytest.mark.parametrize("classes", [False, True])
def test_a_weight_of_two_is_the_same_bag_twice(classes):
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((30, 4)), rng.standard_normal((30, 1))
    if classes:
        y = np.hstack([y > 0, y <= 0]).astype(float)
    twice = np.concatenate([np.arange(30), np.arange(10)])
    weights = np.where(np.arange(30) < 10, 2.0, 1.0)
    [one] = fit_kernels(x, y, weights, (0.1,), classes)
    [other] = fit_kernels(x[twice], y[twice], np.ones(40), (0.1,), classes)
    new = rng.standard_normal((20, 4))
    np.testing.assert_allclose(one.said(new, classes), other.said(new, classes), rtol=1e-9)


@pytest.mark.parametrize("classes", [2, 4])
def test_classes_are_mixed_by_logits(classes):
    rng = np.random.default_rng(3)
    these, those = rng.dirichlet(np.ones(classes), (2, 30))
    found = mixed(these, those, 0.3, True)
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    odds = [np.log(each[:, 1] / each[:, 0]) for each in (these, those, found)]
    np.testing.assert_allclose(odds[2], 0.7 * odds[0] + 0.3 * odds[1])


def test_the_share_of_classes_is_that_of_the_least_log_loss():
    """Two halves of the evidence, each a logit: the sum of both is twice their mean."""
    rng = np.random.default_rng(4)
    evidence = rng.standard_normal((20_000, 2)) * [1.0, 2.0]
    whole = evidence.mean(axis=1)
    y = np.eye(2)[(rng.random(len(whole)) < expit(whole)).astype(int)]
    these, those = (np.column_stack([expit(-each), expit(each)]) for each in evidence.T)
    found = share_asked(y, these, those, np.ones(len(y)), 0.0, True)
    assert found == pytest.approx(0.5, abs=0.05)


def test_a_statistic_that_never_changes_says_nothing():
    rng = np.random.default_rng(1)
    x, y = rng.standard_normal((30, 3)), rng.standard_normal((30, 1))
    x[:, 1] = 5.0
    [kernel], new = fit_kernels(x, y, np.ones(30), (0.1,), False), rng.standard_normal((9, 3))
    moved = new + np.array([0.0, 100.0, 0.0])
    np.testing.assert_array_equal(kernel.said(new, False), kernel.said(moved, False))


def scored(model, bags, labels):
    """What the share is chosen by: R^2, or the likelihood of classes."""
    if hasattr(model, "predict_proba"):
        return -log_loss(labels, model.predict_proba(bags))
    return model.score(bags, labels)


def test_it_is_mixed_in_where_the_bag_as_a_whole_decides_and_kept_in_files(tmp_path):
    bags, y = spread_decides(600, 0)
    for kind, labels in (
        (SingleLocationNetworkRegressor, y),
        (SingleLocationNetworkClassifier, y > 1.1),
    ):
        model = kind(**QUICK).fit(bags[:200], labels[:200])
        plain = kind(**QUICK, context=False).fit(bags[:200], labels[:200])
        assert model.kernel_ is not None and model.share_ > 0.3 and plain.kernel_ is None
        assert scored(model, bags[200:], labels[200:]) > scored(plain, bags[200:], labels[200:])
        assert model.diagnostics_.doubts
        model.save(tmp_path / "model.soloc")
        again = load(tmp_path / "model.soloc")
        np.testing.assert_array_equal(again.predict(bags), model.predict(bags))


def test_one_instance_that_decides_is_left_to_the_network():
    data = make_single_location(250, width=8, lengths=(2, 6), signal=6.0, random_state=1)
    model = SingleLocationNetworkRegressor(**QUICK).fit(data.bags, data.labels)
    assert model.share_ < 0.3 and not model.diagnostics_.doubts


@pytest.mark.parametrize("kind", [SingleLocationNetworkRegressor, SingleLocationNetworkClassifier])
def test_the_scale_of_weights_changes_no_kernel(kind):
    bags, y = spread_decides(120, 0)
    labels = y > 1.1 if kind is SingleLocationNetworkClassifier else y
    found = [
        kind(**QUICK).fit(bags, labels, sample_weight=np.full(120, scale)).predict(bags)
        for scale in (1.0, 1 / 120, 1e9)
    ]
    for other in found[1:]:
        np.testing.assert_allclose(other.astype(float), found[0].astype(float), rtol=1e-6)


def test_the_explained_class_is_the_predicted_one_and_contributions_add_up_to_its_logit():
    """The kernel decides here, not the members."""
    bags, y = spread_decides(400, 0)
    model = SingleLocationNetworkClassifier(**QUICK).fit(bags[:200], y[:200] > 1.1)
    assert model.share_ > 0.3 and model.shrink_ == 0
    new = bags[200:220]
    predicted, probability = model.predict(new), model.predict_proba(new)
    for bag in range(20):
        with pytest.warns(UserWarning, match="do not trust"):
            told = model.explain(new, bag=bag)
            logits = [model.explain(new, bag=bag, output=each).total for each in (0, 1)]
        assert f"score of {predicted[bag]}" in str(told) and "kernel" in str(told)
        assert expit(logits[1] - logits[0]) == pytest.approx(probability[bag, 1], rel=1e-6)
