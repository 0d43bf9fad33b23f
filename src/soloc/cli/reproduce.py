"""`soloc reproduce`: compute the paper's results and what follows from them, check every claim, write the report."""

import shlex
import sys
import time
from argparse import Namespace
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from soloc.cli.answers import Answer, add_common_options, answer, configured, find
from soloc.experiments import registry
from soloc.figures.export import FORMATS
from soloc.report.drawings import write_figures
from soloc.report.inline import inline_svg
from soloc.report.page import Claim, Origin, Section, page
from soloc.runs.fingerprint import describe, revision, versions
from soloc.runs.local import end_with_parent
from soloc.runs.store import parquet_bytes, write_atomically


def add(subparsers: Any) -> None:
    """Register the command."""
    parser = subparsers.add_parser(
        "reproduce", help="compute the paper's results, check every claim, write the report"
    )
    parser.add_argument(
        "--only", nargs="+", metavar="NAME", help="these experiments alone (`soloc list` names them)"
    )
    add_common_options(parser)
    parser.set_defaults(run=run)


def run(options: Namespace) -> int:
    """Exit code 0 when every claim holds, 1 when one fails."""
    started = time.monotonic()
    chosen = [find(name) for name in options.only] if options.only else list(registry.EXPERIMENTS)
    skipped = [experiment.lacking() for experiment in chosen if experiment.lacking()]
    chosen = [experiment for experiment in chosen if not experiment.lacking()]
    for sentence in skipped:
        print(sentence, file=sys.stderr)
    wanted = [(experiment, configured(experiment, options.quick, options.seed)) for experiment in chosen]
    folder = options.out / "report"
    kinds = ("svg",) if options.quick else FORMATS  # a quick look needs one format
    with ProcessPoolExecutor(1, get_context("spawn"), end_with_parent) as artist:  # draws while workers compute
        drawn = {}

        def publish(found: Answer) -> None:
            write_data(found, folder)
            name = found.experiment.name
            drawn[name] = artist.submit(write_figures, found.experiment.figure or name, name, folder, kinds)

        answers = answer(wanted, options.out, options.jobs, publish)
        print("drawing", file=sys.stderr)
        sections = [_section(found, drawn[found.experiment.name].result(), kinds) for found in answers]
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


def _section(found: Answer, svg: str, kinds: tuple[str, ...]) -> Section:
    """What the page says about an experiment."""
    experiment, name = found.experiment, found.experiment.name
    findings = experiment.findings(found.table)
    addresses = [f"data/{name}.parquet", f"data/{name}.csv", *(f"figures/{name}.{kind}" for kind in kinds)]
    return Section(
        name=name,
        question=experiment.question,
        findings=findings,
        svg=inline_svg(svg, name, f"Figure: {experiment.question} {findings}"),
        config=describe(found.config),
        claims=experiment.certificates(found.table),
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
