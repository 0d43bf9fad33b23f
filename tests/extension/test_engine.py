"""An engine defined here and registered in one line serves every command that computes."""

import sys
from pathlib import Path

import pandas as pd
import pytest

from soloc import sweep
from soloc.cli import main
from soloc.experiments import registry
from soloc.runs.engines.calls import Outcome
from soloc.runs.engines.registry import ENGINES, register

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cli"))
import toy_catalogue


class Backwards:
    """Computes in this very process, the last call first."""

    workers = 1

    def __init__(self):
        self.calls = 0

    def run(self, calls):
        for place in reversed(range(len(calls))):
            self.calls += 1
            yield Outcome(place, "done", calls[place].function(*calls[place].arguments), 0.1)


@pytest.fixture
def backwards(monkeypatch, tmp_path):
    engine = Backwards()
    register("backwards", lambda jobs, scheduler: engine)
    monkeypatch.setattr(registry, "EXPERIMENTS", {"toy_good": toy_catalogue.GOOD})
    monkeypatch.chdir(tmp_path)
    yield engine
    del ENGINES["backwards"]


def test_reproduce_and_run_take_the_engine_by_name(backwards, tmp_path):
    assert main(["reproduce", "--engine", "backwards", "--jobs", "1"]) == 0
    assert backwards.calls == 3
    table = pd.read_parquet(tmp_path / "results" / "report" / "data" / "toy_good.parquet")
    expected = toy_catalogue.run(toy_catalogue.Config())
    pd.testing.assert_frame_equal(table, expected, check_exact=True)
    assert main(["run", "toy_good", "--set", "lam=2", "--engine", "backwards"]) == 0
    assert backwards.calls == 6


def test_a_sweep_takes_the_engine_by_name_in_python_and_at_the_command_line(backwards, tmp_path):
    table = sweep(divmod_of, {"a": [7, 9], "b": [2, 5]}, out="sweeps", engine="backwards")
    assert [*table.whole] == [3, 1, 4, 1] and backwards.calls == 4
    Path("risks.toml").write_text('question = "risk"\n[grid]\nlam = [0.1, 0.5]\n')
    assert main(["sweep", "risks.toml", "--engine", "backwards"]) == 0
    assert backwards.calls == 6


def divmod_of(a, b):
    return {"whole": a // b, "rest": a % b}


def test_what_one_engine_has_computed_another_does_not(backwards):
    assert main(["run", "toy_good"]) == 0
    assert main(["run", "toy_good", "--engine", "backwards"]) == 0
    assert backwards.calls == 0


def test_an_unknown_engine_is_answered_with_the_list(backwards, capsys):
    assert main(["run", "toy_good", "--engine", "backward"]) == 2
    assert "Did you mean backwards?" in capsys.readouterr().err
