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
PASS  descent against the plain loop: 1234 times (bar >= 500)
FAIL  SGD at d=1e9 against d=80: 1.31 times (bar <= 1.2)
PASS  a fit: 0.25 s (bar <= 2)
PASS  wine: share found, at least .9: 0.9512 (bar >= 0.9)
PASS  a risk (plain: quad): 1.5e-05 s, 12.5 times as fast as plain (bar <= 1)
      plain: 12.0 us a step
"""


def test_bars_are_read_and_survive_the_file(bench):
    rows = bench.rows_of("bench_x", PRINTED)
    assert [(row.number, row.unit, row.at_least, row.limit, row.ratio) for row in rows] == [
        (1234.0, "times", True, 500.0, None),
        (1.31, "times", False, 1.2, None),
        (0.25, "s", False, 2.0, None),
        (0.9512, "", True, 0.9, None),
        (1.5e-5, "s", False, 1.0, 12.5),
    ]
    assert rows[3].work == "wine: share found, at least .9"
    assert bench.read(bench.written(rows)) == rows


def test_what_a_benchmark_prints_is_what_the_table_reads(bench, monkeypatch, capsys):
    monkeypatch.syspath_prepend(str(SCRIPT.parent))
    bars = importlib.import_module("bars")
    assert bars.bar("a fit", 0.25, 2.0, "s")
    assert not bars.bar("share", 0.25, 2.0, at_least=True)
    assert bars.bar("a risk", 2.0, 150.0, "us", plain=500.0)
    assert not bars.bar("no number", float("nan"), 1.0, "times")
    fit, share, risk, nothing = bench.rows_of("bench_x", capsys.readouterr().out)
    assert fit == ("bench_x", "a fit", 0.25, "s", False, 2.0, None)
    assert share == ("bench_x", "share", 0.25, "", True, 2.0, None)
    assert risk == ("bench_x", "a risk", 2.0, "us", False, 150.0, 250.0)
    assert nothing.number != nothing.number
    assert bars.results[-4:] == [True, False, True, False]


def test_only_a_ratio_that_got_worse_by_a_third_is_named(bench):
    before = bench.rows_of("bench_x", PRINTED)
    fast, slow, seconds, share, risk = before
    assert bench.alarms(before, before) == []
    slightly = [fast._replace(number=1000.0), slow._replace(number=1.6)]
    assert bench.alarms(slightly, before) == []
    machine = [seconds._replace(number=9.0), share._replace(number=0.1), risk._replace(number=9.0)]
    assert bench.alarms(machine, before) == []
    assert len(bench.alarms([risk._replace(ratio=9.0)], before)) == 1
    said = bench.alarms([fast._replace(number=900.0), slow._replace(number=1.8)], before)
    assert len(said) == 2 and "900 times, it was 1234" in said[0]
    assert bench.alarms([fast._replace(work="new", number=1.0)], before) == []


def test_the_committed_table_has_rows_of_every_script(bench):
    rows = bench.read(bench.TABLE.read_text())
    assert {row.script for row in rows} == {path.stem for path in bench.HERE.glob("bench_*.py")}
    assert bench.written(rows) == bench.TABLE.read_text()  # a row that is not read has no alarm
