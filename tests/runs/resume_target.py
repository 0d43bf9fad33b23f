"""A process to kill: computes the toy experiment into the directory of its first argument, then
writes its table.
"""

import sys
from dataclasses import replace
from pathlib import Path

import pandas as pd
from toy_experiments import Config, noise

from soloc.runs.local import Cell, compute
from soloc.runs.store import Store, parquet_bytes, write_atomically

if __name__ == "__main__":
    directory, jobs, pause = Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
    config = Config(pause=pause)
    cells = [Cell("toy", noise, replace(config, sizes=(size,)), pause) for size in config.sizes]
    tables = compute(cells, Store(directory / "cache"), jobs)
    write_atomically(
        directory / "toy.parquet", parquet_bytes(pd.concat(tables, ignore_index=True), {"seed": 0})
    )
