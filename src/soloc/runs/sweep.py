"""A sweep: one function at every point of a grid, as one table."""

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa

from soloc.runs.cells import Cell, CellsFailed, calls_of, fill, missing_of
from soloc.runs.engines.calls import Engine
from soloc.runs.engines.registry import engine_of
from soloc.runs.files import parquet_bytes, write_atomically
from soloc.runs.fingerprint import canonical
from soloc.runs.grid import points_of, takes_key
from soloc.runs.source import source_version
from soloc.runs.store import Store
from soloc.version import __version__

_TRIALS = 6  # cells that a plan computes: the first ones compile, the others tell the time
_OVERHEAD = 60  # bytes of a cell on disk beside its own numbers


def sweep(
    function: Callable[..., Any],
    grid: Any,
    *,
    out: Any,
    jobs: int | None = None,
    engine: Any = None,
    seed: int = 0,
) -> pd.DataFrame:
    """`function` at every point of `grid`: a table of the grid's columns and then its results.

    What is finished is kept in `out`: the same call again computes only what is missing, or what a
    changed function makes new. `out/<function>.parquet` is the table.

    Parameters
    ----------
    function : takes the values of a point by name and returns a number, a dictionary of numbers
        and words (one row), or a table (some rows). If it names `key`, that is a JAX key which
        depends on `seed` and the point's own values alone.
    grid : a dictionary of lists, of which every combination is a point, or a data frame, of which
        every row is one.
    out : the directory of results; several sweeps, also at the same time, may share one.
    jobs : processes on this machine; one per core when not given.
    engine : "local", "dask", a `soloc.runs.engines.dask.Dask`, or any object with `run(calls)`.
    seed : of the keys.

    Raises
    ------
    CellsFailed : when points have no result. All others are computed and stored before; `table` of
        the error holds them.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> def square(x):
    ...     return x * x
    >>> sweep(square, {"x": [1, 2, 3]}, out=mkdtemp(), jobs=1)
       x  value
    0  1      1
    1  2      4
    2  3      9
    """
    task = sweep_of(function, grid, seed)
    store = Store(Path(out) / "cache")
    try:
        fill(task.cells, store, engine_of(engine, jobs), keep_going=True)
    except CellsFailed as failed:
        failed.table = _write(task, store, Path(out))
        raise
    return _write(task, store, Path(out))


class Sweep(NamedTuple):
    """A function and the cells of its grid."""

    name: str
    points: Sequence[Mapping[str, Any]]
    cells: Sequence[Cell]

    @property
    def facts(self) -> dict[str, Any]:
        """What the table says about itself."""
        facts = self.cells[0].facts
        decided = {name: facts[name] for name in ("seed", "code", "versions")}
        return {"sweep": self.name, "axes": [*self.points[0]], **decided}


@dataclass(frozen=True)
class _Point:
    """What a worker calls: the function at one point."""

    function: Callable[..., Any]
    seed: int
    takes_key: bool

    def __call__(self, values: dict[str, Any]) -> Any:
        key = {"key": key_of(self.seed, values)} if self.takes_key else {}
        result = self.function(**values, **key)
        table = as_table(result)
        names = table.columns if isinstance(table, pd.DataFrame) else table.column_names
        taken = [name for name in names if name in values]
        if taken:
            raise ValueError(
                f"a result must not have columns of the grid, got {', '.join(taken)}: leave them"
                " out."
            )
        return table


def sweep_of(function: Callable[..., Any], grid: Any, seed: int) -> Sweep:
    """The cells of a sweep: function, values, seed and version decide each."""
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise TypeError(f"`seed` must be a whole number, got {seed!r}.")
    points = points_of(grid)
    run = _Point(function, seed, takes_key(function, [*points[0]]))
    name = re.sub(r"[^\w.-]", "", getattr(function, "__name__", type(function).__name__))
    decided = {
        "seed": seed,
        "code": source_version(function),
        "versions": {"soloc": __version__},
    }
    return Sweep(
        name, points, [Cell(name, run, point, {"config": point, **decided}) for point in points]
    )


class Plan(NamedTuple):
    """What a sweep would cost."""

    cells: int
    stored: int
    seconds: float  #: of one cell, measured at a few
    disk: float  #: bytes that the missing cells will take


def plan(function: Callable[..., Any], grid: Any, *, out: Any, engine: Engine, seed: int) -> Plan:
    """The cost of a sweep, from a few of its missing cells; nothing is kept of them."""
    task = sweep_of(function, grid, seed)
    missing = missing_of(task.cells, Store(Path(out) / "cache"))
    if not missing:
        return Plan(len(task.cells), len(task.cells), 0.0, 0.0)
    some = [missing[i] for i in np.linspace(0, len(missing) - 1, _TRIALS).astype(int)]
    outcomes = [outcome for outcome in engine.run(calls_of(some)) if outcome is not None]
    done = [outcome for outcome in outcomes if outcome.verdict == "done"]
    if not done:
        raise ValueError(f"{task.name}: {str(outcomes[0].value).strip().splitlines()[-1]}")
    size = float(np.mean([outcome.value.nbytes for outcome in done])) + _OVERHEAD
    return Plan(
        len(task.cells),
        len(task.cells) - len(missing),
        min(outcome.seconds for outcome in outcomes),
        size * len(missing),
    )


def key_of(seed: int, values: Mapping[str, Any]) -> Any:
    """The JAX key of a point, from a digest of the seed and the values; 1 and 1.0 are one value."""
    import jax  # here: a sweep whose function names no key needs none

    plain = {
        name: int(value) if isinstance(value, float) and value.is_integer() else value
        for name, value in values.items()
    }
    content = hashlib.sha256(canonical([seed, plain]).encode()).digest()
    return jax.random.wrap_key_data(jax.numpy.asarray(np.frombuffer(content[:8], np.uint32)))


def as_table(result: Any) -> pa.Table | pd.DataFrame:
    """A number, a dictionary or a table as a table."""
    if isinstance(result, (pa.Table, pd.DataFrame)):
        return result
    row = result if isinstance(result, Mapping) else {"value": result}
    if not row:
        raise TypeError("a result must have a number in it, got an empty dictionary.")
    return pa.table({str(name): [_plain(name, value)] for name, value in row.items()})


def _plain(name: Any, value: Any) -> Any:
    if hasattr(value, "item") and getattr(value, "ndim", 1) == 0:
        value = value.item()
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise TypeError(
        "a result must be a number, a dictionary of numbers and words, or a table; got"
        f" {type(value).__name__} for {name!r}."
    )


def _write(task: Sweep, store: Store, out: Path) -> pd.DataFrame:
    """The finished rows in the order of the grid, returned and written."""
    blocks = [
        (rows.places, rows.table.to_pandas())
        for rows in store.rows(task.name, [cell.key for cell in task.cells])
        if len(rows.places)
    ]
    blocks.sort(key=lambda block: int(block[0].min()))  # whose columns come first
    places = np.concatenate([np.zeros(0, int), *(block[0] for block in blocks)])
    results = pd.concat([block[1] for block in blocks]) if blocks else pd.DataFrame()
    order = np.argsort(places, kind="stable")
    grid = pd.DataFrame([*task.points]).iloc[places[order]].reset_index(drop=True)
    table = pd.concat([grid, results.iloc[order].reset_index(drop=True)], axis=1)
    write_atomically(out / f"{task.name}.parquet", parquet_bytes(table, task.facts))
    return table
