"""What a cell costs beside its own work: a hundred thousand cells that do nothing.

    python benchmarks/bench_sweep.py [CELLS]

The bars are those of the issue: the driver's time a cell (its own CPU; the wall clock is printed
beside it), files, bytes, and a second run that finds everything done.
"""

import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from soloc import sweep

CELLS = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
GRID = {"i": range(CELLS // 100), "j": range(100)}


class Bar(NamedTuple):
    """A number and what it may be at most."""

    what: str
    found: float
    most: float

    def __str__(self) -> str:
        mark = "ok" if self.found <= self.most else "TOO MUCH"
        return f"{self.what:<48} {self.found:>10.3f}  (at most {self.most:g})  {mark}"


def nothing(i: int, j: int) -> float:
    """A number, at once."""
    return i + 0.01 * j


def timed(out: Path, engine: str) -> tuple[float, float]:
    """CPU of the driver and wall clock of a sweep, in seconds."""
    cpu, wall = time.process_time(), time.perf_counter()
    table = sweep(nothing, GRID, out=out, engine=engine)
    assert len(table) == CELLS and table["value"].iloc[-1] == nothing(*table.iloc[-1][["i", "j"]])
    return time.process_time() - cpu, time.perf_counter() - wall


def bars(engine: str, most: float) -> list[Bar]:
    """A cold and a warm sweep."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        cpu, wall = timed(out, engine)
        files = [path for path in out.rglob("*") if path.is_file()]
        size = sum(path.stat().st_size for path in files)
        _, warm = timed(out, engine)
    print(f"{engine}: {1e3 * wall / CELLS:.3f} ms a cell by the clock, {size / CELLS:.1f} bytes")
    return [
        Bar(f"{engine}: driver, ms a cell", 1e3 * cpu / CELLS, most),
        Bar(f"{engine}: files", len(files), 2000),
        Bar(f"{engine}: MB", size / 1e6, 50),
        Bar(f"{engine}: a second run, seconds", warm, 30),
    ]


if __name__ == "__main__":
    found = [*bars("local", 1.0), *bars("dask", 6.0)]
    print(*found, sep="\n")
    sys.exit(any(bar.found > bar.most for bar in found))
