"""Where the time of `soloc reproduce` goes: CPU seconds of every experiment, full and quick.

Each experiment is computed in a fresh worker, as `soloc reproduce` starts them, cell after cell;
what it spends in XLA's compiler is told apart. No compilation cache is used. The table is written
to where_time_goes.md beside this file; `--only NAME ...` prints rows and writes nothing.
"""

import argparse
import os
import sys
import time
from pathlib import Path

from soloc.report import workers
from soloc.runs.worker import Worker, pack

TABLE = Path(__file__).with_name("where_time_goes.md")


def profile(name: str, quick: bool) -> tuple[float, float, int]:
    """CPU seconds of all cells, of those XLA's compiler, and how many programs it made."""
    import jax

    from soloc.experiments.experiment import cells
    from soloc.experiments.registry import find

    compiled: list[float] = []
    jax.monitoring.register_event_duration_secs_listener(
        lambda event, seconds, **_: (
            compiled.append(seconds) if event.endswith("backend_compile_duration") else None
        )
    )
    experiment = find(name)
    began = time.process_time()
    for config in cells(experiment.settings(quick), experiment.axes):
        experiment.run(config)
    return time.process_time() - began, sum(compiled), len(compiled)


def rows(names: list[str]) -> list[tuple[str, str, list[tuple[float, float, int]]]]:
    """What every experiment that can run here takes, full and quick."""
    from soloc.experiments.registry import EXPERIMENTS

    found = []
    for experiment in EXPERIMENTS.values():
        if experiment.lacking() or (names and experiment.name not in names):
            continue
        numbers = []
        for quick in (False, True):
            worker = Worker()
            worker.send(pack(profile), [(experiment.name, quick)])
            worker.receive()
            reply = worker.receive()
            worker.close(busy=False)
            if reply.error is not None:
                raise reply.error
            numbers.append(reply.value)
        found.append((experiment.chapter, experiment.name, numbers))
        print(line(*found[-1]), flush=True)
    return found


def line(chapter: str, name: str, numbers: list[tuple[float, float, int]]) -> str:
    """A row of the table."""
    parts = [f"{cpu:.1f} | {compiling:.1f} | {made:.0f}" for cpu, compiling, made in numbers]
    return f"| {chapter} | {name} | {' | '.join(parts)} |"


def table(found: list[tuple[str, str, list[tuple[float, float, int]]]]) -> str:
    """All rows, the slowest first, and the sums of chapters."""
    head = [
        "# Where time goes",
        "",
        "CPU seconds of each experiment in a worker of its own (one thread, no compilation cache),",
        "XLA's compiler among them, and the programs that it made.",
        "Written by `python benchmarks/profile_experiments.py`.",
        "",
        "| chapter | experiment | full | compiling | programs | quick | compiling | programs |",
        "|---|---|---|---|---|---|---|---|",
    ]
    sums: dict[str, list[list[float]]] = {}
    for chapter, _, numbers in found:
        for which in (chapter, "all"):
            total = sums.setdefault(which, [[0.0] * 3, [0.0] * 3])
            for mine, new in zip(total, numbers, strict=True):
                mine[:] = [x + y for x, y in zip(mine, new, strict=True)]
    ordered = sorted(found, key=lambda row: -row[2][0][0])
    of_chapters = [line(f"**{chapter}**", "", numbers) for chapter, numbers in sums.items()]
    return "\n".join([*head, *(line(*row) for row in ordered), *of_chapters]) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME")
    options = parser.parse_args()
    os.environ["JAX_ENABLE_COMPILATION_CACHE"] = "0"
    workers.start()
    found = rows(options.only)
    if not options.only:
        TABLE.write_text(table(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
