"""What a cell costs beside its own work: a hundred thousand cells that do nothing.

    python benchmarks/bench_sweep.py [CELLS]

The bars are those of the issue: the driver's time a cell (its own CPU; the wall clock is printed
beside it), files, bytes, and a second run that finds everything done.
"""

import sys
import tempfile
import time
from pathlib import Path

from bars import bar, results

from soloc import sweep

CELLS = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
GRID = {"i": range(CELLS // 100), "j": range(100)}


def nothing(i: int, j: int) -> float:
    """A number, at once."""
    return i + 0.01 * j


def timed(out: Path, engine: str) -> tuple[float, float]:
    """CPU of the driver and wall clock of a sweep, in seconds."""
    cpu, wall = time.process_time(), time.perf_counter()
    table = sweep(nothing, GRID, out=out, engine=engine)
    assert len(table) == CELLS and table["value"].iloc[-1] == nothing(*table.iloc[-1][["i", "j"]])
    return time.process_time() - cpu, time.perf_counter() - wall


def measure(engine: str, most: float) -> None:
    """A cold and a warm sweep."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        cpu, wall = timed(out, engine)
        files = [path for path in out.rglob("*") if path.is_file()]
        size = sum(path.stat().st_size for path in files)
        _, warm = timed(out, engine)
    print(f"{engine}: {1e3 * wall / CELLS:.3f} ms a cell by the clock, {size / CELLS:.1f} bytes")
    bar(f"{engine}: driver, a cell", 1e3 * cpu / CELLS, most, "ms")
    bar(f"{engine}: files", len(files), 2000)
    bar(f"{engine}: bytes", size / 1e6, 50, "MB")
    bar(f"{engine}: a second run", warm, 30, "s")


if __name__ == "__main__":
    measure("local", 1.0)
    measure("dask", 6.0)
    sys.exit(not all(results))
