"""Squares of softmax shares: check values, limits, and the integral of `risk`."""

import math

import pytest

from soloc.maths.squared_shares import squared_shares
from soloc.risk.largest_score import squared_softmax


@pytest.mark.parametrize(
    "beta, L, value",
    [(1.0, 2, 0.636838153968), (10.0, 2, 0.944037255840), (3.0, 10, 0.540019380274),
     (10.0, 10, 0.847511208424), (10.0, 1000, 0.679482611)],
)  # fmt: skip
def test_check_values(beta, L, value):
    assert squared_shares(beta, L) == pytest.approx(value, abs=5e-10)
    assert squared_shares(beta, L) == pytest.approx(squared_softmax(beta, L), abs=1e-11)


def test_limits():
    assert squared_shares(0.0, 7) == 1 / 7 and squared_shares(3.0, 1) == 1.0
    assert squared_shares(math.inf, 7) == 1.0
    assert squared_shares(1e-4, 7) == pytest.approx(1 / 7, abs=1e-7)
