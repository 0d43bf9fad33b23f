"""The local engine: cells of experiments on the processes of this machine, each result stored the
moment it exists.

Every worker owns one pipe and computes one cell at a time on one thread, so results do not depend
on the number of workers or cores, and a kill at any moment loses the cells in flight and nothing
else.
"""

import time
import traceback
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from soloc.runs.fingerprint import code_version, describe, digest, versions, versions_of
from soloc.runs.processes import begin_child, children, one_thread
from soloc.runs.progress import Progress
from soloc.runs.store import Store

_REDRAW = 0.2  # seconds between two looks at the clock


class Cell(NamedTuple):
    """One piece of an experiment: computed whole or not at all."""

    name: str
    run: Callable[[Any], pd.DataFrame]
    config: Any
    #: about how long it takes; decides order and the time left, never the result
    seconds: float = 1.0
    #: optional modules that it uses; their versions are part of what decides it
    needs: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """What decides the result, as a digest."""
        return digest({"name": self.name, **self.facts})

    @property
    def facts(self) -> dict[str, Any]:
        """What the stored table says about itself."""
        config = describe(self.config)
        return {
            "config": config,
            "seed": config.get("seed") if isinstance(config, dict) else None,
            "code": code_version(self.run),
            "versions": {**versions(), **versions_of(self.needs)},
        }


def compute(
    cells: Sequence[Cell],
    store: Store,
    jobs: int,
    progress: Progress | None = None,
    finished: Callable[[str], None] = lambda name: None,
) -> list[pd.DataFrame]:
    """The tables of all cells, in order; those that the store vouches for are not computed again.

    `finished` is called with the name of an experiment as soon as all its cells are stored.
    """
    if isinstance(jobs, bool) or not isinstance(jobs, int) or jobs < 1:
        raise ValueError(f"`jobs` must be a whole number >= 1, got {jobs!r}.")
    store.sweep()
    tables = [store.get(cell.name, cell.key) for cell in cells]
    missing = sorted(
        (i for i, table in enumerate(tables) if table is None), key=lambda i: -cells[i].seconds
    )
    waiting_for = {cells[i].name for i in missing}
    for name in dict.fromkeys(cell.name for cell in cells):
        if name not in waiting_for:
            finished(name)
    if missing:
        progress = progress or Progress(sum(cells[i].seconds for i in missing), jobs)
        _compute_missing(
            [cells[i] for i in missing], store, min(jobs, len(missing)), progress, finished
        )
        for i in missing:
            tables[i] = store.get(cells[i].name, cells[i].key)
        # a worker of a killed run may have died since the first look, in the middle of a file
        store.sweep()
    lost = [cell.name for cell, table in zip(cells, tables, strict=True) if table is None]
    if lost:
        raise OSError(
            f"{store.directory} does not keep what is written to it ({lost[0]}): check the disk."
        )
    return [table for table in tables if table is not None]


class _Worker:
    def __init__(self, directory: Path) -> None:
        context = children()
        self.pipe, far_end = context.Pipe()
        self.process = context.Process(target=_serve, args=(far_end, directory), daemon=True)
        self.process.start()
        far_end.close()
        self.cell: Cell | None = None
        self.since = 0.0

    def take(self, cell: Cell) -> None:
        self.cell, self.since = cell, time.monotonic()
        # what decides it is found once, not again by every worker
        self.pipe.send((cell, cell.key, cell.facts))


def _compute_missing(
    waiting: list[Cell],
    store: Store,
    jobs: int,
    progress: Progress,
    finished: Callable[[str], None],
) -> None:
    remaining = {cell.name: sum(other.name == cell.name for other in waiting) for cell in waiting}
    workers: list[_Worker] = []
    done: list[str] = []
    try:
        with one_thread():
            workers = [_Worker(store.directory) for _ in range(jobs)]
        for worker in workers:
            worker.take(waiting.pop(0))
        while busy := [worker for worker in workers if worker.cell is not None]:
            ready = wait([worker.pipe for worker in busy], timeout=_REDRAW)
            for worker in busy:
                if worker.pipe in ready:
                    cell = worker.cell
                    assert cell is not None
                    progress.finished(cell.seconds, _receive(worker, cell))
                    remaining[cell.name] -= 1
                    if remaining[cell.name] == 0:
                        progress.line(f"  computed {cell.name}")
                        done.append(cell.name)
                    worker.cell = None
                    if waiting:
                        worker.take(waiting.pop(_following(waiting, cell)))
            while done:
                finished(done.pop(0))
            now = time.monotonic()
            in_flight = [
                (worker.cell.name, now - worker.since)
                for worker in workers
                if worker.cell is not None
            ]
            progress.show(
                ", ".join(dict.fromkeys(name for name, _ in in_flight)),
                sum(age for _, age in in_flight),
            )
    finally:
        progress.close()
        for worker in workers:
            worker.pipe.close()
            worker.process.kill()
            worker.process.join()


def _following(waiting: list[Cell], done: Cell) -> int:
    """The longest cell of the experiment that a worker has just compiled for, else the longest of
    all.
    """
    return next((i for i, cell in enumerate(waiting) if cell.name == done.name), 0)


def _receive(worker: _Worker, cell: Cell) -> float:
    try:
        verdict, value = worker.pipe.recv()
    except (EOFError, OSError):
        raise OSError(
            f"a worker process ended while it computed {cell.name} (out of memory?). What was"
            " finished is kept: run the command again, with `--jobs 1` if memory is short."
        ) from None
    if verdict == "refused":
        raise ValueError(f"{cell.name}: {value}")
    if verdict == "failed":
        raise RuntimeError(f"{cell.name} failed on {describe(cell.config)}:\n{value}")
    return value


def _serve(pipe: Connection, directory: Path) -> None:
    """Worker: compute cells until the pipe closes; end at once when the parent dies."""
    begin_child()
    store = Store(directory)
    while True:
        try:
            cell, key, facts = pipe.recv()
        except (EOFError, OSError):
            return
        started = time.perf_counter()
        try:
            table = cell.run(cell.config)
            seconds = time.perf_counter() - started
            store.put(cell.name, key, table, facts, seconds)
            pipe.send(("done", seconds))
        except ValueError as error:
            pipe.send(("refused", str(error)))
        except Exception:
            pipe.send(("failed", traceback.format_exc()))
