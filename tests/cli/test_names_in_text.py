"""What bags and instances are called in a text file is what stands there."""

import io

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from soloc.cli import main

IDS = ["7", "07", "007", "1.10", "1.1", "1e3", "1000", *(f"{i:03}" for i in range(10, 40))]
WORDS = ["NA", "null", "01"]


def table():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.standard_normal((3 * len(IDS), 2)), columns=["a", "b"])
    frame.insert(0, "id", np.repeat(IDS, 3))
    frame["word"] = np.tile(WORDS, len(IDS))
    frame["y"] = np.repeat(frame["a"].to_numpy()[::3], 3)
    return frame


WAYS = {"csv": {}, "tsv": {"sep": "\t"}, "german.csv": {"sep": ";", "decimal": ","}}


@pytest.mark.parametrize("way", WAYS)
def test_names_come_back_as_they_were_written(tmp_path, capsys, way):
    data, model = tmp_path / f"t.{way}", str(tmp_path / "m.soloc")
    table().to_csv(data, index=False, **WAYS[way])
    fit = ["fit", str(data), "--bag", "id", "--label", "y", "--name", "word"]
    assert main([*fit, "--alpha", "1", "--loss", "squared", "--out", model]) == 0
    said = capsys.readouterr().err
    assert f"{len(IDS)} bags" in said and "features: a, b" in said
    assert main(["predict", model, str(data)]) == 0
    found = pd.read_csv(io.StringIO(capsys.readouterr().out), dtype=str, keep_default_na=False)
    assert found["id"].tolist() == IDS and {*found["decisive"]} == {*WORDS}
    assert main(["explain", model, str(data), "--id", "007"]) == 0
    said = capsys.readouterr().out
    assert "bag 007" in said and all(word in said for word in WORDS)


@pytest.mark.parametrize("large", [False, True])
def test_a_table_on_disk_has_the_names_of_its_text(tmp_path, monkeypatch, large):
    text, stored = tmp_path / "t.csv", tmp_path / "t.parquet"
    frame = table().drop(columns="word")
    frame.to_csv(text, index=False)
    frame.to_parquet(stored, row_group_size=10, index=False)
    model = str(tmp_path / "m.soloc")
    fit = ["fit", str(text), "--bag", "id", "--label", "y", "--alpha", "1", "--loss", "squared"]
    assert main([*fit, "--out", model]) == 0
    monkeypatch.setattr("soloc.cli.tables.LARGE", 0 if large else 2**30)
    monkeypatch.setattr("soloc.estimators.bags.BLOCK_BYTES", 200)
    answers = []
    for data in (text, stored):
        assert main(["predict", model, str(data), "--out", str(tmp_path / "p.parquet")]) == 0
        answers.append(pd.read_parquet(tmp_path / "p.parquet"))
    assert answers[0]["id"].tolist() == IDS
    pd.testing.assert_frame_equal(*answers)


def test_a_bag_without_a_name_is_refused_and_is_no_bag_of_its_own(tmp_path, capsys):
    frame = table()
    frame.loc[4, "id"] = None
    frame.to_csv(tmp_path / "t.csv", index=False)
    fit = ["fit", str(tmp_path / "t.csv"), "--bag", "id", "--label", "y"]
    assert main([*fit, "--out", str(tmp_path / "m.soloc")]) == 2
    assert "must say the bag of every row; row 4 is missing" in capsys.readouterr().err


@pytest.mark.parametrize("twin", ["id", "y", "word", "a", "unused"])
@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet"])
@pytest.mark.parametrize("large", [False, True])
def test_two_columns_of_one_name_are_refused(tmp_path, capsys, monkeypatch, twin, ending, large):
    monkeypatch.setattr("soloc.cli.tables.LARGE", 0 if large else 2**30)
    frame = table().assign(unused=1.0)
    frame = pd.concat([frame, frame[[twin]]], axis=1)
    data = tmp_path / f"t.{ending}"
    if ending == "parquet":
        columns = [pa.array(frame.iloc[:, i]) for i in range(frame.shape[1])]
        pq.write_table(pa.Table.from_arrays(columns, names=list(frame.columns)), data)
    else:
        frame.to_csv(data, index=False, sep="\t" if ending == "tsv" else ",")
    fit = ["fit", str(data), "--bag", "id", "--label", "y"]
    name = [] if large else ["--name", "word"]
    assert main([*fit, *name, "--alpha", "1", "--out", str(tmp_path / "m.soloc")]) == 2
    said = capsys.readouterr().err
    assert f"must name each column once, got '{twin}' 2 times; rename or drop the others." in said
    assert said.count("\n") == 1 and not (tmp_path / "m.soloc").exists()
