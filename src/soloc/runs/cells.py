"""Cells of experiments: computed by an engine, written by the driver, never computed twice."""

from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, NamedTuple

import pandas as pd
import pyarrow as pa

from soloc.runs.engines.calls import Call, Engine, Outcome
from soloc.runs.fingerprint import code_version, describe, digest, versions, versions_of
from soloc.runs.progress import Progress
from soloc.runs.store import Store

_SAID = {"refused": "was refused", "failed": "failed", "lost": "was lost"}
_NAMED = 5  # cells that a sentence names


@dataclass(frozen=True)
class Cell:
    """One piece of an experiment: computed whole or not at all."""

    name: str
    run: Callable[[Any], Any]  #: pure, returns a table
    config: Any
    facts: Mapping[str, Any]  #: what decides the result
    seconds: float = 1.0  #: about how long it takes; decides the order, never the result

    @cached_property
    def key(self) -> str:
        """What decides the result, as a digest."""
        return digest({"name": self.name, **self.facts})


def cell_of(
    name: str,
    run: Callable[[Any], pd.DataFrame],
    config: Any,
    seconds: float = 1.0,
    needs: tuple[str, ...] = (),
) -> Cell:
    """A cell that config, code and versions decide; `needs` are optional modules that it uses."""
    described = describe(config)
    facts = {
        "config": described,
        "seed": described.get("seed") if isinstance(described, dict) else None,
        "code": code_version(run),
        "versions": {**versions(), **versions_of(needs)},
    }
    return Cell(name, run, config, facts, seconds)


class Failure(NamedTuple):
    """A cell without result, and why."""

    cell: Cell
    outcome: Outcome

    def __str__(self) -> str:
        last = (str(self.outcome.value).strip().splitlines() or [""])[-1]
        where = f"{self.cell.name} at {self.cell.facts['config']}"
        return f"{where} {_SAID[self.outcome.verdict]}: {last}"


class CellsFailed(RuntimeError):
    """Some cells have no result; all others are stored."""

    exit_code = 3
    table: pd.DataFrame | None = None  #: of a sweep, what there is

    def __init__(self, failures: Sequence[Failure]) -> None:
        self.failures = tuple(failures)
        named = "\n  ".join(map(str, failures[:_NAMED]))
        more = f"\n  and {len(failures) - _NAMED} more" if len(failures) > _NAMED else ""
        super().__init__(
            f"{len(failures)} {'cell has' if len(failures) == 1 else 'cells have'} no result; all"
            f" others are stored.\n  {named}{more}"
        )


def fill(
    cells: Sequence[Cell],
    store: Store,
    engine: Engine,
    progress: Progress | None = None,
    finished: Callable[[str], None] = lambda name: None,
    keep_going: bool = False,
) -> None:
    """Make the store hold all cells; those that it holds are not computed again.

    `finished` is called with the name of an experiment as soon as all its cells are stored. A
    refusal or a failure ends the run, unless it shall `keep_going`; a lost cell never does: at the
    end `CellsFailed` names those without result.
    """
    missing = missing_of(cells, store)
    open_cells = Counter(cell.name for cell in missing)
    for name in dict.fromkeys(cell.name for cell in cells):
        if name not in open_cells:
            finished(name)
    if not missing:
        return
    if progress is None:
        progress = Progress(sum(cell.seconds for cell in missing), engine.workers, len(missing))
    failures: list[Failure] = []
    outcomes = engine.run(calls_of(missing))
    try:
        for outcome in outcomes:
            store.tend()
            progress.show()
            if outcome is None:
                continue
            cell = missing[outcome.place]
            progress.finished(cell.seconds, outcome.seconds, cell.name)
            if outcome.verdict == "done":
                store.add(cell.name, cell.key, outcome.value, cell.facts, outcome.seconds)
                open_cells[cell.name] -= 1
                if open_cells[cell.name] == 0:
                    store.flush()
                    progress.line(f"  computed {cell.name}")
                    finished(cell.name)
            else:
                if not keep_going:
                    _refuse(cell, outcome)
                failures.append(Failure(cell, outcome))
    finally:
        progress.close()
        store.flush()
        if isinstance(outcomes, Generator):
            outcomes.close()  # its workers go now, not when somebody collects it
    if failures:
        raise CellsFailed(failures)


def missing_of(cells: Sequence[Cell], store: Store) -> list[Cell]:
    """The cells that the store does not hold, each once."""
    return [*{cell.key: cell for cell in cells if not store.holds(cell.name, cell.key)}.values()]


def _refuse(cell: Cell, outcome: Outcome) -> None:
    if outcome.verdict == "refused":
        raise ValueError(f"{cell.name}: {outcome.value}")
    if outcome.verdict == "failed":
        raise RuntimeError(f"{cell.name} failed on {cell.facts['config']}:\n{outcome.value}")


def calls_of(cells: Sequence[Cell]) -> list[Call]:
    """Cells with one function get one function object: workers keep what they compile for it."""
    functions: dict[Callable[..., Any], Callable[..., pa.Table]] = {}
    for cell in cells:
        functions.setdefault(cell.run, partial(table_of, cell.run))
    return [Call(functions[cell.run], (cell.config,), cell.seconds) for cell in cells]


def table_of(run: Callable[[Any], Any], config: Any) -> pa.Table:
    """What a cell computes, as the store wants it; this is what a worker calls."""
    result = run(config)
    if isinstance(result, pa.Table):
        return result
    return pa.Table.from_pandas(result, preserve_index=False)
