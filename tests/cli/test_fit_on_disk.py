"""`soloc fit` and `soloc predict` of a table that stays on disk answer as from memory."""

import numpy as np
import pandas as pd
import pytest

from soloc.cli import main
from soloc.datasets import make_single_location
from soloc.estimators import load

DRAWN = make_single_location(400, width=4, lengths=(2, 6), random_state=1)


@pytest.fixture
def table(tmp_path):
    frame = pd.DataFrame(DRAWN.bags.values, columns=list("pqrs"))
    frame.insert(0, "bag", np.repeat(np.arange(400), DRAWN.bags.lengths))
    frame["label"] = np.repeat(DRAWN.labels, DRAWN.bags.lengths)
    frame.to_parquet(tmp_path / "table.parquet", row_group_size=300, index=False)
    return tmp_path / "table.parquet"


@pytest.fixture
def on_disk(monkeypatch):
    """A table above any size stays on disk."""
    monkeypatch.setattr("soloc.cli.tables.LARGE", 0)
    monkeypatch.setattr("soloc.estimators.base.IN_MEMORY", 0)
    monkeypatch.setattr("soloc.estimators.bags.BLOCK_BYTES", 4000)


def answers(table, folder, *more):
    model, out = str(folder / "model.soloc"), str(folder / "answers.parquet")
    fitted = ["fit", str(table), "--bag", "bag", "--label", "label", "--alpha", "2", "--out", model]
    assert main([*fitted, "--loss", "likelihood", *more]) == 0
    assert main(["predict", model, str(table), "--out", out]) == 0
    return load(model), pd.read_parquet(out)


def test_a_large_table_is_fitted_and_predicted_in_blocks(table, tmp_path, request):
    memory, expected = answers(table, tmp_path)
    request.getfixturevalue("on_disk")
    disk, found = answers(table, tmp_path)
    np.testing.assert_allclose(disk.key_, memory.key_, rtol=1e-2)
    pd.testing.assert_frame_equal(found, expected, check_exact=False, atol=0.02)
    assert list(found["decisive"]) == list(expected["decisive"])


def test_what_needs_memory_is_refused(table, tmp_path, on_disk, capsys):
    command = ["fit", str(table), "--bag", "bag", "--label", "label", "--context"]
    assert main([*command, "--out", str(tmp_path / "model.soloc")]) != 0
    assert "`--context` needs the table in memory" in capsys.readouterr().err
