"""One experiment at settings of one's own, as a table and a figure: what `soloc run` does."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from soloc.experiments.registry import find
from soloc.report.answers import Answer, Asked, answer, to_stderr
from soloc.report.drawings import write_figure
from soloc.runs.fingerprint import describe, digest


class Kept(NamedTuple):
    """An answer and the files that hold it."""

    answer: Answer
    table: Path
    figure: Path


def run(
    name: str,
    changes: Mapping[str, Any] | None = None,
    *,
    quick: bool = False,
    jobs: int | None = None,
    out: str | Path = "results",
    seed: int | None = None,
    say: Callable[[str], None] = to_stderr,
) -> Kept:
    """Compute an experiment with some of its settings changed; write table and figure."""
    found = answer_of(name, changes, quick=quick, jobs=jobs, out=out, seed=seed, say=say)
    stem = f"{name}-{digest(describe(found.config))[:8]}"
    kept = Kept(found, Path(out, "runs", f"{stem}.parquet"), Path(out, "runs", f"{stem}.svg"))
    found.write_parquet(kept.table)
    write_figure(found.experiment.drawn_by, found.table, name, kept.figure)
    return kept


def answer_of(
    name: str,
    changes: Mapping[str, Any] | None = None,
    *,
    quick: bool = False,
    jobs: int | None = None,
    out: str | Path = "results",
    seed: int | None = None,
    say: Callable[[str], None] = to_stderr,
) -> Answer:
    """The answer of one experiment, computed where the store under `out` lacks it."""
    experiment = find(name)
    if experiment.lacking():
        raise ImportError(experiment.lacking())
    config = experiment.settings(quick, seed, **(changes or {}))
    return answer([Asked(experiment, config)], Path(out), jobs, say=say)[0]
