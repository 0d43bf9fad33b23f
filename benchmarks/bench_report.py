"""How long `soloc reproduce` takes on the clock, cold and again: the bars of the report.

python benchmarks/bench_report.py            the five experiments of the paper, and --quick
python benchmarks/bench_report.py --full     the whole report by chapters too, minutes

Cold is with an empty cache of compiled programs; the second time results are computed anew with
that cache. For two quiet cores: the CPU seconds beside the clock say whether they were.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bars import bar, results

from soloc.experiments.registry import EXPERIMENTS

PAPER = [name for name in EXPERIMENTS if name.startswith("training_")]
TODAY, LATER = ("training", "attention", "latent", "text"), ("learning", "heads")
CHAPTERS = {TODAY: 75, ("learning",): 30, ("heads",): 30}


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
            env=os.environ | {"XDG_CACHE_HOME": str(cache)},
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    seconds = time.perf_counter() - clock
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = ended.ru_utime - begun.ru_utime + ended.ru_stime - begun.ru_stime
    print(f"      ({seconds:.1f} s on the clock, {cpu:.1f} s of CPU seen)", flush=True)
    return seconds


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        cache = Path(folder)
        bar("the five experiments of the paper, cold", reproduce(PAPER, cache), 15, "s")
        bar("the five experiments of the paper, again", reproduce(PAPER, cache), 12, "s")
    with tempfile.TemporaryDirectory() as folder:
        cache = Path(folder)
        for when, limit in (("cold", 20), ("again", 12)):
            bar(f"--quick, {', '.join(TODAY)}, {when}", reproduce(of(TODAY), cache, "--quick"),
                limit, "s")  # fmt: skip
        for chapter in LATER:
            seconds = reproduce(of((chapter,)), cache, "--quick")
            bar(f"--quick, {chapter} alone, cold", seconds, 5, "s")
    if options.full:
        for chapters, limit in CHAPTERS.items():
            with tempfile.TemporaryDirectory() as folder:
                seconds = reproduce(of(chapters), Path(folder))
            bar(f"{', '.join(chapters)}, full, cold", seconds, limit, "s")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
