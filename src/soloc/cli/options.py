"""Options of every command on experiments; imports nothing heavy, so that help comes at once."""

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from soloc.runs.engines.calls import Engine


def add_common_options(parser: ArgumentParser) -> None:
    """Register them."""
    parser.add_argument(
        "--quick", action="store_true", help="fewer runs and coarser grids, to see that all works"
    )
    parser.add_argument(
        "--seed",
        type=int,
        metavar="N",
        help="seed of every random draw (each experiment has its own)",
    )
    add_engine_options(parser)


def add_engine_options(parser: ArgumentParser) -> None:
    """Register who computes, and where results go."""
    parser.add_argument(
        "--jobs",
        type=int,
        metavar="N",
        help="worker processes (default: one per core)",
    )
    parser.add_argument("--engine", metavar="NAME", help="who computes: local (default) or dask")
    parser.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="of a Dask cluster, as tcp://host:8786",
    )
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("results"),
        metavar="DIR",
        help="where results are kept (results)",
    )


def check_seed(seed: int | None) -> None:
    """Refuse a seed that some random generator does not take."""
    if seed is not None and not 0 <= seed < 2**32:
        raise ValueError(f"`--seed` must be from 0 to {2**32 - 1}, got {seed}; choose another one.")


def engine_of(options: Namespace) -> "Engine":
    """The engine that the options name."""
    from soloc.runs.engines import registry  # here: help comes at once

    return registry.engine_of(options.engine, options.jobs, options.scheduler)
