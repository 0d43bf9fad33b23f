"""A table larger than memory: `soloc fit` and `soloc predict` under a limit; and a part of it both
from disk and in memory.

    python benchmarks/check_larger_than_memory.py          2 GB under 1 GB, 10 minutes
    python benchmarks/check_larger_than_memory.py --gb 1.1     just above where blocks begin

The limit is on the data segment of the process (RLIMIT_DATA: all private memory that it asks for),
and the largest resident size, libraries included, is held against its bar. The first 200 MB are
then fitted from disk and in memory: key, value and predictions must agree to 1e-6.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from threads import alone

WIDTH, LENGTH, GROUP = 50, 10, 40_000  # features, instances of a bag, rows of a row group
MEMORY = 2**30
BLOCK = 2**24  # bytes that are read together: a row group of 40,000 rows
PEAK = 300e6 + 2 * BLOCK  # of the whole process, libraries included
TOO_LARGE = 99  # exit code
BOTH_WAYS = """
import sys
import numpy as np
from soloc.estimators import Bags, SingleLocationRegressor
bags = Bags.from_parquet(sys.argv[1], "bag", label="label")
inside = bags[:]
assert bags.on_disk and not inside.on_disk
disk, memory = SingleLocationRegressor().fit(bags), SingleLocationRegressor().fit(inside)
for name in ("key_", "value_"):
    one, other = getattr(memory, name), getattr(disk, name)
    print(name, np.abs(one - other).max() / np.abs(one).max())
moved = np.abs(memory.predict(inside) - disk.predict(bags)).max()
print("predictions", moved / inside.labels.std())
"""


def write(path, gigabytes):
    """Bags of ten, one instance of which is far along the first feature and decides the label."""
    rows = int(gigabytes * 2**30 / WIDTH / 8) // GROUP * GROUP
    names = [f"x{i}" for i in range(WIDTH)]
    kinds = [
        ("bag", pa.int64()),
        ("label", pa.float64()),
        *((name, pa.float64()) for name in names),
    ]
    rng = np.random.default_rng(0)
    with pq.ParquetWriter(path, pa.schema(kinds), use_dictionary=False) as file:
        for start in range(0, rows, GROUP):
            x = rng.standard_normal((GROUP, WIDTH))
            decisive = np.arange(0, GROUP, LENGTH) + rng.integers(LENGTH, size=GROUP // LENGTH)
            x[decisive, 0] += 4
            label = x[decisive, 1] + 0.3 * rng.standard_normal(GROUP // LENGTH)
            frame = pd.DataFrame(x, columns=names)
            frame.insert(0, "bag", (start + np.arange(GROUP)) // LENGTH)
            frame.insert(1, "label", np.repeat(label, LENGTH))
            file.write_table(pa.Table.from_pandas(frame, preserve_index=False))
    return rows


def limited(*command):
    """Run a command of soloc under the limit; whether its largest resident size keeps the bar."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([sys.executable, "-c", WITH_LIMIT, *command])
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"  CPU {after.ru_utime - before.ru_utime:.0f} s", flush=True)
    if done.returncode not in (0, TOO_LARGE):
        raise SystemExit(f"soloc {command[0]} failed")
    return done.returncode == 0


WITH_LIMIT = f"""
import resource, sys
resource.setrlimit(resource.RLIMIT_DATA, ({MEMORY}, {MEMORY}))
from pathlib import Path
from soloc.cli import main
from soloc.cli.memory import choose_pool
choose_pool()  # as `main` does, before Arrow is imported
import pyarrow.parquet
from soloc import estimators

def largest():
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * int(next(line.split()[1] for line in lines if line.startswith("VmHWM")))

idle = largest()
code = main(sys.argv[1:])
peak = largest()
print(f"  largest resident size {{peak / 1e6:.0f}} MB, {{(peak - idle) / 1e6:.0f}} MB for the work"
      f" (bar {PEAK / 1e6:.0f} MB)", flush=True)
sys.exit(code or {TOO_LARGE} * (peak > {PEAK}))
"""


if __name__ == "__main__":
    alone()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gb", type=float, default=2.0)
    parser.add_argument("--folder", type=Path, help="where the table is written (default: /tmp)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        table, model = Path(folder) / "table.parquet", Path(folder) / "model.soloc"
        rows = write(table, options.gb)
        print(f"{rows:,} instances, {table.stat().st_size / 1e9:.2f} GB on disk", flush=True)
        print("soloc fit", flush=True)
        kept = limited("fit", str(table), "--bag", "bag", "--label", "label", "--out", str(model))
        print("soloc predict", flush=True)
        answers = str(Path(folder) / "answers.parquet")
        kept &= limited("predict", str(model), str(table), "--out", answers)
        kept &= len(pd.read_parquet(answers)) == rows // LENGTH
        print("PASS" if kept else "FAIL", "memory", flush=True)
        write(table, 0.2)  # the same rows again, as far as they go
        said = subprocess.run(
            [sys.executable, "-c", BOTH_WAYS, str(table)],
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        print(said)
        worst = max(float(line.split()[1]) for line in said.splitlines())
        alike = worst <= 1e-6
        print("PASS" if alike else "FAIL", f"largest relative difference {worst:.2g} (bar 1e-6)")
        sys.exit(0 if kept and alike else 1)
