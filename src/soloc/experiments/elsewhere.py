"""Weights registered from outside soloc, taken along to the process that computes a cell.

A worker imports soloc, not the user's file, so that its catalogue lacks what a user registered.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from soloc.predictors import catalogue
from soloc.predictors.catalogue import Entry


def from_elsewhere() -> list[Entry]:
    """The entries of the catalogue whose classes are not soloc's own."""
    entries = catalogue.WEIGHTS.values()
    return [entry for entry in entries if entry.kind.__module__.split(".")[0] != "soloc"]


def taking_along(run: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """`run`, after registering what it may look up; `run` itself when all of it is soloc's."""
    entries = from_elsewhere()
    return partial(_registered_first, entries, run) if entries else run


def _registered_first(entries: Sequence[Entry], run: Callable[[Any], Any], config: Any) -> Any:
    for entry in entries:
        catalogue.WEIGHTS[entry.name] = entry
    return run(config)
