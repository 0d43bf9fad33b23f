"""A law of lengths is drawn as it says, by either engine, and knows which positions it fills."""

import jax
import numpy as np
import pytest
from scipy import stats

from soloc.tasks.lengths import LengthLaw

LAW = LengthLaw((1, 2, 4), (0.2, 0.3, 0.5))


@pytest.mark.parametrize("engine", ["JAX", "NumPy"])
def test_draws_follow_the_law(engine):
    n = 20_000
    if engine == "JAX":
        drawn = np.asarray(LAW.draw(jax.random.key(0), n))
    else:
        drawn = LAW.draw_by_numpy(np.random.default_rng(0), n)
    counts = [np.sum(drawn == value) for value in LAW.values]
    assert sum(counts) == n
    assert stats.chisquare(counts, n * np.array(LAW.probabilities)).pvalue > 1e-4


def test_positions_are_filled_and_hit_with_their_chances():
    present, here = LAW.chances()
    np.testing.assert_allclose(present, [1.0, 0.8, 0.5, 0.5])
    np.testing.assert_allclose(here, [0.2 + 0.15 + 0.125, 0.15 + 0.125, 0.125, 0.125])


def test_another_longest_length_is_refused():
    LAW.check(np.array([4, 4]))
    with pytest.raises(ValueError, match="`L` must be the longest of `lengths`"):
        LAW.check(np.array([4, 5]))
