"""The store returns what was put there, or nothing."""

import json

import numpy as np
import pandas as pd
import pytest

from soloc.runs.store import Store, parquet_bytes, read_facts

FACTS = {"config": {"d": 400, "lam": 0.1}, "seed": 3, "versions": {"jax": "0"}, "revision": "abc"}


@pytest.fixture
def table():
    numbers = np.random.default_rng(0).normal(size=20)
    return pd.DataFrame({"run": range(20), "risk": numbers, "weight": ["erf", "softmax"] * 10})


def test_a_table_comes_back_exactly_with_its_facts(tmp_path, table):
    store = Store(tmp_path)
    store.put("toy", "k", table, FACTS, 1.5)
    pd.testing.assert_frame_equal(store.get("toy", "k"), table, check_exact=True)
    assert read_facts(tmp_path / "toy" / "k.parquet") == FACTS
    assert store.seconds("toy", "k") == 1.5


def test_equal_tables_give_equal_bytes(table):
    assert parquet_bytes(table, FACTS) == parquet_bytes(table.copy(), dict(reversed(FACTS.items())))


def test_a_result_that_was_never_finished_is_absent_without_a_warning(tmp_path, table):
    store = Store(tmp_path)
    assert store.get("toy", "k") is None
    store.put("toy", "k", table, FACTS, 1.0)
    (tmp_path / "toy" / "k.json").unlink()
    assert store.get("toy", "k") is None


@pytest.mark.parametrize("position", [0, 10, 200, -1])
def test_one_changed_byte_is_noticed(tmp_path, table, position):
    store = Store(tmp_path)
    store.put("toy", "k", table, FACTS, 1.0)
    path = tmp_path / "toy" / "k.parquet"
    content = bytearray(path.read_bytes())
    content[position] ^= 1
    path.write_bytes(bytes(content))
    with pytest.warns(RuntimeWarning, match="does not match its checksum"):
        assert store.get("toy", "k") is None


@pytest.mark.parametrize("damage", ["", "{", "[]", json.dumps({"seconds": 1})])
def test_a_damaged_sidecar_is_not_trusted(tmp_path, table, damage):
    store = Store(tmp_path)
    store.put("toy", "k", table, FACTS, 1.0)
    (tmp_path / "toy" / "k.json").write_text(damage)
    with pytest.warns(RuntimeWarning, match="damaged"):
        assert store.get("toy", "k") is None


def test_a_truncated_or_missing_table_is_not_trusted(tmp_path, table):
    store = Store(tmp_path)
    store.put("toy", "k", table, FACTS, 1.0)
    path = tmp_path / "toy" / "k.parquet"
    path.write_bytes(path.read_bytes()[:100])
    with pytest.warns(RuntimeWarning, match="checksum"):
        assert store.get("toy", "k") is None
    path.unlink()
    with pytest.warns(RuntimeWarning, match="checksum"):
        assert store.get("toy", "k") is None


def test_partial_files_of_dead_writers_are_swept(tmp_path):
    (tmp_path / "toy").mkdir()
    left = tmp_path / "toy" / ".k.parquet.999999999.part"
    left.write_bytes(b"half")
    Store(tmp_path).sweep()
    assert not left.exists()
