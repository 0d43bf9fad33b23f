"""A sweep is its function at every point of the grid, in order, computed once."""

import subprocess
import sys
import textwrap

import numpy as np
import pandas as pd
import pytest
from sweep_functions import add, moody, named, rows

from soloc import sweep
from soloc.runs.cells import CellsFailed
from soloc.runs.files import read_facts
from soloc.runs.sweep import key_of, plan, sweep_of


class Counting:
    """The local engine, and how many calls it was given."""

    workers = 1

    def __init__(self):
        self.calls = 0

    def run(self, calls):
        from soloc.runs.engines.local import Local

        self.calls += len(calls)
        yield from Local(1).run(calls)


def test_rows_come_in_grid_order_grid_columns_first(tmp_path):
    table = sweep(add, {"a": [3, 1], "b": [0.5, 0.25]}, out=tmp_path, jobs=2)
    expected = pd.DataFrame(
        {"a": [3, 3, 1, 1], "b": [0.5, 0.25] * 2, "value": [3.5, 3.25, 1.5, 1.25]}
    )
    pd.testing.assert_frame_equal(table, expected, check_exact=True)
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "add.parquet"), expected)
    assert read_facts(tmp_path / "add.parquet")["seed"] == 0


def test_a_data_frame_is_a_grid_of_its_rows_repeated_ones_included(tmp_path):
    grid = pd.DataFrame({"a": [1, 2, 1], "b": [1.0, 2.0, 1.0]})
    engine = Counting()
    table = sweep(add, grid, out=tmp_path, engine=engine)
    assert table["value"].tolist() == [2.0, 4.0, 2.0] and engine.calls == 2


def test_a_table_of_several_rows_repeats_its_point(tmp_path):
    table = sweep(rows, {"n": [2, 0, 1]}, out=tmp_path, jobs=1)
    assert table["n"].tolist() == [2, 2, 1] and table["half"].tolist() == [0.0, 0.5, 0.0]


def test_a_sweep_that_is_asked_for_again_computes_what_is_new_alone(tmp_path):
    engine = Counting()
    first = sweep(named, {"a": [1, 2]}, out=tmp_path, engine=engine)
    wider = sweep(named, {"a": [0, 1, 2], "b": [10, 11]}, out=tmp_path, engine=engine)
    assert engine.calls == 2 + 6  # b was no value of the cell before
    again = sweep(named, {"a": [2, 0, 1, 5], "b": [10, 11]}, out=tmp_path, engine=engine)
    assert engine.calls == 2 + 6 + 2
    key = ["a", "b"]
    both = wider.merge(again, on=key, suffixes=("", "_again"))
    assert len(both) == 6 and (both["draw"] == both["draw_again"]).all()
    sweep(named, {"a": [1, 2]}, out=tmp_path, engine=engine, seed=1)
    assert engine.calls == 12 and first["draw"].nunique() == 2


def test_the_key_depends_on_seed_and_values_alone_and_one_is_one():
    def words(seed, **values):
        import jax

        return tuple(np.asarray(jax.random.key_data(key_of(seed, values))).tolist())

    assert words(0, a=1, b=2) == words(0, b=2, a=1) == words(0, a=1.0, b=2)
    assert len({words(0, a=1), words(1, a=1), words(0, a=2), words(0, b=1), words(0, a="1")}) == 5
    keys = {words(0, i=i) for i in range(20_000)}
    assert len(keys) == 20_000, "a hundred thousand cells need more than 32 bits"


def test_a_changed_function_is_computed_again_and_an_unchanged_one_is_not(tmp_path):
    script = tmp_path / "script.py"

    def computed(body):
        script.write_text(
            textwrap.dedent("""
            import sys
            from soloc import sweep
            from soloc.runs.engines.local import Local
            FACTOR = {factor}
            def helper(x):
                return {helper}
            def f(x):
                return {body}
            class Counting(Local):
                def run(self, calls):
                    print(len(calls))
                    yield from super().run(calls)
            sweep(f, {{"x": [1, 2]}}, out="out", engine=Counting(1))
            """).format(**{"factor": 2, "helper": "x", "body": "x", **body})
        )
        done = subprocess.run(
            [sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True, timeout=120
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert computed({}) == "2\n"
    assert computed({}) == ""
    assert computed({"body": "x + 1"}) == "2\n"
    assert computed({"body": "FACTOR * helper(x)"}) == "2\n"
    assert computed({"body": "FACTOR * helper(x)", "factor": 3}) == "2\n"
    assert computed({"body": "FACTOR * helper(x)", "factor": 3, "helper": "x * x"}) == "2\n"
    assert computed({"body": "FACTOR * helper(x)", "factor": 3, "helper": "x * x"}) == ""


def test_a_function_made_in_a_function_counts_with_what_it_holds():
    def make(offset):
        return lambda x: x + offset

    def key(function):
        return sweep_of(function, {"x": [1]}, 0).cells[0].key

    assert key(make(1)) == key(make(1)) != key(make(2))


def test_others_finish_and_those_without_result_are_named(tmp_path):
    with pytest.raises(CellsFailed) as failed:
        sweep(moody, {"a": [0, 1, 2, 3, 4]}, out=tmp_path, jobs=2)
    assert failed.value.table["a"].tolist() == [0, 4]
    sentence = str(failed.value)
    assert "3 cells have no result" in sentence and "`a` must not be 1." in sentence
    assert "{'a': 3} was lost" in sentence and "KeyError: 'oops'" in sentence
    assert failed.value.exit_code == 3


def test_a_plan_says_how_many_cells_and_keeps_nothing(tmp_path):
    engine = Counting()
    found = plan(add, {"a": [1, 2], "b": range(500)}, out=tmp_path, engine=engine, seed=0)
    assert (found.cells, found.stored) == (1000, 0) and engine.calls == 6
    assert 0 <= found.seconds < 1 and 1e4 < found.disk < 1e6
    assert not list(tmp_path.rglob("*"))
    sweep(add, {"a": [1], "b": [1]}, out=tmp_path, jobs=1)
    assert plan(add, {"a": [1], "b": [1]}, out=tmp_path, engine=engine, seed=0).stored == 1


@pytest.mark.parametrize(
    "function, grid, error, sentence",
    [
        (add, [1, 2], TypeError, "`grid` must be a dictionary of lists or a data frame"),
        (add, {}, ValueError, "must have an axis"),
        (add, {"a": [], "b": [1]}, ValueError, "got none for 'a'"),
        (add, {"a": 1, "b": [1]}, TypeError, "list of values for each axis, got 1 for 'a'"),
        (add, {"a": "word", "b": [1]}, TypeError, "got 'word' for 'a'"),
        (add, {"a": [1], "c": [1]}, ValueError, "arguments of the function, a, b; got c"),
        (add, {"a": [1]}, ValueError, "got none for b"),
        (add, {"a": [float("nan")], "b": [1]}, ValueError, "finite numbers, got nan for 'a'"),
        (add, {"a": [object()], "b": [1]}, TypeError, "got object for 'a'"),
        (3, {"a": [1]}, TypeError, "`function` must be a Python function"),
    ],
)
def test_a_mistake_is_refused_in_a_sentence(tmp_path, function, grid, error, sentence):
    with pytest.raises(error, match=sentence):
        sweep(function, grid, out=tmp_path, jobs=1)
    assert not list(tmp_path.rglob("*"))


def twice(a):
    return {"a": a}


def empty(a):
    return {}


def listed(a):
    return {"x": [1, 2]}


@pytest.mark.parametrize(
    "function, sentence",
    [
        (twice, "must not have columns of the grid, got a"),
        (empty, "empty dictionary"),
        (listed, "got list for 'x'"),
    ],
)
def test_a_result_of_the_wrong_kind_is_refused_in_a_sentence(tmp_path, function, sentence):
    with pytest.raises(CellsFailed, match=sentence):
        sweep(function, {"a": [1]}, out=tmp_path, jobs=1)


def test_an_engine_must_be_one(tmp_path):
    with pytest.raises(TypeError, match="`engine` must be the name of an engine"):
        sweep(add, {"a": [1], "b": [1]}, out=tmp_path, engine=3)
    with pytest.raises(ValueError, match="one of local, dask"):
        sweep(add, {"a": [1], "b": [1]}, out=tmp_path, engine="loca")
