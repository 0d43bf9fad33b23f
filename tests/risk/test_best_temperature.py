"""The best temperature is the global minimum, for many settings at once."""

import numpy as np
import pytest

from soloc.risk.best_temperature import best_of_one, best_temperature


def test_the_minimum_of_every_column_is_found():
    target = np.array([0.003, 0.7, 25.0])
    best = best_temperature(lambda lam: np.log(lam / target) ** 2 + target, 1e-3, 1e2)
    np.testing.assert_allclose(best.lam, target, rtol=1e-5)
    np.testing.assert_allclose(best.value, target, rtol=1e-9)


def test_the_lower_of_two_minima_is_taken():
    def two_wells(lam):
        x = np.log(lam)
        return np.minimum((x + 3.0) ** 2 + 0.1, 4.0 * (x - 2.0) ** 2)

    assert np.isclose(best_temperature(two_wells, 1e-3, 1e2).lam[0], np.exp(2.0), rtol=1e-5)


def test_a_minimum_at_the_edge_stays_inside():
    assert best_temperature(lambda lam: lam, 0.5, 2.0).lam[0] == pytest.approx(0.5)


@pytest.mark.parametrize("low, high", [(0.0, 1.0), (2.0, 1.0), (-1.0, 1.0)])
def test_an_impossible_range_is_refused(low, high):
    with pytest.raises(ValueError, match="`low` and `high`"):
        best_temperature(lambda lam: lam, low, high)


def test_few_evaluations_find_the_same_minimum():
    calls = []

    def value(lam):
        calls.append(lam.size)
        return np.log(lam / 0.37) ** 2 + 0.1 * np.cos(3.0 * np.log(lam / 0.37))

    few = best_of_one(value, 1e-3, 1e2, points=13)
    assert sum(calls) <= 29
    many = best_temperature(value, 1e-3, 1e2)
    assert few.value == pytest.approx(many.value[0], abs=1e-7)
    assert np.log(few.lam) == pytest.approx(np.log(many.lam[0]), abs=1e-3)
