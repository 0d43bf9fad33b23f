"""Moments find value and key without knowing the location, and mean-pool ridge knows its
leave-one-out error."""

import numpy as np
from sklearn.linear_model import Ridge

from soloc.datasets import single_location_law
from soloc.estimators.coefficients import bag_means
from soloc.estimators.instances import Instances, centre_and_scale
from soloc.estimators.mean_pool import fit_mean_pool
from soloc.estimators.starts import start_directions


def test_the_moment_start_finds_the_key_whatever_the_background_mean():
    law = single_location_law(10, 3.0, background=5.0, random_state=0)
    data = law.sample(8000, 6, random_state=0)
    instances = Instances(data.bags, *centre_and_scale(data.bags, True))
    labels = data.labels - data.labels.mean()
    slope = fit_mean_pool(bag_means(instances), labels, True).coef
    first = next(start_directions(instances, labels, slope, 1, np.random.default_rng(0)))
    key, value = law.key * instances.scale, law.value * instances.scale
    assert abs(first @ key) / np.linalg.norm(first) / np.linalg.norm(key) > 0.95
    assert slope @ value / np.linalg.norm(slope) / np.linalg.norm(value) > 0.95
    assert np.std(instances.scores(first)) - 1 < 1e-6


def test_as_many_starts_come_as_are_asked_for():
    data = single_location_law(4).sample(50, 3)
    instances = Instances(data.bags, *centre_and_scale(data.bags, True))
    for count in (1, 2, 5):
        found = start_directions(
            instances, data.labels, np.ones(4), count, np.random.default_rng(0)
        )
        assert len(list(found)) == count


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
