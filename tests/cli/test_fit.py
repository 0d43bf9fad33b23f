"""The commands fit, predict and explain, end to end on a generated table."""

import io

import numpy as np
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
        "trusted",
    ]
    assert (table["trusted"] == (table["weight"] > 2 / 3)).all() and table["trusted"].mean() > 0.5
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
    page = (folder / "bag.html").read_text()
    assert "prefers-color-scheme: dark" in page and page.count('class="decisive"') == 2


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


def small_table():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.standard_normal((90, 2)), columns=["first", "second"])
    table.insert(0, "id", np.repeat([f"={i}+1" for i in range(30)], 3))
    table["age"] = np.repeat(rng.standard_normal(30), 3)  # of the bag, not of an instance
    table["where"] = "@here"
    table["y"] = np.repeat(table["first"].to_numpy()[::3], 3)
    return table


FIT = ["--bag", "id", "--label", "y", "--alpha", "1", "--loss", "squared"]


def test_fit_names_features_and_columns_left_out_and_second_labels(tmp_path, capsys):
    small_table().to_csv(
        tmp_path / "t.csv", sep=";", decimal=",", index=False, encoding="utf-8-sig"
    )
    command = ["fit", str(tmp_path / "t.csv"), *FIT, "--out", str(tmp_path / "m.soloc")]
    assert main(command) == 0
    said = capsys.readouterr().err
    assert "separated by semicolons, numbers with decimal commas" in said
    assert "features: first, second, age" in said
    assert "left out: where, because it does not hold numbers" in said
    assert "left out: id, because it names the bag" in said
    assert "warning: column age is the same for all instances of every bag" in said
    assert said.count("is the same for all instances") == 1 and "ColumnWarning" not in said
    assert "column first" not in said


def test_columns_are_found_by_name_in_new_tables(tmp_path, capsys):
    table, model = small_table(), str(tmp_path / "m.soloc")
    table.to_csv(tmp_path / "t.csv", index=False)
    assert main(["fit", str(tmp_path / "t.csv"), *FIT, "--out", model]) == 0
    capsys.readouterr()
    assert main(["predict", model, str(tmp_path / "t.csv")]) == 0
    expected = capsys.readouterr().out
    turned = table[["y", "age", "second", "id", "first"]].assign(new=1.0)
    turned.to_csv(tmp_path / "turned.csv", index=False)
    assert main(["predict", model, str(tmp_path / "turned.csv")]) == 0
    captured = capsys.readouterr()
    assert captured.out == expected and "not fitted to ['new']" in captured.err
    table.drop(columns="second").to_csv(tmp_path / "less.csv", index=False)
    assert main(["predict", model, str(tmp_path / "less.csv")]) == 2
    assert "['second'] are missing" in capsys.readouterr().err


def test_text_of_exported_cells_is_never_a_formula(tmp_path, capsys):
    small_table().to_csv(tmp_path / "t.csv", index=False)
    model, out = str(tmp_path / "m.soloc"), tmp_path / "p.csv"
    command = ["fit", str(tmp_path / "t.csv"), *FIT, "--name", "where", "--out", model]
    assert main(command) == 0
    assert main(["predict", model, str(tmp_path / "t.csv"), "--out", str(out)]) == 0
    found = pd.read_csv(out)
    assert found["id"][0] == "'=0+1" and found["decisive"][0] == "'@here"
    assert pd.api.types.is_float_dtype(found["prediction"]) and (found["prediction"] < 0).any()
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_labels_of_text_suggest_classes(tmp_path, capsys):
    small_table().assign(y="yes").to_csv(tmp_path / "t.csv", index=False)
    assert main(["fit", str(tmp_path / "t.csv"), *FIT, "--out", str(tmp_path / "m")]) == 2
    assert "must hold numbers, got 'yes'; add --classify" in capsys.readouterr().err


@pytest.mark.parametrize("model", ["auto", "network"])
def test_every_model_predicts_and_explains_from_its_file(tmp_path, capsys, model):
    data, file = tmp_path / "data.csv", tmp_path / "model.soloc"
    make_peptides(60).to_csv(data, index=False)
    fit = ["fit", str(data), "--bag", "peptide", "--label", "affinity", "--name", "window"]
    assert main([*fit, "--model", model, "--out", str(file)]) == 0
    capsys.readouterr()
    assert main(["predict", str(file), str(data)]) == 0
    table = pd.read_csv(io.StringIO(capsys.readouterr().out))
    assert len(table) == 60 and (table.lower <= table.upper).all()
    assert main(["explain", str(file), str(data)]) == 0
    lines = capsys.readouterr().out.splitlines()
    parts = [float(line.split()[-1]) for line in lines if " contribution " in line]
    assert sum(parts) == pytest.approx(table.prediction[0], abs=0.01)
    assert "intercept" in lines[len(parts)] and len(parts) > 2


def test_doubts_stand_in_the_predictions_and_nothing_is_named_by_a_mean(tmp_path, capsys):
    """Labels that are means of all instances: mean pooling is chosen, and points at nothing."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(1000, 2)), columns=["a", "b"])
    table["id"] = np.repeat(np.arange(200), 5)
    table["y"] = table.groupby("id")["a"].transform("mean")
    data, file = tmp_path / "t.csv", tmp_path / "m.soloc"
    table.to_csv(data, index=False)
    assert main(["fit", str(data), "--bag", "id", "--label", "y", "--out", str(file)]) == 0
    capsys.readouterr()
    for ending in ("csv", "parquet"):
        out = tmp_path / f"p.{ending}"
        assert main(["predict", str(file), str(data), "--out", str(out)]) == 0
        assert "do not trust which instance is named" in capsys.readouterr().err
        found = pd.read_csv(out) if ending == "csv" else pd.read_parquet(out)
        assert not found["trusted"].any() and found["decisive"].isna().all()
    assert main(["describe", str(file)]) == 0
    said = capsys.readouterr().out
    for words in (
        "features: a, b",
        "label: y",
        "mean-pool",
        "it points at nothing",
        "do not trust",
    ):
        assert words in said


@pytest.mark.parametrize("command", ["predict", "explain", "describe"])
def test_a_model_that_is_not_there_is_refused_in_a_sentence(folder, capsys, command):
    data = [] if command == "describe" else [str(folder / "data.parquet")]
    assert main([command, "nowhere.soloc", *data]) == 2
    assert "`model` nowhere.soloc is no file; `soloc fit` writes one." in capsys.readouterr().err


def test_describe_says_of_a_file_what_fit_said(folder, capsys):
    assert main(["describe", str(folder / "model.soloc")]) == 0
    said = capsys.readouterr().out
    for words in ("bag: peptide", "name: window", "p9_volume", "loss likelihood, alpha 5"):
        assert words in said
    assert said.splitlines()[-1] == "pointing can be trusted"
