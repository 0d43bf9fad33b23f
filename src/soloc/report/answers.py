"""Answers: the tables of experiments at their settings, computed where the store lacks them."""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from soloc.experiments.elsewhere import from_elsewhere, taking_along
from soloc.experiments.experiment import Experiment, cells
from soloc.experiments.registry import find
from soloc.runs.cells import Cell, cell_of, fill
from soloc.runs.engines.calls import Engine
from soloc.runs.files import check_folder, parquet_bytes, write_atomically
from soloc.runs.fingerprint import code_version, describe, revision, versions, versions_of
from soloc.runs.store import Store
from soloc.version import __version__


class Asked(NamedTuple):
    """An experiment at one of its settings."""

    experiment: Experiment
    config: Any


class Answer(NamedTuple):
    """An experiment's table, and what it took."""

    experiment: Experiment
    config: Any
    table: pd.DataFrame
    seconds: float

    @property
    def facts(self) -> dict[str, Any]:
        """What the table's file says about itself."""
        return {
            "experiment": self.experiment.name,
            "question": self.experiment.question,
            "config": describe(self.config),
            "seed": getattr(self.config, "seed", None),
            "code": code_version(self.experiment.run),
            "versions": {"soloc": __version__, **versions(), **versions_of(self.experiment.needs)},
            "revision": revision(Path(__file__)),
        }

    def write_parquet(self, path: Path) -> None:
        """The table as Parquet, with its facts inside."""
        write_atomically(path, parquet_bytes(self.table, self.facts))


def to_stderr(sentence: str) -> None:
    """Tell a person who waits."""
    print(sentence, file=sys.stderr)


def ask(
    name: str,
    quick: bool = False,
    seed: int | None = None,
    changes: Mapping[str, Any] | None = None,
) -> Asked:
    """The experiment of that name at its settings, some of them changed."""
    experiment = find(name)
    if experiment.lacking():
        raise ImportError(experiment.lacking())
    return Asked(experiment, experiment.settings(quick, seed, **(changes or {})))


def _cells(experiment: Experiment, config: Any) -> list[Cell]:
    """The cells of an experiment, decided also by what was registered from elsewhere."""
    run = taking_along(experiment.run)
    more = [code_version(entry.kind) for entry in from_elsewhere()]
    found = []
    for part in cells(config, experiment.axes):
        cell = cell_of(experiment.name, experiment.run, part, experiment.seconds, experiment.needs)
        facts = {**cell.facts, "elsewhere": more} if more else cell.facts
        found.append(replace(cell, run=run, facts=facts))
    return found


def answer(
    asked: Sequence[Asked],
    directory: Path,
    engine: Engine,
    answered: Callable[[Answer], None] = lambda found: None,
    say: Callable[[str], None] = to_stderr,
) -> list[Answer]:
    """Tables of experiments at their settings, computed together where the store lacks them.

    `answered` is called with each answer as soon as it is there, while others are still computed.
    """
    check_folder(directory)
    store = Store(directory / "cache", warn=lambda message: say(f"warning: {message}"))
    parts = [_cells(experiment, config) for experiment, config in asked]
    flat = [cell for part in parts for cell in part]
    found: dict[str, Answer] = {}
    place = {experiment.name: i for i, (experiment, _) in enumerate(asked)}

    def finished(name: str) -> None:
        experiment, config = asked[place[name]]
        part = parts[place[name]]
        tables = [store.get(cell.name, cell.key) for cell in part]
        if not any(table is None for table in tables):
            seconds = sum(store.seconds(cell.name, cell.key) for cell in part)
            found[name] = Answer(experiment, config, pd.concat(tables, ignore_index=True), seconds)
            answered(found[name])

    fill(flat, store, engine, finished=finished)
    return [found[experiment.name] for experiment, _ in asked]
