"""How long users of bags wait for `import soloc.estimators`: CPU against what they import anyway.

python benchmarks/bench_import.py
"""

import resource
import subprocess
import sys

from bars import bar, results

REPEATS = 5


def cpu_of(statement: str) -> float:
    """Least CPU seconds of fresh interpreters that run one statement."""
    times = []
    for _ in range(REPEATS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", statement], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(times)


if __name__ == "__main__":
    libraries = cpu_of("import sklearn.base, pandas")
    ours = cpu_of("import soloc.estimators")
    bar("import soloc.estimators over import sklearn.base, pandas", ours / libraries, 1.2, "times")
    sys.exit(not all(results))
