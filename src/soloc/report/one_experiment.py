"""One experiment at settings of one's own, as a table and a figure: what `soloc run` does."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from soloc.report.answers import Answer, answer, ask, to_stderr
from soloc.report.drawings import write_figure
from soloc.runs.engines.calls import Engine
from soloc.runs.engines.registry import engine_of
from soloc.runs.files import check_folder
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
    engine: str | Engine | None = None,
    scheduler: str | None = None,
    say: Callable[[str], None] = to_stderr,
) -> Kept:
    """Compute an experiment with some of its settings changed; write table and figure."""
    asked = ask(name, quick, seed, changes)
    check_folder(Path(out, "runs"), Path(out))
    found = answer([asked], Path(out), engine_of(engine, jobs, scheduler), say=say)[0]
    stem = f"{name}-{digest(describe(found.config))[:8]}"
    kept = Kept(found, Path(out, "runs", f"{stem}.parquet"), Path(out, "runs", f"{stem}.svg"))
    found.write_parquet(kept.table)
    write_figure(found.experiment.drawn_by, found.table, name, kept.figure)
    return kept
