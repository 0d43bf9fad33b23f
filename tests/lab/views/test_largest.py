"""Which attention where the largest score decides?: the numbers are the library's."""

import numpy as np
import pytest

from soloc import MaxLocation, Overlaps, Softmax, excess_risk
from soloc.lab.views.largest import LargestAsk, largest_panel
from soloc.risk.best_weight import largest_at_best
from soloc.weights import Erf, Sigmoid

TRUTH = Overlaps(1.0, 1.0)


def test_softmax_is_bayes_and_first_and_its_lines_give_the_same():
    panel = largest_panel(LargestAsk())
    assert panel.table["weight"][0] == "softmax" and panel.table["lam"][0] == 5.0
    bayes = float(excess_risk(MaxLocation(L=10, beta=5.0), Softmax(5.0), TRUTH))
    assert panel.numbers["Bayes"] == pytest.approx(bayes, rel=1e-12)
    assert panel.numbers["linear regression"] == pytest.approx(0.9)
    made: dict = {}
    exec(panel.python, made)
    np.testing.assert_allclose(panel.table["excess"], made["excess"], rtol=1e-9)


@pytest.mark.parametrize(("label", "kind"), [("erf", Erf), ("sigmoid, shift log L", Sigmoid)])
def test_no_temperature_beside_the_best_is_better(label, kind):
    best = largest_at_best(label, 10, 5.0)
    task = MaxLocation(L=10, beta=5.0)
    assert isinstance(best.attention, kind)
    for factor in (0.3, 0.9, 1.1, 3.0):
        beside = best.attention.with_lam(factor * best.lam)
        assert float(excess_risk(task, beside, TRUTH)) > best.excess


def test_what_has_no_exact_risk_there_is_left_out():
    assert largest_at_best("sparsemax", 10, 5.0) is None
    assert "sparsemax" not in largest_panel(LargestAsk()).table["weight"]


def test_one_token_leaves_nothing_to_guess(client):
    answer = client.post("/api/largest", json={"setting": {"L": 1}}).json()
    assert answer["numbers"]["Bayes"] == pytest.approx(0.0, abs=1e-12)
