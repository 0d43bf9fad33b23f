"""`soloc figure NAME`: one experiment's figure as a file, computed only where the store does not
hold it.
"""

from argparse import Namespace
from pathlib import Path
from typing import Any

from soloc.cli.answers import answer, configured, find
from soloc.cli.options import add_common_options, engine_of
from soloc.figures.export import figure_bytes, kind_of
from soloc.report.drawings import draw
from soloc.runs.files import write_atomically


def add(subparsers: Any) -> None:
    """Register the command."""
    parser = subparsers.add_parser("figure", help="draw one experiment's figure")
    parser.add_argument("name", metavar="NAME", help="an experiment (`soloc list` names them)")
    parser.add_argument(
        "--file", type=Path, metavar="FILE", help="where to write it: .svg, .pdf or .png (NAME.svg)"
    )
    add_common_options(parser)
    parser.set_defaults(run=run)


def run(options: Namespace) -> int:
    """Write the figure and say where."""
    experiment = find(options.name)
    path = options.file or Path(f"{experiment.name}.svg")
    kind = kind_of(path)
    found = answer(
        [(experiment, configured(experiment, options.quick, options.seed))],
        options.out,
        engine_of(options),
    )[0]
    write_atomically(
        path,
        figure_bytes(
            draw(experiment.figure or experiment.name, found.table), kind, experiment.name
        ),
    )
    print(path)
    return 0
