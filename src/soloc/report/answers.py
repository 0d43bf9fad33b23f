"""Answers: the tables of experiments at their settings, computed where the store lacks them."""

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from soloc.experiments.experiment import Experiment, cells
from soloc.report.cite import version
from soloc.runs.fingerprint import code_version, describe, revision, versions, versions_of
from soloc.runs.local import Cell, compute
from soloc.runs.progress import Progress
from soloc.runs.store import Store, parquet_bytes, write_atomically


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
            "versions": {"soloc": version(), **versions(), **versions_of(self.experiment.needs)},
            "revision": revision(Path(__file__)),
        }

    def write_parquet(self, path: Path) -> None:
        """The table as Parquet, with its facts inside."""
        write_atomically(path, parquet_bytes(self.table, self.facts))


def to_stderr(sentence: str) -> None:
    """Tell a person who waits."""
    print(sentence, file=sys.stderr)


def workers(jobs: int | None) -> int:
    """How many processes work: one per core that this process may use, unless `jobs` says."""
    if jobs is None:
        return (
            len(os.sched_getaffinity(0))
            if hasattr(os, "sched_getaffinity")
            else os.cpu_count() or 1
        )
    if isinstance(jobs, bool) or not isinstance(jobs, int) or jobs < 1:
        raise ValueError(f"`jobs` must be a whole number >= 1, got {jobs!r}.")
    return jobs


def answer(
    asked: Sequence[Asked],
    directory: Path,
    jobs: int | None = None,
    answered: Callable[[Answer], None] = lambda found: None,
    say: Callable[[str], None] = to_stderr,
) -> list[Answer]:
    """Tables of experiments at their settings, computed together where the store lacks them.

    `answered` is called with each answer as soon as it is there, while others are still computed.
    """
    jobs = workers(jobs)
    store = Store(directory / "cache", warn=lambda message: say(f"warning: {message}"))
    parts = [
        [
            Cell(experiment.name, experiment.run, cell, experiment.seconds, experiment.needs)
            for cell in cells(config, experiment.axes)
        ]
        for experiment, config in asked
    ]
    flat = [cell for part in parts for cell in part]
    missing = [cell for cell in flat if not store.vouches(cell.name, cell.key)]
    progress = Progress(sum(cell.seconds for cell in missing), min(jobs, max(len(missing), 1)))
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

    compute(flat, store, jobs, progress, finished)
    return [found[experiment.name] for experiment, _ in asked]
