"""The table of benchmarks: bars are read from what scripts print, and a worse ratio is named."""

import importlib.util
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "benchmarks" / "all.py"


@pytest.fixture(scope="module")
def bench():
    made = importlib.util.spec_from_file_location("bench_table", SCRIPT)
    module = importlib.util.module_from_spec(made)
    made.loader.exec_module(module)
    return module


PRINTED = """== a heading
PASS  descent against the plain loop: 1,234 times (bar >= 500)
FAIL  SGD at d=1e9 against d=80: 1.31 times (bar <= 1.2)
PASS  a fit: 0.25 s (bar 2 s)
PASS  share found: 0.9512 (at least 0.9000)
      plain: 12.0 us a step
"""


def test_bars_of_every_style_are_read_and_survive_the_file(bench):
    rows = bench.rows_of("bench_x", PRINTED)
    assert [(row.number, row.unit, row.at_least, row.limit) for row in rows] == [
        (1234.0, "times", True, 500.0),
        (1.31, "times", False, 1.2),
        (0.25, "s", False, 2.0),
        (0.9512, "", True, 0.9),
    ]
    assert bench.read(bench.written(rows)) == rows


def test_only_a_ratio_that_got_worse_by_a_third_is_named(bench):
    before = bench.rows_of("bench_x", PRINTED)
    fast, slow, seconds, share = before
    assert bench.alarms(before, before) == []
    slightly = [fast._replace(number=1000.0), slow._replace(number=1.6)]
    assert bench.alarms(slightly, before) == []
    machine = [seconds._replace(number=9.0), share._replace(number=0.1)]
    assert bench.alarms(machine, before) == []
    said = bench.alarms([fast._replace(number=900.0), slow._replace(number=1.8)], before)
    assert len(said) == 2 and "900 times, it was 1234" in said[0]
    assert bench.alarms([fast._replace(work="new", number=1.0)], before) == []
