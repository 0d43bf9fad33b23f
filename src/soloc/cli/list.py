"""`soloc list`: the experiments, with the question that each asks."""

from argparse import Namespace
from typing import Any

from soloc.experiments import registry


def add(subparsers: Any) -> None:
    """Register the command."""
    parser = subparsers.add_parser("list", help="the experiments, with the question that each asks")
    parser.set_defaults(run=run)


def run(options: Namespace) -> int:
    """Print one line per experiment."""
    width = max(len(experiment.name) for experiment in registry.EXPERIMENTS)
    for experiment in registry.EXPERIMENTS:
        print(f"{experiment.name:<{width}}  {experiment.question}")
    return 0
