"""`soloc list`: the experiments with the question that each asks, or the settings of one."""

from argparse import Namespace
from dataclasses import fields
from typing import Any


def add(subparsers: Any) -> None:
    """Register the command."""
    parser = subparsers.add_parser("list", help="the experiments, with the question that each asks")
    parser.add_argument("name", nargs="?", metavar="NAME", help="show the settings of this one")
    parser.set_defaults(run=run)


def run(options: Namespace) -> int:
    """Print one line per experiment, or per setting of one."""
    from soloc.experiments import registry

    if options.name is not None:
        return _settings(registry.find(options.name))
    width = max(map(len, registry.EXPERIMENTS))
    for chapter in dict.fromkeys(e.chapter for e in registry.EXPERIMENTS.values()):
        print(f"{chapter}:")
        for experiment in registry.chapter(chapter):
            print(f"  {experiment.name:<{width}}  {experiment.question}")
    return 0


def _settings(experiment: Any) -> int:
    from soloc.cli.assignments import brief

    full, quick = experiment.settings(), experiment.settings(quick=True)
    print(experiment.question)
    rows = [
        (f.name, brief(getattr(full, f.name)), brief(getattr(quick, f.name))) for f in fields(full)
    ]
    head = ("setting", "value", "with --quick")
    widths = [max(len(row[i]) for row in (head, *rows)) for i in range(2)]
    for name, value, few in (head, *rows):
        print(f"{name:<{widths[0]}}  {value:<{widths[1]}}  {few}")
    print(f"Change one: soloc run {experiment.name} --set {rows[0][0]}={rows[0][2]}")
    if experiment.lacking():
        print(experiment.lacking())
    return 0
