"""Columns have one role each, and options that mean nothing are refused by their name."""

import numpy as np
import pandas as pd
import pytest

from soloc.cli import main

FIT = ["fit", "t.csv", "--bag", "id", "--out", "new.soloc"]
FAST = ["--alpha", "1", "--loss", "squared"]


def table():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.standard_normal((90, 2)), columns=["a", "b"])
    frame.insert(0, "id", np.repeat(np.arange(30), 3))
    frame["y"] = np.repeat(frame["a"].to_numpy()[::3], 3)
    frame["kind"] = np.where(frame["y"] > 0, "up", "down")
    frame["place"] = np.tile([1, 2, 3], 30)
    frame["group"] = frame["id"] // 3
    return frame


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    table().to_csv(folder / "t.csv", index=False)
    fit = ["fit", str(folder / "t.csv"), "--bag", "id", "--features", "a,b"]
    for name, more in (
        ("numbers", ["--label", "y", *FAST]),
        ("classes", ["--label", "kind", "--classify", "--alpha", "1"]),
    ):
        assert main([*fit, *more, "--out", str(folder / name)]) == 0
    return folder


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table().to_csv("t.csv", index=False)
    return tmp_path


def refused(words, capsys):
    """The sentence with which a command is refused."""
    assert main(words) == 2
    said = capsys.readouterr().err.splitlines()
    assert said[-1].startswith(f"soloc {words[0]}: ") and "Traceback" not in said
    return said[-1]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--label", "y", "--features", "a,b,y"], "got 'y', which is the `label`; leave it out"),
        (["--label", "y", "--features", "a,id"], "got 'id', which is the `bag`; leave it out"),
        (
            ["--label", "y", "--name", "place", "--features", "a,place"],
            "got 'place', which is the `name`; leave it out",
        ),
        (["--label", "id"], "`label` must be another column than `bag`, got 'id' for both"),
        (["--label", "y", "--features", "a,a"], "`features` must be different names, got 'a'"),
        (["--label", "y", "--features", ""], "`--features` must name at least one column, got ''"),
        (["--label", "y", "--group", "gg"], "`--group` names a column 'gg' that the table lacks"),
        (
            ["--label", "y", "--group", "place"],
            "`--group` place must be the same in all rows of a bag, and bag 0 has more than one",
        ),
        (["--label", "y", "--seed", "-1"], "`--seed` must be from 0 to 4294967295, got -1"),
        (["--label", "y", "--seed", "4294967296"], "`--seed` must be from 0 to 4294967295"),
    ],
)
def test_what_cannot_be_asked_of_fit_is_refused(folder, capsys, words, sentence):
    assert sentence in refused([*FIT, *words], capsys)
    assert not (folder / "new.soloc").exists()


@pytest.mark.parametrize("features", ["a,label", "a,bag"])
def test_a_table_on_disk_refuses_its_label_and_its_bag_as_features(monkeypatch, capsys, features):
    monkeypatch.setattr("soloc.cli.tables.LARGE", 0)
    renamed = table()[["id", "a", "b", "y"]].rename(columns={"id": "bag", "y": "label"})
    renamed.to_parquet("t.parquet")
    words = ["fit", "t.parquet", "--bag", "bag", "--label", "label", "--features", features]
    assert "`features` must be other columns" in refused([*words, "--out", "new.soloc"], capsys)


@pytest.mark.parametrize("column", ["group", "text"])
def test_a_bag_without_a_group_is_named(capsys, column):
    frame = table()
    frame["text"] = "g" + frame["group"].astype(str)
    frame.loc[frame["id"].isin([7, 20]), column] = np.nan
    frame.to_csv("t.csv", index=False)
    said = refused([*FIT, "--label", "y", "--group", column], capsys)
    assert f"`--group` {column} must say the group of every bag, and it is missing in bag 7" in said


def test_groups_reach_the_fit_in_the_order_of_the_bags(monkeypatch, capsys):
    """Rows of a bag need not be adjacent, and a group may be a feature as well."""
    found = {}

    class Seen:
        def fit(self, bags, groups):
            found.update(bags=bags, groups=groups)
            raise ValueError("seen")

    monkeypatch.setattr("soloc.cli.fit.model_of", lambda *arguments: Seen())
    frame = table().sample(frac=1.0, random_state=0)
    frame["group"] = frame["group"].map(lambda number: f"0{number}")
    frame.to_csv("t.csv", index=False)
    assert "seen" in refused([*FIT, "--label", "y", "--group", "group"], capsys)
    assert found["groups"].tolist() == [f"0{int(bag) // 3}" for bag in found["bags"].ids]
    assert found["bags"].aside["group"] == "it groups the bags"
    words = ["--label", "y", "--group", "group", "--features", "a,group"]
    assert "seen" in refused([*FIT, *words], capsys)
    assert found["groups"].tolist() == [int(bag) // 3 for bag in found["bags"].ids]
    assert found["bags"].features == ["a", "group"] and "group" not in found["bags"].aside


@pytest.mark.parametrize("model", ["numbers", "classes"])
@pytest.mark.parametrize("coverage", ["0", "1", "1.5", "-0.1", "nan"])
def test_a_coverage_outside_zero_to_one_is_refused_for_every_model(models, capsys, model, coverage):
    words = ["predict", str(models / model), str(models / "t.csv"), "--coverage", coverage]
    assert "`--coverage` must be between 0 and 1, got" in refused(words, capsys)


def test_classes_have_no_intervals_to_cover(models, capsys):
    words = ["predict", str(models / "classes"), str(models / "t.csv")]
    assert main(words) == 0 and "probability_up" in capsys.readouterr().out
    said = refused([*words, "--coverage", "0.8"], capsys)
    assert "`--coverage` belongs to a model of numbers, and classes have no intervals" in said


@pytest.mark.parametrize("command", ["figure", "run", "reproduce"])
def test_a_seed_that_no_generator_takes_is_refused_by_every_command(capsys, command):
    words = [] if command == "reproduce" else ["problem"]
    said = refused([command, *words, "--seed", "-1"], capsys)
    assert "`--seed` must be from 0 to 4294967295, got -1" in said
