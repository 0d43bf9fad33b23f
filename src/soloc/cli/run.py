"""`soloc run NAME --set key=value`: one experiment at settings of one's own."""

from argparse import Namespace
from typing import Any

from soloc.cli.options import add_common_options, check_seed


def add(subparsers: Any) -> None:
    """Register the command."""
    parser = subparsers.add_parser("run", help="one experiment at settings of your own")
    parser.add_argument("name", metavar="NAME", help="an experiment (`soloc list` names them)")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="change one setting (repeatable; lists as 1,2,3; `soloc list NAME` shows them)",
    )
    add_common_options(parser)
    parser.set_defaults(run=run)


def run(options: Namespace) -> int:
    """Compute, write table and figure, print what was found."""
    from soloc.cli.assignments import assigned
    from soloc.experiments.registry import find
    from soloc.report import one_experiment

    check_seed(options.seed)
    config = find(options.name).settings(options.quick)
    changes = assigned(options.name, config, options.set)
    kept = one_experiment.run(
        options.name,
        changes,
        quick=options.quick,
        jobs=options.jobs,
        out=options.out,
        seed=options.seed,
        engine=options.engine,
        scheduler=options.scheduler,
    )
    found = kept.answer
    print(found.table.head(10).to_string(index=False))
    if len(found.table) > 10:
        print(f"... {len(found.table):,} rows in all")
    print(found.experiment.findings(found.table))
    print(kept.table, kept.figure, sep="\n")
    return 0
