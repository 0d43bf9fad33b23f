"""A process to kill: computes the toy experiment into a directory, then writes its table."""

import sys
from dataclasses import replace
from pathlib import Path

import pandas as pd
from toy_experiments import Config, noise

from soloc.runs import store as store_module
from soloc.runs.cells import cell_of, fill
from soloc.runs.engines.local import Local
from soloc.runs.files import parquet_bytes, write_atomically
from soloc.runs.store import Store

if __name__ == "__main__":
    directory, jobs, pause = Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
    store_module.FLUSH_SECONDS = pause  # many segments in a short run
    config = Config(pause=pause)
    cells = [cell_of("toy", noise, replace(config, sizes=(size,)), pause) for size in config.sizes]
    store = Store(directory / "cache")
    fill(cells, store, Local(jobs))
    table = pd.concat([store.get("toy", cell.key) for cell in cells], ignore_index=True)
    write_atomically(directory / "toy.parquet", parquet_bytes(table, {"seed": 0}))
