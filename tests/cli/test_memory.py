"""Memory that is free goes back to the system, so that blocks of a table leave no holes."""

import subprocess
import sys

import pytest

MEASURE = """
import sys
import numpy as np
from soloc.cli.memory import give_back_at_once

def resident():
    return int(open("/proc/self/statm").read().split()[1]) * 4096

if sys.argv[1] == "asked":
    give_back_at_once()
for _ in range(2):  # what glibc learns from the first, it does with the second
    block = np.ones(2**20)
    before = resident()
    del block
print(before - resident())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only glibc has the call")
def test_a_large_array_leaves_at_once_when_asked_to():
    given_back = {
        asked: int(subprocess.check_output([sys.executable, "-c", MEASURE, asked]))
        for asked in ("asked", "left alone")
    }
    assert given_back["asked"] > 7e6 > given_back["left alone"]
