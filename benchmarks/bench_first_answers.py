"""How long a stranger waits for a first answer: imports, `--help`, and one risk from the shell.

python benchmarks/bench_first_answers.py
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from typing import NamedTuple

from bars import bar, results

REPEATS = 5
# as pip leaves it for users: Python's own bytecode is there, after a run that is not counted
ENVIRONMENT = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
RISK = ("-m", "soloc", "risk", "--lam", ".1", "--d", "400", "--length", "10", "--attention")


class Waited(NamedTuple):
    """Least seconds of several fresh processes."""

    clock: float
    cpu: float


def waited(*arguments: str, cache: str | None = None) -> Waited:
    """Of Python with these arguments; compiled programs are kept in `cache`, or in none."""
    clocks, cpus = [], []
    for _ in range(REPEATS + 1):
        with tempfile.TemporaryDirectory() as empty:
            before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
            subprocess.run(
                [sys.executable, *arguments],
                env=ENVIRONMENT | {"XDG_CACHE_HOME": cache or empty},
                check=True,
                stdout=subprocess.DEVNULL,
            )
            clocks.append(time.perf_counter() - begun)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            cpus.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return Waited(min(clocks[1:]), min(cpus[1:]))


def main() -> int:
    bar("CPU of soloc --help", waited("-m", "soloc", "--help").cpu, 0.4, "s")
    for attention in ("erf", "softmax"):
        cold = waited(*RISK, attention).clock
        bar(f"soloc risk, {attention}, nothing compiled, from shell to number", cold, 1.0, "s")
    with tempfile.TemporaryDirectory() as cache:
        again = waited(*RISK, "softmax", cache=cache).clock
        bar("soloc risk, softmax, again, from shell to number", again, 1.0, "s")
    plain = waited("-c", "import numpy").cpu
    bar("import soloc over import numpy", waited("-c", "import soloc").cpu / plain, 1.0, "times")
    libraries = waited("-c", "import sklearn.base, pandas").cpu
    ours = waited("-c", "import soloc.estimators").cpu
    bar("import soloc.estimators over import sklearn.base, pandas", ours / libraries, 1.2, "times")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
