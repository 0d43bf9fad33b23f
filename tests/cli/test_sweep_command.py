"""`soloc sweep` computes what a file asks for, and `soloc figure` draws any two of its axes."""

import pandas as pd
import pytest

from soloc.cli import main
from soloc.experiments.questions import risk

FILE = """
question = "risk"

[grid]
attention = ["erf", "tanh"]
lam = { from = 0.1, to = 10.0, count = 3, log = true }
gamma = { from = 0.5, to = 1.0, count = 2 }
d = 50
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "map.toml").write_text(FILE)


def test_a_sweep_is_planned_computed_drawn_and_not_computed_again(tmp_path, capsys):
    assert main(["sweep", "map.toml", "--dry-run", "--jobs", "1"]) == 0
    said = capsys.readouterr().out
    assert "12 cells, 0 of them stored" in said and "MB in" in said
    assert not (tmp_path / "results").exists()
    assert main(["sweep", "map.toml", "--jobs", "1"]) == 0
    said = capsys.readouterr().out
    table = pd.read_parquet("results/sweeps/map/risk.parquet")
    assert "12 rows in all" in said and len(table) == 12
    assert table["lam"].unique() == pytest.approx([0.1, 1.0, 10.0])
    row = table.iloc[7]
    assert row["risk"] == risk(row["attention"], row["lam"], 50, gamma=row["gamma"])["risk"]
    assert (tmp_path / "results/sweeps/map/risk.svg").exists()
    assert main(["sweep", "map.toml", "--dry-run"]) == 0
    assert "12 of them stored" in capsys.readouterr().out


def test_any_two_axes_become_a_map_or_curves(tmp_path, capsys):
    main(["sweep", "map.toml", "--jobs", "1"])
    table = "results/sweeps/map/risk.parquet"
    for kind in ("map", "curves"):
        for x, y in (("lam", "gamma"), ("attention", "lam"), ("gamma", "attention")):
            file = f"{kind}-{x}-{y}.png"
            command = ["figure", table, "--x", x, "--y", y, "--as", kind, "--value", "bayes"]
            assert main([*command, "--file", file]) == 0
            assert (tmp_path / file).stat().st_size > 5000


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        (["--x", "d"], "`x` must be one of attention, lam, gamma; got 'd'"),
        (["--x", "lam", "--y", "lam"], "`y` must be one of attention, gamma"),
        (["--value", "word"], "`value` must be one of risk, bayes, linear, null"),
        (["--as", "pie"], "`as` must be one of"),
    ],
)
def test_a_wrong_axis_is_answered_with_the_right_ones(arguments, sentence, capsys):
    main(["sweep", "map.toml", "--jobs", "1"])
    assert main(["figure", "results/sweeps/map/risk.parquet", *arguments]) == 2
    assert sentence in capsys.readouterr().err


@pytest.mark.parametrize(
    "content, sentence",
    [
        ("question = ", "must be TOML"),
        ("question = 'risk'", "must hold `question` and `[grid]`"),
        ("question = 'risk'\n[grid]\nlam = 1\n[other]", "got question, grid, other"),
        ("question = 'rusk'\n[grid]\nlam = 1", "Did you mean risk?"),
        ("question = 'risk'\n[grid]\nlam = {from = 1}", "`grid.lam` must be a list, a value"),
        ("question = 'risk'\n[grid]\nlam = {from = 0, to = 1, count = 2, log = true}", "positive"),
        ("question = 'risk'\n[grid]\nlamb = 1", "arguments of the function"),
        ("question = 'risk'\n[grid]\nlam = 1\n[figure]\nz = 'lam'", "`[figure]` may hold x, y"),
    ],
)
def test_a_wrong_file_is_refused_in_a_sentence(content, sentence, tmp_path, capsys):
    (tmp_path / "wrong.toml").write_text(content)
    assert main(["sweep", "wrong.toml"]) == 2
    assert sentence in capsys.readouterr().err


def test_points_that_are_refused_are_named_and_the_exit_code_is_3(tmp_path, capsys):
    (tmp_path / "some.toml").write_text("question = 'risk'\n[grid]\ngamma = [1.0, -1.0]")
    assert main(["sweep", "some.toml", "--jobs", "1"]) == 3
    said = capsys.readouterr().err
    assert "1 cell has no result" in said and "{'gamma': -1.0} was refused: `gamma` must be" in said
    assert len(pd.read_parquet("results/sweeps/some/risk.parquet")) == 1
