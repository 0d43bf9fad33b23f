"""A single risk is computed at once, without a compiler, and is the same number at every call."""

import subprocess
import sys

import numpy as np
import pytest

from soloc import Erf, Overlaps, SingleLocation, excess_risk

ASK = """
import jax
from soloc import Erf, Overlaps, SingleLocation, excess_risk
compiled = []
jax.monitoring.register_event_duration_secs_listener(lambda name, *_, **more: compiled.append(name))
found = {excess_risk(SingleLocation(400, 10), Erf(0.1), Overlaps(1.0, 1.0)) for _ in range(300)}
print(len(compiled), len(found))
"""


def test_single_risks_need_no_compiler_and_are_equal_to_the_last_bit():
    found = subprocess.run([sys.executable, "-c", ASK], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "0 1"


@pytest.mark.parametrize("count", [3, 2000, 60_000])
def test_one_risk_is_that_of_a_few_of_many_and_of_those_that_are_compiled(count):
    task, weight = SingleLocation(400, 10, eps=0.1), Erf(0.3)
    kappa = np.linspace(-0.6, 0.6, count)
    together = excess_risk(task, weight, Overlaps(kappa, -0.2, 0.1, 0.4))
    for place in (0, count // 2, count - 1):
        alone = excess_risk(task, weight, Overlaps(float(kappa[place]), -0.2, 0.1, 0.4))
        assert alone == pytest.approx(together[place], rel=1e-13)
