"""A single risk is computed at once; only who asks often waits for a compiler, once."""

import subprocess
import sys

import pytest

from soloc import Erf, Overlaps, SingleLocation, excess_risk
from soloc.risk import single_location

ASK = """
import jax
from soloc import Erf, Overlaps, SingleLocation, excess_risk
compiled = []
jax.monitoring.register_event_duration_secs_listener(lambda name, *_, **more: compiled.append(name))
excess_risk(SingleLocation(400, 10), Erf(0.1), Overlaps(1.0, 1.0))
print(len(compiled))
"""


def test_one_risk_needs_no_compiler():
    found = subprocess.run([sys.executable, "-c", ASK], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "0"


@pytest.mark.parametrize("overlaps", [Overlaps(1.0, 1.0), Overlaps(0.3, -0.2, 0.1, 0.4)])
def test_who_asks_often_gets_the_same_number(overlaps, monkeypatch):
    task, weight = SingleLocation(400, 10, eps=0.1), Erf(0.3)
    found = []
    for often in (10**9, 0):
        monkeypatch.setattr(single_location, "_OFTEN", often)
        found.append(float(excess_risk(task, weight, overlaps)))
    assert found[1] == pytest.approx(found[0], rel=1e-13)
