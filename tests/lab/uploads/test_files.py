"""Files from strangers: what is a table is read and understood, what is too large or none is
refused in a sentence.
"""

import io

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from soloc.lab.uploads import files
from soloc.lab.uploads.examples import EXAMPLES, example_csv
from soloc.lab.uploads.files import guessed, read_bags_file


def parquet(table: pd.DataFrame | pa.Table, **options) -> bytes:
    out = io.BytesIO()
    pq.write_table(
        table if isinstance(table, pa.Table) else pa.Table.from_pandas(table), out, **options
    )
    return out.getvalue()


def repeated_text(length: int, rows: int) -> bytes:
    """A Parquet file of one text in every row: its dictionary holds it once, readers get it again
    and again.
    """
    text = pa.DictionaryArray.from_arrays(
        pa.array(np.zeros(rows, np.int32)), pa.array(["x" * length])
    )
    return parquet(pa.table({"x": text}), compression="zstd", store_schema=False)


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_columns_of_every_example_are_guessed(name):
    table = read_bags_file(f"{name}.csv", example_csv(name)).table
    guess = guessed(table)
    expected = (
        ("peptide", "affinity", "window") if name == "peptides" else ("bag", "label", "instance")
    )
    assert guess[:3] == expected and guess.classes == (name == "classes")
    assert guess.features == [column for column in table if column not in expected]


def test_csv_tsv_and_parquet_hold_the_same_table():
    table = EXAMPLES["numbers"].make().round(4)
    readings = [
        read_bags_file("t.csv", table.to_csv(index=False).encode()),
        read_bags_file("t.tsv", table.to_csv(index=False, sep="\t").encode("utf-8-sig")),
        read_bags_file("t.csv", table.to_csv(index=False, sep=";", lineterminator="\r\n").encode()),
        read_bags_file("t.parquet", parquet(table)),
    ]
    for reading in readings:
        pd.testing.assert_frame_equal(reading.table, readings[0].table, check_dtype=False)


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("a.csv", b"\xff\xfe\x00", "not text"),
        ("a.csv", b"a,b\n1,\x002\n", "zero bytes"),
        ("a.csv", b"a,b\n", "at least one row"),
        ("a.csv", b"\n", "read as a table"),
        ("a.csv", b"bag,y,a,y\n1,2,3,4\n", "must name each column once, got 'y' 2 times"),
        (
            "a.parquet",
            parquet(pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["y", "y"])),
            "must name each column once, got 'y' 2 times",
        ),
        ("a.csv", b"," * 70_000, "far too long"),
        (
            "a.csv",
            b",".join(b"c%d" % i for i in range(300)) + b"\n" + b"1," * 299 + b"1\n",
            "at most 200 columns",
        ),
        ("a.csv", b"a\n" + b"1\n" * 100_002, "at most 100,000 rows"),
        ("a.csv", b"a,b\n1,2,3,4,5\n1\n1,2,3\n", "read as a table"),
        ("a.csv", b"x" * (9 * 2**20), "at most 8 MB"),
        ("a.csv", b"a,b\n" + b"," * 8_000_000, "read as a table"),
        ("a.csv", b'a,b\n"' + b"x" * 8_000_000, "read as a table"),
        ("a.csv", b"\n" * 8_000_000, "at most 100,000 rows"),
        ("a.parquet", b"a,b\n1,2\n", "no Parquet file"),
        ("a.parquet", b"PAR1" + b"\0" * 100 + b"PAR1", "cannot be read"),
        ("a.csv", b"PAR1 garbage", "cannot be read"),
    ],
)
def test_what_is_no_table_is_refused_in_a_sentence(name, content, sentence):
    with pytest.raises(ValueError, match=sentence):
        read_bags_file(name, content)


def test_a_bomb_that_tells_its_size_is_refused_before_it_is_unpacked(monkeypatch):
    bomb = parquet(
        pa.table({"x": pa.array(np.zeros(10_000_000, np.int8))}),
        compression="zstd",
        use_dictionary=False,
    )
    assert len(bomb) < 100_000
    monkeypatch.setattr(
        pq.ParquetFile, "iter_batches", lambda *a, **k: pytest.fail("it was unpacked")
    )
    with pytest.raises(ValueError, match="at most 100,000 rows"):
        read_bags_file("bomb.parquet", bomb)


def test_a_bomb_of_long_texts_is_stopped_while_it_is_unpacked():
    bomb = repeated_text(20_000, 90_000)  # 1.8 GB in memory
    assert len(bomb) < 100_000
    with pytest.raises(ValueError, match="unpacks to"):
        read_bags_file("bomb.parquet", bomb)


def test_damaged_parquet_never_leads_to_anything_but_a_sentence():
    good = parquet(EXAMPLES["numbers"].make().head(200))
    rng = np.random.default_rng(0)
    refused = []
    for _ in range(60):
        damaged = bytearray(good)
        for place in rng.integers(4, len(good), size=8):
            damaged[place] = rng.integers(256)
        try:
            read_bags_file("a.parquet", bytes(damaged))
        except (ValueError, MemoryError) as error:
            refused.append(str(error))
    assert len(refused) > 10 and all(len(sentence.splitlines()) == 1 for sentence in refused)


def test_no_guess_is_better_than_a_wrong_one():
    table = pd.DataFrame({"x": np.linspace(0, 1, 10), "y": np.linspace(1, 2, 10)})
    assert guessed(table)[:3] == (None, None, None) and files.described(table)[0][:3] == (
        "x",
        "number",
        10,
    )


def test_names_that_look_like_numbers_are_read_as_they_stand():
    content = b"id,word,x,y\n007,1,0.5,1\n007,2,0.25,1\n7,3,0.5,2\n7,4,0.75,2\n"
    assert read_bags_file("t.csv", content).as_text == []
    read = read_bags_file("t.csv", content, ["id", "word", None])
    assert read.as_text == ["id"] and read.table["id"].tolist() == ["007", "007", "7", "7"]
    assert read.table["word"].tolist() == [1, 2, 3, 4] and read.table["y"].tolist() == [1, 1, 2, 2]
    again = pd.read_csv(io.BytesIO(content), **read.dialect.options, dtype={"id": "str"})
    assert again["id"].tolist() == read.table["id"].tolist()
