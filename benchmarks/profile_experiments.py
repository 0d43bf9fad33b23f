"""Where the time of `soloc reproduce` goes: CPU seconds of every experiment, full and quick.

Each experiment is computed in a fresh worker, as `soloc reproduce` starts them, cell after cell,
without programs that were compiled before. The table is written to where_time_goes.md beside this
file; `--only NAME ...` renews these rows of it.
"""

import argparse
import os
import sys
import time
from pathlib import Path
from typing import NamedTuple

from soloc.report import workers
from soloc.runs.worker import Worker, pack

TABLE = Path(__file__).with_name("where_time_goes.md")


class Cost(NamedTuple):
    """What an experiment takes."""

    seconds: float  #: of CPU, all cells together
    programs: int  #: that XLA compiled


class Row(NamedTuple):
    """An experiment with its costs."""

    chapter: str
    name: str
    full: Cost
    quick: Cost

    def __str__(self) -> str:
        costs = [f"{cost.seconds:.1f} | {cost.programs}" for cost in (self.full, self.quick)]
        return f"| {self.chapter} | {self.name} | {' | '.join(costs)} |"


def profile(name: str, quick: bool) -> tuple[float, int]:
    """All cells of an experiment, one after the other."""
    import jax

    from soloc.experiments.experiment import cells
    from soloc.experiments.registry import find

    compiled: list[str] = []
    jax.monitoring.register_event_duration_secs_listener(
        lambda event, seconds, **_: (
            compiled.append(event) if event.endswith("backend_compile_duration") else None
        )
    )
    experiment = find(name)
    began = time.process_time()
    for config in cells(experiment.settings(quick), experiment.axes):
        experiment.run(config)
    return time.process_time() - began, len(compiled)


def in_worker(name: str, quick: bool) -> Cost:
    """The same in a process of its own."""
    worker = Worker()
    worker.send(pack(profile), [(name, quick)])
    worker.receive()  # it has begun
    reply = worker.receive()
    worker.close(busy=False)
    if reply.error is not None:
        raise reply.error
    return Cost(*reply.value)


def measured(names: list[str]) -> list[Row]:
    """Rows of the experiments that can run here, printed as they come."""
    from soloc.experiments.registry import EXPERIMENTS

    found = []
    for experiment in EXPERIMENTS.values():
        if not experiment.lacking() and (not names or experiment.name in names):
            costs = [in_worker(experiment.name, quick) for quick in (False, True)]
            found.append(Row(experiment.chapter, experiment.name, *costs))
            print(found[-1], flush=True)
    return found


def read(text: str) -> list[Row]:
    """The rows of experiments in a table that was written."""
    rows = []
    for line in text.splitlines():
        parts = [part.strip() for part in line.strip("|").split("|")]
        if len(parts) == 6 and parts[1] and parts[3].isdigit():
            costs = [Cost(float(parts[i]), int(parts[i + 1])) for i in (2, 4)]
            rows.append(Row(parts[0], parts[1], *costs))
    return rows


def table(rows: list[Row]) -> str:
    """All rows, the slowest first, and the sums of chapters."""
    head = (
        "# Where time goes\n\nCPU seconds of each experiment in a worker of its own (one thread,"
        " nothing compiled before), and the programs that XLA\ncompiled. Two cores take half."
        " Written by `python benchmarks/profile_experiments.py`.\n\n"
        "| chapter | experiment | full | programs | quick | programs |\n|---|---|---|---|---|---|\n"
    )
    sums = []
    for chapter in [*dict.fromkeys(row.chapter for row in rows), "all"]:
        inside = [row for row in rows if chapter in (row.chapter, "all")]
        costs = [
            Cost(sum(cost.seconds for cost in column), sum(cost.programs for cost in column))
            for column in zip(*((row.full, row.quick) for row in inside), strict=True)
        ]
        sums.append(Row(f"**{chapter}**", "", *costs))
    ordered = sorted(rows, key=lambda row: -row.full.seconds)
    return head + "".join(f"{row}\n" for row in [*ordered, *sums])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME")
    options = parser.parse_args()
    os.environ["JAX_ENABLE_COMPILATION_CACHE"] = "0"
    workers.start()
    new = measured(options.only)
    names = [row.name for row in new]
    before = read(TABLE.read_text()) if options.only and TABLE.exists() else []
    TABLE.write_text(table([*(row for row in before if row.name not in names), *new]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
