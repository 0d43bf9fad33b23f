"""A driver computes what is missing, keeps what is finished, and says what went wrong."""

from dataclasses import replace

import pandas as pd
import pytest
from toy_experiments import (
    Config,
    breaks,
    dies,
    dies_twice,
    noise,
    poison_at_three,
    refuses,
)

from soloc.runs.cells import CellsFailed, cell_of, fill
from soloc.runs.engines.local import Local
from soloc.runs.fingerprint import describe
from soloc.runs.store import Store

CONFIG = Config(sizes=(3, 1, 4))


def cells_of(run, config=CONFIG):
    return [cell_of("toy", run, replace(config, sizes=(size,))) for size in config.sizes]


def tables(cells, store):
    return pd.concat([store.get(cell.name, cell.key) for cell in cells], ignore_index=True)


def test_cells_give_the_rows_of_the_whole_in_order(tmp_path):
    cells, store = cells_of(noise), Store(tmp_path)
    fill(cells, store, Local(2))
    for held in (store, Store(tmp_path)):
        pd.testing.assert_frame_equal(tables(cells, held), noise(CONFIG), check_exact=True)


def test_finished_cells_are_not_computed_again_and_damaged_ones_are(tmp_path):
    cells = cells_of(noise)
    fill(cells, Store(tmp_path), Local(1))
    (path,) = (tmp_path / "toy").glob("*.parquet")
    before = path.stat().st_mtime_ns
    fill(cells, Store(tmp_path), Local(1))
    assert [*(tmp_path / "toy").iterdir()] == [path] and path.stat().st_mtime_ns == before
    path.write_bytes(b"nonsense")
    with pytest.warns(RuntimeWarning, match="checksum"):
        store = Store(tmp_path)
        fill(cells, store, Local(1))
    pd.testing.assert_frame_equal(tables(cells, Store(tmp_path)), noise(CONFIG), check_exact=True)


def test_finished_names_are_told_as_soon_as_their_cells_are_on_disk(tmp_path):
    told = []

    def finished(name):
        told.append((name, Store(tmp_path).holds(name, cells[0].key)))

    cells = cells_of(noise)
    fill(cells, Store(tmp_path), Local(1), finished=finished)
    fill(cells, Store(tmp_path), Local(1), finished=finished)
    assert told == [("toy", True), ("toy", True)]


def test_the_key_depends_on_config_seed_code_and_name():
    config = CONFIG
    cell = cell_of("toy", noise, config)
    others = [
        cell_of("toy", noise, replace(config, seed=1)),
        cell_of("toy", noise, replace(config, rows=51)),
        cell_of("other", noise, config),
        cell_of("toy", describe, config),
    ]
    assert len({cell.key, *(other.key for other in others)}) == 5
    assert cell.key == cell_of("toy", noise, config, seconds=9.0).key


def test_a_refusal_in_a_cell_is_one_sentence(tmp_path):
    with pytest.raises(ValueError, match=r"^toy: `rows` must be odd, got 50\.$"):
        fill([cell_of("toy", refuses, CONFIG)], Store(tmp_path), Local(1))


def test_a_mistake_in_a_cell_shows_where_it_happened(tmp_path):
    with pytest.raises(RuntimeError, match="a mistake of ours"):
        fill([cell_of("toy", breaks, CONFIG)], Store(tmp_path), Local(1))


def test_a_run_that_keeps_going_finishes_the_others_and_names_what_failed(tmp_path):
    cells = [cell_of("odd", refuses, CONFIG), cell_of("mistake", breaks, CONFIG), *cells_of(noise)]
    store = Store(tmp_path)
    with pytest.raises(CellsFailed) as failed:
        fill(cells, store, Local(1), keep_going=True)
    assert "2 cells have no result" in str(failed.value) and "must be odd" in str(failed.value)
    assert {failure.outcome.verdict for failure in failed.value.failures} == {"refused", "failed"}
    pd.testing.assert_frame_equal(tables(cells[2:], store), noise(CONFIG), check_exact=True)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_worker_that_dies_is_replaced_and_its_cell_tried_again(tmp_path, jobs):
    tombs = tmp_path / "tombs"
    tombs.mkdir()
    config = replace(CONFIG, tombs=str(tombs))
    cells, store = cells_of(dies_twice, config), Store(tmp_path / "cache")
    fill(cells, store, Local(jobs))
    assert len([*tombs.iterdir()]) >= 2
    pd.testing.assert_frame_equal(tables(cells, store), noise(config), check_exact=True)


def test_a_cell_that_costs_three_workers_is_named_and_the_others_finish(tmp_path):
    cells, store = cells_of(poison_at_three), Store(tmp_path)
    with pytest.raises(CellsFailed, match=r"1 cell has no result.*\n.*'sizes': \[3\].*was lost"):
        fill(cells, store, Local(2))
    assert [store.holds("toy", cell.key) for cell in cells] == [False, True, True]


def test_a_run_of_nothing_but_poison_ends(tmp_path):
    with pytest.raises(CellsFailed):
        fill([cell_of("toy", dies, CONFIG)], Store(tmp_path), Local(4))


@pytest.mark.parametrize("jobs", [0, -1, 1.5, True])
def test_a_wrong_number_of_jobs_is_refused(jobs):
    with pytest.raises(ValueError, match="`jobs`"):
        Local(jobs)
