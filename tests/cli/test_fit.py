"""The commands fit, predict and explain, end to end on a generated table."""

import io

import pandas as pd
import pytest

from soloc.cli import main
from soloc.datasets import make_peptides


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("peptides")
    make_peptides(250).to_parquet(path / "data.parquet")
    fit = [
        "fit",
        str(path / "data.parquet"),
        "--bag",
        "peptide",
        "--label",
        "affinity",
        "--name",
        "window",
    ]
    assert (
        main([*fit, "--alpha", "5", "--loss", "likelihood", "--out", str(path / "model.soloc")])
        == 0
    )
    return path


def test_fit_reports_what_it_did(folder, capsys):
    command = ["fit", str(folder / "data.parquet"), "--bag", "peptide", "--label", "affinity"]
    assert main([*command, "--group", "peptide", "--out", str(folder / "auto.soloc")]) == 0
    captured = capsys.readouterr()
    assert "wrote" in captured.out
    for said in ("250 bags", "27 features", "held_out", "held-out score", "iterations"):
        assert said in captured.err


def test_predict_gives_intervals_and_names_the_window(folder, capsys):
    assert main(["predict", str(folder / "model.soloc"), str(folder / "data.parquet")]) == 0
    table = pd.read_csv(io.StringIO(capsys.readouterr().out))
    truth = make_peptides(250)
    binding = truth[truth["binds"]].set_index("peptide")
    assert table.columns.tolist() == [
        "peptide",
        "prediction",
        "lower",
        "upper",
        "decisive",
        "weight",
    ]
    assert (
        table["decisive"].to_numpy() == binding.loc[table["peptide"], "window"].to_numpy()
    ).mean() > 0.9
    assert (
        main(
            [
                "predict",
                str(folder / "model.soloc"),
                str(folder / "data.parquet"),
                "--out",
                str(folder / "p.csv"),
            ]
        )
        == 0
    )
    assert len(pd.read_csv(folder / "p.csv")) == 250


def test_explain_prints_and_draws(folder, capsys):
    for ending in ("html", "png"):
        target = folder / f"bag.{ending}"
        command = [
            "explain",
            str(folder / "model.soloc"),
            str(folder / "data.parquet"),
            "--id",
            "P0003",
        ]
        assert main([*command, "--out", str(target)]) == 0
        assert target.stat().st_size > 500 and "bag P0003" in capsys.readouterr().out


def test_classes_from_a_csv(folder, capsys):
    table = make_peptides(250)
    table["strong"] = (table["affinity"] > 0).map({True: "yes", False: "no"})
    table.drop(columns=["affinity", "binds"]).to_csv(folder / "classes.csv", index=False)
    command = [
        "fit",
        str(folder / "classes.csv"),
        "--bag",
        "peptide",
        "--label",
        "strong",
        "--classify",
    ]
    assert main([*command, "--alpha", "2", "--out", str(folder / "classes.soloc")]) == 0
    capsys.readouterr()
    assert main(["predict", str(folder / "classes.soloc"), str(folder / "classes.csv")]) == 0
    assert "probability_yes" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["fit", "no.parquet", "--bag", "a", "--label", "b", "--out", "m.soloc"], "does not exist"),
        (
            ["fit", "data.xyz", "--bag", "a", "--label", "b", "--out", "m.soloc"],
            "must end in .parquet",
        ),
        (
            ["fit", "DATA", "--bag", "a", "--label", "affinity", "--out", "m.soloc"],
            "`bag` names a column 'a'",
        ),
        (
            ["fit", "DATA", "--bag", "peptide", "--label", "affinity", "--out", "no/m.soloc"],
            "`--out` must lie",
        ),
        (
            [
                "fit",
                "DATA",
                "--bag",
                "peptide",
                "--label",
                "affinity",
                "--alpha",
                "x",
                "--out",
                "m",
            ],
            "`--alpha` must",
        ),
        (
            ["fit", "DATA", "--bag", "peptide", "--label", "window", "--out", "m.soloc"],
            "more than one value",
        ),
        (["predict", "DATA", "DATA"], "is not a whole soloc model file"),
        (["predict", "MODEL", "DATA", "--out", "x.txt"], "`--out` must end in .csv"),
        (["explain", "MODEL", "DATA", "--id", "nobody"], "`--id` must be one of the 250 bags"),
        (["explain", "MODEL", "DATA", "--out", "x.doc"], "`--out` must end in .png"),
    ],
)
def test_mistakes_are_one_sentence(folder, monkeypatch, capsys, arguments, sentence):
    monkeypatch.chdir(folder)
    places = {"DATA": "data.parquet", "MODEL": "model.soloc"}
    assert main([places.get(word, word) for word in arguments]) == 2
    said = capsys.readouterr().err
    assert sentence in said and said.splitlines()[-1].startswith(f"soloc {arguments[0]}:")
