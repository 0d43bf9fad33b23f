"""The local engine computes what is missing, keeps what is finished, and says what went wrong."""

from dataclasses import replace

import pandas as pd
import pytest
from toy_experiments import Config, breaks, dies, noise, refuses

from soloc.runs.fingerprint import describe
from soloc.runs.local import Cell, compute
from soloc.runs.store import Store

CONFIG = Config(sizes=(3, 1, 4))
CELLS = [Cell("toy", noise, replace(CONFIG, sizes=(size,))) for size in CONFIG.sizes]


def test_cells_give_the_rows_of_the_whole_in_order(tmp_path):
    tables = compute(CELLS, Store(tmp_path), jobs=2)
    pd.testing.assert_frame_equal(
        pd.concat(tables, ignore_index=True), noise(CONFIG), check_exact=True
    )


def test_finished_cells_are_not_computed_again_and_damaged_ones_are(tmp_path):
    store = Store(tmp_path)
    compute(CELLS, store, jobs=1)
    paths = sorted((tmp_path / "toy").glob("*.parquet"))
    before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in paths}
    paths[0].write_bytes(b"nonsense")
    with pytest.warns(RuntimeWarning, match="checksum"):
        compute(CELLS, store, jobs=1)
    assert paths[0].read_bytes() == before[paths[0]][0]
    assert all(path.stat().st_mtime_ns == before[path][1] for path in paths[1:])


def test_the_key_depends_on_config_seed_code_and_name():
    cell = CELLS[0]
    others = [
        cell._replace(config=replace(cell.config, seed=1)),
        cell._replace(config=replace(cell.config, rows=51)),
        cell._replace(name="other"),
        cell._replace(run=describe),
    ]
    assert len({cell.key, *(other.key for other in others)}) == 5
    assert cell.key == cell._replace(seconds=9.0).key


def test_a_refusal_in_a_cell_is_one_sentence(tmp_path):
    with pytest.raises(ValueError, match=r"^toy: `rows` must be odd, got 50\.$"):
        compute([Cell("toy", refuses, CONFIG)], Store(tmp_path), jobs=1)


def test_a_mistake_in_a_cell_shows_where_it_happened(tmp_path):
    with pytest.raises(RuntimeError, match="a mistake of ours"):
        compute([Cell("toy", breaks, CONFIG)], Store(tmp_path), jobs=1)


def test_a_worker_that_dies_is_reported_and_does_not_hang(tmp_path):
    with pytest.raises(OSError, match="worker process ended"):
        compute([Cell("toy", dies, CONFIG)], Store(tmp_path), jobs=1)


@pytest.mark.parametrize("jobs", [0, -1, 1.5, True])
def test_a_wrong_number_of_jobs_is_refused(tmp_path, jobs):
    with pytest.raises(ValueError, match="`jobs`"):
        compute(CELLS, Store(tmp_path), jobs=jobs)
