"""`soloc run NAME --set key=value`: one experiment at settings of one's own, as a table and a
figure.
"""

from argparse import Namespace
from pathlib import Path
from typing import Any

from soloc.cli.answers import answer, configured, find
from soloc.cli.options import add_common_options, engine_of
from soloc.figures.export import figure_bytes
from soloc.report.drawings import draw
from soloc.runs.files import parquet_bytes, write_atomically
from soloc.runs.fingerprint import describe, digest


def add(subparsers: Any) -> None:
    """Register the command."""
    parser = subparsers.add_parser("run", help="one experiment at settings of your own")
    parser.add_argument("name", metavar="NAME", help="an experiment (`soloc list` names them)")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="change one setting (repeatable; lists as 1,2,3)",
    )
    add_common_options(parser)
    parser.set_defaults(run=run)


def run(options: Namespace) -> int:
    """Compute, write table and figure, print what was found."""
    experiment = find(options.name)
    config = configured(experiment, options.quick, options.seed, options.set)
    found = answer([(experiment, config)], options.out, engine_of(options))[0]
    stem = options.out / "runs" / f"{experiment.name}-{digest(describe(config))[:8]}"
    table_path, figure_path = Path(f"{stem}.parquet"), Path(f"{stem}.svg")
    write_atomically(table_path, parquet_bytes(found.table, found.facts))
    write_atomically(
        figure_path,
        figure_bytes(
            draw(experiment.figure or experiment.name, found.table), "svg", experiment.name
        ),
    )
    print(found.table.head(10).to_string(index=False))
    if len(found.table) > 10:
        print(f"... {len(found.table):,} rows in all")
    print(experiment.findings(found.table))
    print(table_path, figure_path, sep="\n")
    return 0
