"""Quantiles invert the mixture, and leverages say what refitting without a bag would."""

import numpy as np
import pytest

from soloc.datasets import make_single_location
from soloc.estimators import SingleLocationRegressor
from soloc.estimators.calibration import conformal_level, leverages, mixture_cdf, mixture_quantile
from soloc.estimators.coefficients import Coefficients, read
from soloc.estimators.instances import Instances, centre_and_scale
from soloc.estimators.objectives.data import Data

DATA = make_single_location(150, width=4, lengths=(1, 5), signal=3.0, random_state=0)
INSTANCES = Instances(DATA.bags, *centre_and_scale(DATA.bags, True))
FOUND = Coefficients(
    np.array([1.0, -2.0, 0.5, 0.0]), np.array([0.3, 1.0, -1.0, 2.0]), None, 0.4, 0.7
)


@pytest.mark.parametrize("level", [0.01, 0.5, 0.95])
def test_quantiles_invert_the_distribution_function(level):
    reading = read(FOUND, INSTANCES, None)
    ends = mixture_quantile(level, reading, INSTANCES, FOUND.noise)
    np.testing.assert_allclose(mixture_cdf(ends, reading, INSTANCES, FOUND.noise), level, atol=1e-6)


def test_the_distribution_function_is_that_of_draws_from_the_mixture():
    rng = np.random.default_rng(1)
    reading = read(FOUND, INSTANCES, None)
    bag = int(np.argmax(INSTANCES.lengths))
    rows = slice(*DATA.bags.offsets[bag : bag + 2])
    which = rng.choice(INSTANCES.lengths[bag], size=40_000, p=reading.attention[rows])
    draws = (
        reading.values[rows][which]
        + reading.offset[bag]
        + FOUND.noise * rng.standard_normal(40_000)
    )
    at = np.full(len(INSTANCES.lengths), 0.5)
    expected = mixture_cdf(at, reading, INSTANCES, FOUND.noise)[bag]
    z = (np.mean(draws <= 0.5) - expected) / np.sqrt(expected * (1 - expected) / 40_000)
    assert abs(z) < 4


def test_leverages_predict_what_leaving_a_bag_out_does():
    model = SingleLocationRegressor(loss="squared", alpha=5.0, tol=1e-9).fit(DATA.bags, DATA.labels)
    labels = (DATA.labels - DATA.labels.mean()) / DATA.labels.std()
    h = leverages(Data(INSTANCES, labels, None, True, np.ones(150), 5.0), model.coefficients_)
    assert 4 < h.sum() < 10  # between the number of values and of all parameters
    exact, quick = [], []
    for i in range(0, 150, 6):
        keep = np.arange(150) != i
        other = SingleLocationRegressor(loss="squared", alpha=5.0, tol=1e-9, n_starts=1).fit(
            DATA.bags[keep], DATA.labels[keep]
        )
        exact.append(DATA.labels[i] - other.predict(DATA.bags[i])[0])
        quick.append((DATA.labels[i] - model.predict(DATA.bags[i])[0]) / (1 - h[i]))
    assert np.corrcoef(exact, quick)[0, 1] > 0.99
    assert np.mean(np.square(quick)) == pytest.approx(np.mean(np.square(exact)), rel=0.1)


def test_the_conformal_level_leaves_the_promised_share_above():
    scores = np.sort(np.random.default_rng(2).random(999))
    assert conformal_level(scores, 0.9, 999) == scores[899]
    assert conformal_level(scores[:3], 0.99, 3) == scores[2]


def test_bags_that_share_their_error_count_as_one_for_the_conformal_level():
    """A new group of bags lies anywhere among the nineteen others."""
    rng, inside = np.random.default_rng(5), []
    for _ in range(4000):
        of_groups = rng.random(20)
        level = conformal_level(np.sort(np.repeat(of_groups[1:], 30)), 0.9, 19)
        inside.append(of_groups[0] <= level)
    error = np.sqrt(0.9 * 0.1 / len(inside))
    assert abs(np.mean(inside) - 0.9) < 3 * error
