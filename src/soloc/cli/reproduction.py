"""The paper's results computed, checked and written down as one report: what `soloc reproduce`
does.
"""

import shlex
import sys
import time
from argparse import Namespace
from collections.abc import Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

from soloc.cli.answers import Answer, answer, configured, find
from soloc.cli.options import engine_of
from soloc.experiments import registry
from soloc.figures.formats import FORMATS
from soloc.report.drawings import write_figures
from soloc.report.inline import inline_svg
from soloc.report.page import Claim, Origin, Section, page
from soloc.runs.files import parquet_bytes, write_atomically
from soloc.runs.fingerprint import describe, revision, versions
from soloc.runs.processes import begin_child, children


class Published(NamedTuple):
    """An answer whose data are written, what it says, and its figure, perhaps still being drawn."""

    answer: Answer
    findings: str
    claims: Sequence[Claim]
    svg: Future[str]


def reproduce(options: Namespace) -> int:
    """Exit code 0 when every claim holds, 1 when one fails."""
    started = time.monotonic()
    chosen = [find(name) for name in options.only] if options.only else list(registry.EXPERIMENTS)
    skipped = [experiment.lacking() for experiment in chosen if experiment.lacking()]
    chosen = [experiment for experiment in chosen if not experiment.lacking()]
    for sentence in skipped:
        print(sentence, file=sys.stderr)
    wanted = [
        (experiment, configured(experiment, options.quick, options.seed)) for experiment in chosen
    ]
    folder = options.out / "report"
    kinds = ("svg",) if options.quick else FORMATS  # a quick look needs one format
    published: dict[str, Published] = {}
    with ProcessPoolExecutor(max(options.jobs, 1), children(), begin_child) as artists:

        def publish(found: Answer) -> None:  # while workers compute the others
            write_data(found, folder)
            experiment, name = found.experiment, found.experiment.name
            svg = artists.submit(write_figures, experiment.figure or name, name, folder, kinds)
            claims, findings = (
                experiment.certificates(found.table),
                experiment.findings(found.table),
            )
            published[name] = Published(found, findings, claims, svg)

        answer(wanted, options.out, engine_of(options), publish)
        print("drawing", file=sys.stderr)
        sections = [_section(published[experiment.name], kinds) for experiment in chosen]
    origin = Origin(
        revision=revision(Path(__file__)),
        versions=versions(),
        wall_seconds=time.monotonic() - started,
        jobs=options.jobs,
        quick=options.quick,
        command=_command(options),
        skipped=skipped,
    )
    write_atomically(folder / "index.html", page(sections, origin).encode())
    claims = [claim for section in sections for claim in section.claims]
    _print_claims(claims)
    print(f"{folder / 'index.html'}  ({time.monotonic() - started:.1f} s)")
    return 0 if all(claim.passed for claim in claims) else 1


def write_data(found: Answer, folder: Path) -> None:
    """The experiment's table as Parquet and CSV."""
    name = found.experiment.name
    write_atomically(folder / f"data/{name}.parquet", parquet_bytes(found.table, found.facts))
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
    )


def _label(address: str) -> str:
    kind = address.rsplit(".", 1)[1]
    return {"parquet": "Data: Parquet", "csv": "Data: CSV"}.get(kind, f"Figure: {kind.upper()}")


def _command(options: Namespace) -> str:
    words = ["soloc", "reproduce"]
    words += ["--only", *options.only] if options.only else []
    words += ["--quick"] if options.quick else []
    words += ["--seed", str(options.seed)] if options.seed is not None else []
    return shlex.join(words)


def _print_claims(claims: list[Claim]) -> None:
    for claim in claims:
        mark = "holds" if claim.passed else "FAILS"
        stream = sys.stdout if claim.passed else sys.stderr
        print(f"{mark}  {claim.claim}  [{claim.measured}]", file=stream)
    print(f"{sum(claim.passed for claim in claims)} of {len(claims)} claims hold.")
