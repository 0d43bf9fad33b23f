"""Wilson's interval solves its own equation and stays inside [0, 1]."""

import math

import pytest

from soloc.maths.proportions import wilson_interval


@pytest.mark.parametrize("successes, trials", [(0, 10), (10, 10), (1, 30), (959, 1000)])
def test_the_ends_are_the_probabilities_that_the_data_just_fail_to_reject(successes, trials):
    low, high = wilson_interval(successes, trials)
    assert 0.0 <= low <= successes / trials <= high <= 1.0
    for p in (low, high):
        if 0.0 < p < 1.0:
            z = abs(successes / trials - p) / math.sqrt(p * (1.0 - p) / trials)
            assert math.isclose(z, 1.959964, rel_tol=1e-9)
