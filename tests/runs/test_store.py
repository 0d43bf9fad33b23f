"""The store returns what was put there, or nothing; no driver disturbs another."""

import os
import time

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from soloc.runs import store as module
from soloc.runs.files import parquet_bytes, read_facts, write_atomically
from soloc.runs.store import Store

FACTS = {"config": {"d": 400, "lam": 0.1}, "seed": 3, "versions": {"jax": "0"}, "revision": "abc"}


@pytest.fixture
def table():
    numbers = np.random.default_rng(0).normal(size=20)
    return pd.DataFrame({"run": range(20), "risk": numbers, "weight": ["erf", "softmax"] * 10})


def put(store, key, frame, seconds=1.0, name="toy"):
    store.add(name, key, pa.Table.from_pandas(frame, preserve_index=False), FACTS, seconds)


def segments(folder):
    return sorted(folder.glob("*.parquet"))


def test_a_table_comes_back_exactly_with_its_duration(tmp_path, table):
    store = Store(tmp_path)
    put(store, "k", table, 1.5)
    store.flush()
    for held in (store, Store(tmp_path)):
        pd.testing.assert_frame_equal(held.get("toy", "k"), table, check_exact=True)
        assert held.seconds("toy", "k") == 1.5
        assert held.get("toy", "other") is None and held.get("other", "k") is None


def test_tables_of_every_kind_of_column_and_without_rows_come_back(tmp_path):
    rich = pd.DataFrame(
        {
            "whole": [1, 2],
            "word": ["x", None],
            "number": [0.1, np.nan],
            "kind": pd.Categorical(["u", "v"]),
            "day": pd.to_datetime(["2020-01-01", "2021-01-01"]),
            "flag": [True, False],
            "a.b": [1.5, 2.5],
        }
    )
    store = Store(tmp_path)
    put(store, "rich", rich)
    put(store, "empty", rich.iloc[:0])
    put(store, "other", pd.DataFrame({"x": [1]}))
    store.flush()
    held = Store(tmp_path)
    pd.testing.assert_frame_equal(held.get("toy", "rich"), rich, check_exact=True)
    assert len(held.get("toy", "empty")) == 0 and held.holds("toy", "empty")
    assert list(held.get("toy", "empty").columns) == list(rich.columns)
    assert held.get("toy", "other")["x"].tolist() == [1]
    assert len(segments(tmp_path / "toy")) == 2, "one segment for every schema"


def test_many_cells_are_read_at_once_with_their_places(tmp_path):
    store = Store(tmp_path)
    for i in range(4):
        put(store, f"k{i}", pd.DataFrame({"x": [i] * i}))
    store.flush()
    (block,) = store.rows("toy", ["k3", "missing", "k1"])
    assert block.places.tolist() == [0, 0, 0, 2]
    assert block.table.column("x").to_pylist() == [3, 3, 3, 1]


def test_a_segment_says_of_every_cell_what_decided_it(tmp_path, table):
    store = Store(tmp_path)
    put(store, "k", table)
    store.flush()
    (path,) = segments(tmp_path / "toy")
    assert '"lam":0.1' in pq.read_table(path).column("(facts)")[0].as_py()


def test_equal_tables_give_equal_bytes(table, tmp_path):
    content = parquet_bytes(table, FACTS)
    assert content == parquet_bytes(table.copy(), dict(reversed(FACTS.items())))
    write_atomically(tmp_path / "t.parquet", content)
    assert read_facts(tmp_path / "t.parquet") == FACTS


@pytest.mark.parametrize("position", [0, 10, 200, -1])
def test_one_changed_byte_is_noticed_and_the_file_put_aside(tmp_path, table, position):
    store = Store(tmp_path)
    put(store, "k", table)
    store.flush()
    (path,) = segments(tmp_path / "toy")
    content = bytearray(path.read_bytes())
    content[position] ^= 1
    path.write_bytes(bytes(content))
    with pytest.warns(RuntimeWarning, match="does not match its checksum"):
        assert Store(tmp_path).get("toy", "k") is None
    assert Store(tmp_path).get("toy", "k") is None  # and nothing more is said


def test_a_result_is_not_trusted_under_another_key(tmp_path, table):
    store = Store(tmp_path)
    put(store, "k", table)
    store.flush()
    (path,) = segments(tmp_path / "toy")
    path.rename(path.with_stem("0" * 64))
    with pytest.warns(RuntimeWarning, match="checksum"):
        assert Store(tmp_path).get("toy", "k") is None


def test_what_waits_is_written_after_two_seconds_or_500_cells(tmp_path, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    store = Store(tmp_path)
    one = pd.DataFrame({"x": [1]})
    put(store, "a", one)
    store.tend()
    assert not segments(tmp_path / "toy")
    now[0] = 2.0
    store.tend()
    assert len(segments(tmp_path / "toy")) == 1
    for i in range(500):
        put(store, f"b{i}", one)
        store.tend()
    assert len(segments(tmp_path / "toy")) == 2 and Store(tmp_path).holds("toy", "b499")


def test_many_segments_are_merged_and_no_cell_is_lost(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "MANY_SEGMENTS", 5)
    store = Store(tmp_path)
    for i in range(23):
        put(store, f"k{i}", pd.DataFrame({"x" if i % 2 else "y": [i]}))
        store.flush()
    assert len(segments(tmp_path / "toy")) <= 7
    held = Store(tmp_path)
    assert [held.get("toy", f"k{i}").iloc[0, 0] for i in range(23)] == [*range(23)]


def test_drivers_that_merge_the_same_cells_agree_on_the_name(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "MANY_SEGMENTS", 3)
    for order in ([0, 1, 2, 3], [3, 1, 0, 2]):
        store = Store(tmp_path / str(order[0]))
        for i in order:
            put(store, f"k{i}", pd.DataFrame({"x": [i]}))
            store.flush()
    (one,), (other,) = segments(tmp_path / "0" / "toy"), segments(tmp_path / "3" / "toy")
    assert one.name == other.name


def test_a_reader_lists_again_when_a_segment_vanishes(tmp_path, monkeypatch):
    """Another driver merges between this one's listing and its reading."""
    monkeypatch.setattr(module, "MANY_SEGMENTS", 3)
    other = Store(tmp_path)
    for i in range(3):
        put(other, f"k{i}", pd.DataFrame({"x": [i]}))
        other.flush()
    listing = module._Shelf._listing
    merges = iter([True])

    def listing_then_a_merge(shelf):
        listed = listing(shelf)
        if next(merges, False):
            put(other, "k3", pd.DataFrame({"x": [3]}))
            other.flush()
        return listed

    monkeypatch.setattr(module._Shelf, "_listing", listing_then_a_merge)
    late = Store(tmp_path)
    assert [late.get("toy", f"k{i}").iloc[0, 0] for i in range(4)] == [0, 1, 2, 3]


def test_a_merge_that_finds_its_segments_gone_keeps_what_is_there(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "MANY_SEGMENTS", 3)
    first = Store(tmp_path)
    for i in range(3):
        put(first, f"k{i}", pd.DataFrame({"x": [i]}))
        first.flush()
    second = Store(tmp_path)
    assert second.holds("toy", "k0")
    for store, key in ((first, "k3"), (second, "k4")):  # both merge; the second finds three gone
        put(store, key, pd.DataFrame({"x": [int(key[1:])]}))
        store.flush()
    held = Store(tmp_path)
    assert [held.get("toy", f"k{i}").iloc[0, 0] for i in range(5)] == [0, 1, 2, 3, 4]


def test_partial_files_are_removed_when_a_day_old(tmp_path):
    (tmp_path / "toy").mkdir()
    old, young = (tmp_path / "toy" / f".{name}.part" for name in ("old", "young"))
    for path in (old, young):
        path.write_bytes(b"half")
    yesterday = time.time() - 90_000
    os.utime(old, (yesterday, yesterday))
    Store(tmp_path).holds("toy", "k")
    assert not old.exists() and young.exists()


def test_a_file_that_cannot_be_written_leaves_no_part_and_the_old_one(tmp_path, monkeypatch):
    path = tmp_path / "a"
    write_atomically(path, b"old")

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="space"):
        write_atomically(path, b"new")
    assert [*tmp_path.iterdir()] == [path] and path.read_bytes() == b"old"
