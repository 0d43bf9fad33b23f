"""An experiment and its figure from elsewhere: one file, one line, and every command knows it."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

from soloc.cli import main
from soloc.experiments.certificates import Certificate, band
from soloc.experiments.experiment import Experiment
from soloc.experiments.registry import EXPERIMENTS, register
from soloc.figures.style import panels
from soloc.report.one_experiment import run as run_one
from soloc.report.reproduction import reproduce
from soloc.runs.files import read_facts


@dataclass(frozen=True)
class Config:
    sides: tuple[int, ...] = (4, 6)
    throws: int = 1000
    seed: int = 0


def run(config: Config) -> pd.DataFrame:
    rows = []
    for sides in config.sides:
        rng = np.random.default_rng([config.seed, sides])
        rows.append({"sides": sides, "mean": rng.integers(sides, size=config.throws).mean()})
    return pd.DataFrame(rows)


def findings(table: pd.DataFrame) -> str:
    return f"Dice of {len(table)} kinds were thrown. The last had a mean of {table['mean'].max()}."


def certificates(table: pd.DataFrame) -> list[Certificate]:
    off = (table["mean"] - (table["sides"] - 1) / 2).abs().max()
    return [band("dice are fair", "largest distance of a mean from its middle", off, 0, 0.5)]


def figure(table: pd.DataFrame):
    drawing, (axis,) = panels(1, 1, titles=["Dice"])
    axis.plot(table["sides"], table["mean"])
    return drawing


DICE = Experiment(
    name="dice",
    question="Are dice fair?",
    config=Config(),
    quick=Config(throws=100),
    run=run,
    findings=findings,
    certificates=certificates,
    axes=("sides",),
)


@pytest.fixture(autouse=True)
def registered(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    register(DICE)
    yield
    del EXPERIMENTS["dice"]


def test_it_is_listed_with_its_settings(capsys):
    assert main(["list"]) == 0
    assert "dice" in capsys.readouterr().out
    assert main(["list", "dice"]) == 0
    said = capsys.readouterr().out
    assert "Are dice fair?" in said and "throws" in said and "1000" in said


def test_it_runs_at_settings_of_ones_own(tmp_path, capsys):
    assert main(["run", "dice", "--set", "sides=8,10,12", "--quick", "--jobs", "1"]) == 0
    assert "Dice of 3 kinds" in capsys.readouterr().out
    kept = run_one("dice", {"sides": (8,)}, seed=5, jobs=1)
    pd.testing.assert_frame_equal(pd.read_parquet(kept.table), run(Config((8,), seed=5)))
    assert kept.figure.read_bytes().startswith(b"<?xml")


def test_its_figure_is_drawn(tmp_path):
    assert main(["figure", "dice", "--file", "dice.pdf", "--jobs", "1"]) == 0
    assert (tmp_path / "dice.pdf").read_bytes().startswith(b"%PDF")


def test_it_is_reproduced_with_page_data_claims_and_store(tmp_path):
    report = reproduce(["dice"], jobs=2, out=tmp_path / "out", say=lambda sentence: None)
    assert report.holds and [claim.claim for claim in report.claims] == ["dice are fair"]
    text = report.page.read_text()
    assert "Are dice fair?" in text and "Dice of 2 kinds" in text and "<svg" in text
    data = report.page.parent / "data" / "dice.parquet"
    pd.testing.assert_frame_equal(pd.read_parquet(data), run(Config()))
    assert read_facts(data)["config"]["throws"] == 1000
    stored = {path: path.stat().st_mtime_ns for path in (tmp_path / "out/cache").rglob("*")}
    reproduce(["dice"], jobs=1, out=tmp_path / "out", say=lambda sentence: None)
    assert stored == {path: path.stat().st_mtime_ns for path in (tmp_path / "out/cache").rglob("*")}
