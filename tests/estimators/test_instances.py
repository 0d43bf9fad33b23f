"""Sums over instances."""

import math

import numpy as np
import pytest

from soloc.estimators.instances import sums_of_columns


@pytest.mark.parametrize("shape", [(5000,), (5000, 1), (5000, 2), (5000, 7)])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_sums_of_columns_are_those_of_double_precision(shape, kind):
    x = (1e6 + np.random.default_rng(0).standard_normal(shape)).astype(kind)
    expected = np.array([math.fsum(column) for column in x.reshape(len(x), -1).T])
    found = sums_of_columns(x)
    assert found.dtype == np.float64 and found.shape == shape[1:]
    np.testing.assert_allclose(np.atleast_1d(found), expected, rtol=1e-13)
