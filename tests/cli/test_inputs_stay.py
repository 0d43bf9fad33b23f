"""No command replaces what it reads, whatever the output is called, and nothing is computed."""

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from soloc.cli import main

SWEEP = 'question = "risk"\n[grid]\nlam = [0.5, 1.0]\ngamma = [0.5, 1.0]\n'
FIT = ["--bag", "id", "--label", "y", "--alpha", "1", "--loss", "squared"]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("inputs")
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.standard_normal((60, 2)), columns=["a", "b"])
    table.insert(0, "id", np.repeat(np.arange(20), 3))
    table["y"] = np.repeat(table["a"].to_numpy()[::3], 3)
    table.to_csv(folder / "t.csv", index=False)
    table.to_parquet(folder / "t.parquet")
    fit = ["fit", str(folder / "t.csv"), *FIT]
    assert main([*fit, "--out", str(folder / "m.soloc")]) == 0
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture(autouse=True)
def folder(made, tmp_path, monkeypatch):
    """A folder with inputs, links to them, and nothing that computes."""

    def forbidden(*arguments, **options):
        raise AssertionError("nothing may be computed")

    for place in (
        "soloc.cli.fit.read_table",
        "soloc.cli.predict.model_in",
        "soloc.cli.explain.model_in",
        "soloc.cli.text.read_table",
        "soloc.text.load_text_model",
        "soloc.runs.sweep.sweep",
        "soloc.report.sweeps.draw_sweep",
    ):
        monkeypatch.setattr(place, forbidden)
    monkeypatch.chdir(tmp_path)
    for name, content in made.items():
        Path(name).write_bytes(content)
    Path("below").mkdir()
    Path("minilm").mkdir()
    Path("minilm/config.json").write_text("{}")
    Path("link.csv").symlink_to("t.csv")
    for ending in ("csv", "png", "svg", "html"):
        Path(f"model.{ending}").symlink_to("m.soloc")
        Path(f"table.{ending}").symlink_to("t.parquet")
    Path("results/sweeps/risk").mkdir(parents=True)
    Path("results/sweeps/risk/risk.parquet").write_text(SWEEP)
    Path("risk.toml").symlink_to("results/sweeps/risk/risk.parquet")
    return tmp_path


@pytest.mark.parametrize(
    "words",
    [
        ["fit", "t.csv", *FIT, "--out", "t.csv"],
        ["fit", "t.csv", *FIT, "--out", "link.csv"],
        ["fit", "link.csv", *FIT, "--out", "below/../t.csv"],
        ["fit", "t.csv", *FIT, "--out", "ABSOLUTE/t.csv"],
        ["predict", "m.soloc", "t.csv", "--out", "t.csv"],
        ["predict", "m.soloc", "t.csv", "--out", "./link.csv"],
        ["predict", "m.soloc", "t.parquet", "--out", "t.parquet"],
        ["predict", "m.soloc", "t.csv", "--out", "model.csv"],
        ["explain", "m.soloc", "t.parquet", "--out", "table.png"],
        ["explain", "m.soloc", "t.parquet", "--out", "model.html"],
        ["figure", "t.parquet", "--file", "table.svg"],
        ["sweep", "risk.toml"],
        ["sweep", "risk.toml", "--dry-run"],
        ["text", "fit", "t.csv", "--text", "id", "--label", "y", "--out", "t.csv"],
        [
            *("text", "fit", "t.csv", "--text", "id", "--label", "y"),
            *("--model", "minilm", "--out", "minilm/config.json"),
        ],
        ["text", "explain", "m.soloc", "words", "--out", "model.html"],
    ],
    ids=" ".join,
)
def test_an_output_that_is_an_input_is_refused_before_any_work(folder, words, capsys):
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert main([word.replace("ABSOLUTE", str(folder)) for word in words]) == 2
    said = capsys.readouterr().err
    assert "must not be a file that the command reads" in said and said.count("\n") == 1
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize(
    "words",
    [
        ["fit", "t.csv", *FIT, "--out", "no/deep/m.soloc"],
        ["predict", "m.soloc", "t.csv", "--out", "no/deep/p.csv"],
        ["explain", "m.soloc", "t.csv", "--out", "no/deep/x.png"],
        ["figure", "t.parquet", "--file", "no/deep/x.svg"],
        ["text", "explain", "m.soloc", "words", "--out", "no/deep/x.html"],
        ["text", "demo", "--out", "no/deep/x.html"],
        ["text", "demo", "--save", "no/deep/m.soloc"],
    ],
    ids=" ".join,
)
def test_no_command_makes_the_folder_of_its_output(words, capsys):
    assert main(words) == 2
    assert "must lie in a folder that exists, no/deep does not" in capsys.readouterr().err
    assert not os.path.exists("no")
