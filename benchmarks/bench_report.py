"""How long `soloc reproduce` takes on the clock, cold and again: the bars of the report.

python benchmarks/bench_report.py            the five experiments of the paper, and --quick
python benchmarks/bench_report.py --full     the whole report by chapters too, minutes

Cold is with an empty cache of compiled programs; the second time results are computed anew with
that cache. Of the later chapters, learning and heads, each is told alone, with the start of all
processes and without a bar; the bar is on what it adds to one run: the seconds of all chapters
minus those of all but it, both cold. For two quiet cores: the CPU seconds beside the clock, which
are those of the command without its workers, say whether they were.

Python's own bytecode is there, as pip leaves it for users: a first run that is not measured writes
it, whatever PYTHONDONTWRITEBYTECODE says here. Without it every process compiles what it imports.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

from bars import bar, results

from soloc.experiments.registry import EXPERIMENTS

ENVIRONMENT = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
PAPER = [name for name in EXPERIMENTS if name.startswith("training_")]
TODAY, LATER = ("training", "attention", "latent", "text"), ("learning", "heads")


def of(chapters: tuple[str, ...]) -> list[str]:
    """The experiments of these chapters that can run here."""
    found = [x for x in EXPERIMENTS.values() if x.chapter in chapters and not x.lacking()]
    return [x.name for x in found]


def reproduce(names: list[str], cache: Path, *options: str) -> float:
    """Seconds on the clock of a report in a new folder; CPU seconds are printed."""
    begun = resource.getrusage(resource.RUSAGE_CHILDREN)
    clock = time.perf_counter()
    with tempfile.TemporaryDirectory() as out:
        command = [sys.executable, "-m", "soloc", "reproduce", "--out", out, "--only", *names]
        subprocess.run(
            [*command, *options],
            env=ENVIRONMENT | {"XDG_CACHE_HOME": str(cache)},
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    seconds = time.perf_counter() - clock
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = ended.ru_utime - begun.ru_utime + ended.ru_stime - begun.ru_stime
    print(f"      ({seconds:.1f} s on the clock, {cpu:.1f} s of CPU seen)", flush=True)
    return seconds


def cold(chapters: Iterable[str], *options: str) -> float:
    """Seconds of these chapters with nothing compiled before."""
    with tempfile.TemporaryDirectory() as folder:
        return reproduce(of(tuple(chapters)), Path(folder), *options)


def later(limit: float, when: str, *options: str) -> None:
    """What each later chapter takes alone, and what it adds to one run of all."""
    together = cold([*TODAY, *LATER], *options)
    print(f"      all chapters, {when}: {together:.1f} s", flush=True)
    for chapter in LATER:
        print(f"      {chapter} alone, {when}: {cold([chapter], *options):.1f} s", flush=True)
        others = [each for each in (*TODAY, *LATER) if each != chapter]
        bar(f"what {chapter} adds, {when}", together - cold(others, *options), limit, "s")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true")
    options = parser.parse_args()
    cold([*TODAY, *LATER], "--quick")  # for the bytecode
    with tempfile.TemporaryDirectory() as folder:
        cache = Path(folder)
        bar("the five experiments of the paper, cold", reproduce(PAPER, cache), 15, "s")
        bar("the five experiments of the paper, again", reproduce(PAPER, cache), 12, "s")
    with tempfile.TemporaryDirectory() as folder:
        cache = Path(folder)
        for when, limit in (("cold", 20), ("again", 12)):
            bar(f"--quick, {', '.join(TODAY)}, {when}", reproduce(of(TODAY), cache, "--quick"),
                limit, "s")  # fmt: skip
    later(5, "--quick, cold", "--quick")
    if options.full:
        bar(f"{', '.join(TODAY)}, full, cold", cold(TODAY), 75, "s")
        later(30, "full, cold")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
