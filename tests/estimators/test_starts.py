"""Moments find value and key without knowing the location, and mean-pool ridge knows its
leave-one-out error."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from soloc.datasets import single_location_law
from soloc.estimators import starts
from soloc.estimators.coefficients import bag_means
from soloc.estimators.instances import Instances, centre_and_scale
from soloc.estimators.mean_pool import fit_mean_pool
from soloc.estimators.objectives.data import Data
from soloc.estimators.starts import Moments, mean_key


def cosine(a, b):
    return a @ b / np.linalg.norm(a) / np.linalg.norm(b)


def test_the_moment_start_finds_the_key_whatever_the_background_mean():
    law = single_location_law(10, 3.0, background=5.0, random_state=0)
    data = law.sample(8000, 6, random_state=0)
    instances = Instances(data.bags, *centre_and_scale(data.bags, True))
    labels = data.labels - data.labels.mean()
    slope = fit_mean_pool(bag_means(instances), labels, True).coef
    moments = Moments(Data(instances, labels, None, True, np.ones(8000), 1.0))
    key, value = law.key * instances.scale, law.value * instances.scale
    first = moments.basic(slope)[0]
    high, low = moments.pairs(labels, 2)
    assert abs(cosine(first, key)) > 0.95
    assert cosine(slope, value) > 0.95
    # k + v and k - v, whose sum and difference are k and v
    assert max(abs(cosine(high, key)), abs(cosine(low, key))) > 0.95


def test_the_mean_of_all_instances_is_the_key_where_the_background_has_none():
    law = single_location_law(20, 2.0, background=0.0, random_state=1)
    data = law.sample(4000, 3, random_state=1)
    instances = Instances(data.bags, *centre_and_scale(data.bags, True))
    given = Data(instances, data.labels, None, True, np.ones(4000), 1.0)
    key = mean_key(given)
    truth = 2.0 * law.key * instances.scale  # the log-odds of a place are signal key . x
    assert cosine(key, truth) > 0.98 and abs(np.linalg.norm(key) / np.linalg.norm(truth) - 1) < 0.2
    far = Instances(
        data.bags.with_values(data.bags.values + 50.0), instances.centre + 50.0, instances.scale
    )
    assert mean_key(given._replace(instances=far)) is None


def test_left_out_predictions_are_those_of_refitting_without_the_bag():
    rng = np.random.default_rng(1)
    for shape in ((30, 4), (12, 20)):
        means, y = rng.standard_normal(shape), rng.standard_normal(shape[0])
        pooled = fit_mean_pool(means, y, True)
        for i in (0, 5):
            keep = np.arange(shape[0]) != i
            expected = Ridge(alpha=pooled.alpha).fit(means[keep], y[keep]).predict(means[[i]])[0]
            assert abs(pooled.left_out[i] - expected) < 1e-8
        everything = Ridge(alpha=pooled.alpha).fit(means, y)
        np.testing.assert_allclose(
            means @ pooled.coef + pooled.intercept, everything.predict(means), atol=1e-8
        )


@pytest.mark.parametrize("width", [1, 2, 5, 9, 49])
def test_products_in_pieces_are_products(width):
    rng = np.random.default_rng(width)
    z = rng.standard_normal((60_000, width)).astype(np.float32)
    weights = rng.standard_normal((len(z), 1)).astype(np.float32)
    assert len(z) > 2 * starts.BLOCK
    found, exact = starts.weighted_products(z, weights), (z * weights).T @ z.astype(np.float64)
    # rounding in single precision: the last bit is that of the machine's own products
    assert (np.abs(found - exact) <= 1e-5 * (np.abs(z * weights).T @ np.abs(z))).all()
