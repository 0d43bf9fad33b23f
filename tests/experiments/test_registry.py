"""Every experiment keeps the contract between science and plumbing."""

import ast
from dataclasses import fields, is_dataclass, replace
from importlib.util import find_spec
from pathlib import Path

import pandas as pd
import pytest

from soloc.experiments.experiment import cells
from soloc.experiments.registry import CHAPTERS, EXPERIMENTS, register
from soloc.experiments.training import localisation, paths
from soloc.runs.fingerprint import canonical, describe

ALL = pytest.mark.parametrize(
    "experiment", EXPERIMENTS.values(), ids=lambda experiment: experiment.name
)


def test_a_name_that_is_taken_is_refused():
    with pytest.raises(ValueError, match="must be new among the experiments, got 'attentions'"):
        register(EXPERIMENTS["attentions"])


@ALL
def test_an_experiment_has_a_question_a_figure_and_two_configs_of_one_kind(experiment):
    assert experiment.question.strip()
    assert find_spec(experiment.drawn_by.partition(":")[0]) is not None
    full, quick = experiment.settings(), experiment.settings(quick=True)
    assert is_dataclass(full) and type(full) is type(quick)
    canonical(describe(full))


def test_every_chapter_has_a_name_and_its_experiments_stand_together():
    names = [CHAPTERS[experiment.chapter] for experiment in EXPERIMENTS.values()]
    begun = [name for before, name in zip(["", *names], names, strict=False) if name != before]
    assert len(begun) == len(set(names)) and "In practice" in begun


@ALL
def test_axes_are_tuples_of_the_config_and_cells_hold_one_value_of_each(experiment):
    config = experiment.settings()
    names = {field.name for field in fields(config)}
    for axis in experiment.axes:
        assert axis in names and isinstance(getattr(config, axis), tuple)
    parts = cells(config, experiment.axes)
    assert all(len(getattr(part, axis)) == 1 for part in parts for axis in experiment.axes)


@ALL
def test_the_run_function_can_be_sent_to_a_worker(experiment):
    module = experiment.run.__module__
    source = Path(find_spec(module).origin).read_text()
    top = {node.name for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)}
    assert experiment.run.__qualname__ in top


@pytest.mark.parametrize(
    "run, config, axis",
    [
        (paths.run, paths.Config(start="sphere", steps=300, runs=3, records=10), "blocks"),
        (
            paths.run,
            paths.Config(start="sphere", steps=60, runs=2, records=5, batch=2, d=20, eps=0.1),
            "blocks",
        ),
        (
            localisation.run,
            localisation.Config(("manifold, lam = .1", "sphere, lam = .1"), 2, 4),
            "settings",
        ),
    ],
)
def test_the_rows_of_the_cells_are_the_rows_of_the_whole(run, config, axis):
    whole = run(config)
    parts = pd.concat([run(cell) for cell in cells(config, (axis,))], ignore_index=True)
    pd.testing.assert_frame_equal(whole, parts, check_exact=True)
    assert not whole.equals(run(replace(config, seed=1)))
