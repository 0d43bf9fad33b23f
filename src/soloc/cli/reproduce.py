"""`soloc reproduce`: compute the paper's results, check every claim, write the report."""

import sys
from argparse import Namespace
from typing import Any

from soloc.cli.options import add_common_options, check_seed


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
    from soloc.report import workers

    check_seed(options.seed)
    workers.start()
    from soloc.report.reproduction import reproduce  # here: the server imports at the same time

    report = reproduce(
        options.only,
        quick=options.quick,
        jobs=options.jobs,
        out=options.out,
        seed=options.seed,
        engine=options.engine,
        scheduler=options.scheduler,
    )
    for claim in report.claims:
        mark = "holds" if claim.passed else "FAILS"
        stream = sys.stdout if claim.passed else sys.stderr
        print(f"{mark}  {claim.claim}  [{claim.measured}]", file=stream)
    print(f"{sum(claim.passed for claim in report.claims)} of {len(report.claims)} claims hold.")
    print(f"{report.page}  ({report.seconds:.1f} s)")
    return 0 if report.holds else 1
