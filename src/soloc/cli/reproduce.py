"""`soloc reproduce`: compute the paper's results and what follows from them, check every claim,
write the report.
"""

from argparse import Namespace
from typing import Any

from soloc.cli.options import add_common_options
from soloc.runs.processes import start_server

#: What cells and figures need: imported once, by the server of workers, while this process imports
#: for itself.
PRELOADED = (
    "soloc.experiments.registry",
    "soloc.runs.cells",
    "soloc.report.drawings",
    "soloc.figures.export",
)


def add(subparsers: Any) -> None:
    """Register the command."""
    parser = subparsers.add_parser(
        "reproduce", help="compute the paper's results, check every claim, write the report"
    )
    parser.add_argument(
        "--only",
        nargs="+",
        metavar="NAME",
        help="these experiments alone (`soloc list` names them)",
    )
    add_common_options(parser)
    parser.set_defaults(run=run)


def run(options: Namespace) -> int:
    """Exit code 0 when every claim holds, 1 when one fails."""
    start_server(PRELOADED)
    from soloc.cli.reproduction import reproduce  # here: the server imports at the same time

    return reproduce(options)
