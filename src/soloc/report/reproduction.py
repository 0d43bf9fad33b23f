"""The results computed, checked and written down as one report: what `soloc reproduce` does."""

import shlex
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

from soloc.experiments import registry
from soloc.experiments.certificates import Certificate
from soloc.figures.formats import FORMATS
from soloc.report.answers import Answer, Asked, answer, to_stderr
from soloc.report.drawings import write_figures
from soloc.report.inline import inline_svg
from soloc.report.page import Origin, Section, page
from soloc.runs.cells import CellsFailed
from soloc.runs.cores import cores
from soloc.runs.engines.calls import Engine
from soloc.runs.engines.registry import engine_of
from soloc.runs.files import check_folder, remove_old_parts, write_atomically
from soloc.runs.fingerprint import describe, revision, versions
from soloc.runs.processes import begin_patient_child, children, starting


class Report(NamedTuple):
    """A report that was written, and what it says."""

    page: Path
    claims: Sequence[Certificate]
    skipped: Sequence[str]  #: why an experiment was left out, one sentence each
    seconds: float

    @property
    def holds(self) -> bool:
        """Whether every claim does."""
        return all(claim.passed for claim in self.claims)


class Published(NamedTuple):
    """An answer whose data are written, what it says, and its figure, perhaps still being drawn."""

    answer: Answer
    findings: str
    claims: Sequence[Certificate]
    svg: Future[str]


def reproduce(
    names: Sequence[str] | None = None,
    *,
    quick: bool = False,
    jobs: int | None = None,
    out: str | Path = "results",
    seed: int | None = None,
    engine: str | Engine | None = None,
    scheduler: str | None = None,
    say: Callable[[str], None] = to_stderr,
) -> Report:
    """Compute experiments, check every claim, write data, figures and one page under `out`.

    What the store under `out` already holds is not computed again. `names` are those of the
    registry (all of them when None), `jobs` the worker processes (one per core when None),
    `engine` and `scheduler` say who computes, and `say` is told what is left out, damaged or begun.
    """
    started, computing = time.monotonic(), engine_of(engine, jobs, scheduler)
    chosen = [*(map(registry.find, names) if names else registry.EXPERIMENTS.values())]
    skipped = [experiment.lacking() for experiment in chosen if experiment.lacking()]
    for sentence in skipped:
        say(sentence)
    asked = [
        Asked(experiment, experiment.settings(quick, seed))
        for experiment in chosen
        if not experiment.lacking()
    ]
    folder = Path(out, "report")
    check_folder(folder, Path(out))
    for each in (folder, folder / "data", folder / "figures"):
        remove_old_parts(each)
    sections, failed = _sections(asked, folder, ("svg",) if quick else FORMATS, computing, say)
    there = {section.name for section in sections}
    missing = [e.name for e, _ in asked if e.name not in there]
    if missing:
        skipped.append(f"{', '.join(missing)} left out: not all cells could be computed.")
    origin = Origin(
        revision=revision(Path(__file__)),
        versions=versions(),
        wall_seconds=time.monotonic() - started,
        jobs=computing.workers,
        quick=quick,
        command=_command(names, quick, seed),
        skipped=skipped,
    )
    write_atomically(folder / "index.html", page(sections, origin).encode())
    if failed is not None:
        raise failed
    claims = [claim for section in sections for claim in section.claims]
    return Report(folder / "index.html", claims, skipped, time.monotonic() - started)


def _sections(
    asked: Sequence[Asked],
    folder: Path,
    kinds: tuple[str, ...],
    engine: Engine,
    say: Callable[[str], None],
) -> tuple[list[Section], CellsFailed | None]:
    """Answers in the order asked, each published while workers compute the others.

    Cells without a result do not take the others' sections away.
    """
    published: dict[str, Published] = {}
    failed: CellsFailed | None = None
    with ProcessPoolExecutor(cores(), children(), begin_patient_child) as artists:

        def publish(found: Answer) -> None:
            experiment, name = found.experiment, found.experiment.name
            write_data(found, folder)
            with starting():  # artists begin when there is something to draw
                svg = artists.submit(write_figures, experiment.drawn_by, name, folder, kinds)
            claims = experiment.certificates(found.table)
            published[name] = Published(found, experiment.findings(found.table), claims, svg)

        try:
            answer(asked, folder.parent, engine, publish, say)
        except CellsFailed as error:
            failed = error
        say("drawing")
        there = [published[e.name] for e, _ in asked if e.name in published]
        return [_section(each, kinds) for each in there], failed


def write_data(found: Answer, folder: Path) -> None:
    """The experiment's table as Parquet and CSV."""
    name = found.experiment.name
    found.write_parquet(folder / f"data/{name}.parquet")
    text = found.table.to_csv(index=False, float_format="%.12g", lineterminator="\n")
    write_atomically(folder / f"data/{name}.csv", text.encode())


def _section(published: Published, kinds: tuple[str, ...]) -> Section:
    """What the page says about an experiment."""
    found, findings = published.answer, published.findings
    experiment, name = found.experiment, found.experiment.name
    addresses = [
        f"data/{name}.parquet",
        f"data/{name}.csv",
        *(f"figures/{name}.{kind}" for kind in kinds),
    ]
    return Section(
        name=name,
        question=experiment.question,
        findings=findings,
        svg=inline_svg(published.svg.result(), name, f"Figure: {experiment.question} {findings}"),
        config=describe(found.config),
        claims=published.claims,
        rows=len(found.table),
        seconds=found.seconds,
        links={_label(address): address for address in addresses},
        chapter=registry.CHAPTERS.get(experiment.chapter, "Elsewhere"),
    )


def _label(address: str) -> str:
    kind = address.rsplit(".", 1)[1]
    return {"parquet": "Data: Parquet", "csv": "Data: CSV"}.get(kind, f"Figure: {kind.upper()}")


def _command(names: Sequence[str] | None, quick: bool, seed: int | None) -> str:
    words = ["soloc", "reproduce"]
    words += ["--only", *names] if names else []
    words += ["--quick"] if quick else []
    words += ["--seed", str(seed)] if seed is not None else []
    return shlex.join(words)
