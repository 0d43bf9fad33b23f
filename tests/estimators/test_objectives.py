"""Objectives against plain formulas written bag by bag, gradients against differences."""

import numpy as np
import pytest
from scipy.special import log_softmax, logsumexp, softmax
from scipy.stats import norm
from sklearn.linear_model import Ridge

from soloc.datasets import make_single_location
from soloc.estimators.bags import Bags
from soloc.estimators.coefficients import bag_means
from soloc.estimators.instances import Instances, centre_and_scale
from soloc.estimators.objectives.catalogue import CLASSES, NUMBERS
from soloc.estimators.objectives.data import Data
from soloc.estimators.objectives.squared import gauss_newton
from soloc.estimators.ridge import ridge

ALPHA, KEY_SHARE = 3.0, 0.7
PRIOR = np.linspace(-1, 1, 5)


WEIGHTS = np.random.default_rng(0).random(40)


def given_data(context, dtype=np.float64, classes=0, weights=WEIGHTS):
    drawn = make_single_location(40, width=5, lengths=(2, 6), random_state=3)
    bags = Bags(drawn.bags.values.astype(dtype), drawn.bags.offsets)
    instances = Instances(bags, *centre_and_scale(bags, True))
    means = bag_means(instances) if context else None
    y = drawn.labels - drawn.labels.mean()
    if classes:
        y = np.eye(classes)[np.arange(40) % classes]
    return Data(instances, y, means, True, weights, ALPHA, KEY_SHARE, PRIOR)


def standard_bags(instances):
    return [(bag - instances.centre) / instances.scale for bag in instances.bags]


@pytest.mark.parametrize("context", [False, True])
def test_the_projected_squared_loss_is_the_ridge_objective_of_the_pooled_tokens(context):
    given = given_data(context)
    key = np.random.default_rng(1).standard_normal(5)
    pooled = np.array([softmax(z @ key) @ z for z in standard_bags(given.instances)])
    features = np.hstack([pooled, given.context]) if context else pooled
    model = Ridge(alpha=ALPHA).fit(features, given.y, sample_weight=WEIGHTS)
    error = WEIGHTS @ (given.y - model.predict(features)) ** 2
    expected = (
        error + ALPHA * (model.coef_ @ model.coef_ + KEY_SHARE * (key - PRIOR) @ (key - PRIOR))
    ) / WEIGHTS.sum()
    objective = NUMBERS["squared"](given)
    assert objective(key)[0] == pytest.approx(expected, rel=1e-8)
    assert objective.value(key) == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("context", [False, True])
def test_the_likelihood_is_that_of_the_mixture_over_locations(context):
    given = given_data(context)
    objective = NUMBERS["likelihood"](given)
    point = 0.4 * np.random.default_rng(2).standard_normal((3 if context else 2) * 5 + 2)
    found = objective.coefficients(point)
    total = 0.0
    for i, z in enumerate(standard_bags(given.instances)):
        middle = (
            z @ found.value
            + found.intercept
            + (given.context[i] @ found.context if context else 0.0)
        )
        total += WEIGHTS[i] * logsumexp(
            log_softmax(z @ found.key) + norm.logpdf(given.y[i], middle, found.noise)
        )
    linear = point[5:-2]
    penalty = (
        0.5
        * ALPHA
        * (linear @ linear / found.noise**2 + KEY_SHARE * (found.key - PRIOR) @ (found.key - PRIOR))
    )
    assert objective(point)[0] == pytest.approx((penalty - total) / WEIGHTS.sum(), rel=1e-10)
    np.testing.assert_allclose(objective.point(found), point, rtol=1e-6)


@pytest.mark.parametrize("loss", ["likelihood", "cross_entropy"])
def test_the_class_losses_are_cross_entropies_of_their_probabilities(loss):
    given = given_data(True, classes=3)
    objective = CLASSES[loss](given)
    point = 0.4 * np.random.default_rng(4).standard_normal(5 + 15 + 15 + 3)
    found = objective.coefficients(point)
    predicted = CLASSES[loss].predict(given.read(found), given.instances)
    total = 0.0
    for i, z in enumerate(standard_bags(given.instances)):
        offset, weight = found.intercept + given.context[i] @ found.context, softmax(z @ found.key)
        if loss == "likelihood":
            probability = weight @ softmax(z @ found.value + offset, axis=1)
        else:
            probability = softmax(weight @ z @ found.value + offset)
        np.testing.assert_allclose(predicted[i], probability, rtol=1e-10)
        total += WEIGHTS[i] * np.log(probability[i % 3])
    penalty = (
        0.5
        * ALPHA
        * (np.sum(point[5:-3] ** 2) + KEY_SHARE * (point[:5] - PRIOR) @ (point[:5] - PRIOR))
    )
    assert objective(point)[0] == pytest.approx((penalty - total) / WEIGHTS.sum(), rel=1e-10)


@pytest.mark.parametrize(("dtype", "to"), [(np.float64, 2e-6), (np.float32, 1e-4)])
@pytest.mark.parametrize("sharp", [1.0, 8.0, 40.0])
@pytest.mark.parametrize("long", [1.0, 30.0])
def test_instances_that_are_passed_over_change_neither_the_likelihood_nor_its_slope(
    sharp, long, dtype, to
):
    given = given_data(True, dtype, classes=3)._replace(alpha=0.0)
    objective = CLASSES["likelihood"](given)
    rng = np.random.default_rng(11)
    point = rng.standard_normal(5 + 15 + 15 + 3) * np.repeat([sharp, long], [5, 33])
    direction, (key, rest) = rng.standard_normal(38), np.split(np.arange(38), [5])

    def plain(point):
        value, context = point[5:20].reshape(5, 3), point[20:35].reshape(5, 3)
        total = 0.0
        for i, z in enumerate(standard_bags(given.instances)):
            logits = z @ value + given.context[i] @ context + point[35:]
            joint = log_softmax(z @ point[:5]) + log_softmax(logits, axis=1)[:, i % 3]
            total -= WEIGHTS[i] * logsumexp(joint)
        return total / WEIGHTS.sum()

    value, gradient = objective(point)
    assert value == pytest.approx(plain(point), rel=to)
    for part in (key, rest):
        along = np.zeros(38)
        along[part] = direction[part]
        slope = (plain(point + 1e-5 * along) - plain(point - 1e-5 * along)) / 2e-5
        assert gradient @ along == pytest.approx(slope, rel=10 * to, abs=10 * to)


@pytest.mark.parametrize("context", [False, True])
@pytest.mark.parametrize(
    ("kind", "loss"), [(0, "squared"), (0, "likelihood"), (3, "cross_entropy"), (3, "likelihood")]
)
def test_gradients_are_those_of_finite_differences(kind, loss, context):
    given = given_data(context, classes=kind)
    objective = (CLASSES if kind else NUMBERS)[loss](given)
    rng = np.random.default_rng(5)
    if kind:
        size = 5 + 15 * (1 + context) + 3
    else:
        size = 5 if loss == "squared" else 5 * (2 + context) + 2
    point, step = 0.3 * rng.standard_normal(size), 1e-5
    for _ in range(3):
        direction = rng.standard_normal(size)
        slope = (
            objective(point + step * direction)[0] - objective(point - step * direction)[0]
        ) / (2 * step)
        assert objective(point)[1] @ direction == pytest.approx(slope, rel=1e-5, abs=1e-8)


@pytest.mark.parametrize(
    ("kind", "loss"), [(0, "squared"), (0, "likelihood"), (3, "cross_entropy"), (3, "likelihood")]
)
def test_the_metric_is_positive(kind, loss):
    given = given_data(True, classes=kind, weights=np.ones(40))
    objective = (CLASSES if kind else NUMBERS)[loss](given)
    size = (5 + 30 + 3) if kind else (5 if loss == "squared" else 17)
    inverse = objective.metric(0.3 * np.random.default_rng(6).standard_normal(size))
    for vector in np.random.default_rng(7).standard_normal((5, size)):
        assert vector @ inverse(vector) > 0


@pytest.mark.parametrize("outputs", [1, 2])
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_the_metric_of_few_bags_is_that_of_many(outputs, fit_intercept):
    drawn = make_single_location(8, width=20, lengths=(2, 6), random_state=3)
    instances = Instances(drawn.bags, *centre_and_scale(drawn.bags, True))
    y = drawn.labels if outputs == 1 else np.stack([drawn.labels, drawn.labels**2], axis=1)
    given = Data(instances, y, None, fit_intercept, WEIGHTS[:8], ALPHA, KEY_SHARE)
    objective = NUMBERS["squared"](given)
    key, vector = np.random.default_rng(10).standard_normal((2, 20))
    attention, pooled = objective.pooled(key)
    sums = objective.products(attention, pooled, objective.inner(pooled))
    np.testing.assert_allclose(
        objective.metric(key)(vector), gauss_newton(given, sums)(vector), rtol=1e-6
    )


@pytest.mark.parametrize("loss", ["squared", "likelihood"])
def test_single_precision_gives_the_same_objective_to_single_precision(loss):
    point = 0.3 * np.random.default_rng(8).standard_normal(5 if loss == "squared" else 12)
    double = NUMBERS[loss](given_data(False))(point)
    single = NUMBERS[loss](given_data(False, np.float32))(point)
    assert single[0] == pytest.approx(double[0], rel=1e-5)
    np.testing.assert_allclose(single[1], double[1], rtol=1e-3, atol=1e-5)


def test_a_bag_of_weight_zero_is_a_bag_left_out():
    weights = np.concatenate([np.ones(30), np.zeros(10)])
    given = given_data(False, weights=weights)
    key = np.random.default_rng(9).standard_normal(5)
    whole = NUMBERS["squared"](given)(key)[0]
    part = NUMBERS["squared"](given.part(np.arange(30)))(key)[0]
    assert part == pytest.approx(whole, rel=1e-5)


def test_ridge_in_the_dual_equals_ridge_in_the_primal():
    rng = np.random.default_rng(10)
    wide, y, weights = rng.standard_normal((8, 20)), rng.standard_normal(8), rng.random(8)
    expected = Ridge(alpha=ALPHA).fit(wide, y, sample_weight=weights)
    found = ridge(wide, y, weights, ALPHA, True)
    np.testing.assert_allclose(found.coef, expected.coef_, rtol=1e-6)
    assert float(found.intercept) == pytest.approx(expected.intercept_, rel=1e-6)
