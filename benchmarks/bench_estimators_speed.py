"""Speed of the estimators: CPU seconds of whole fits, one evaluation against two plain passes, peak
memory.

python benchmarks/bench_estimators_speed.py            prints each bar with its number and PASS or
FAIL
"""

import argparse
import subprocess
import sys
from pathlib import Path

import numpy as np
from bars import bar, best_of, results
from threads import alone

from soloc.datasets import single_location_law
from soloc.estimators import Bags, SingleLocationRegressor
from soloc.estimators.instances import Instances, centre_and_scale
from soloc.estimators.objectives.catalogue import NUMBERS
from soloc.estimators.objectives.data import Data


def cpu(action, repeats=3):
    """Least CPU time of a few repeats, after one that warms up."""
    action()
    return best_of(repeats, action)


def word_like_bags(n, length, width, words, seed):
    """Bags of vectors from a vocabulary with a decaying spectrum; one rated word per bag."""
    rng = np.random.default_rng(seed)
    spectrum = 1 / np.sqrt(1 + np.arange(width))
    rotation = np.linalg.qr(rng.standard_normal((width, width)))[0]
    vocabulary = (rng.standard_normal((words, width)) * spectrum) @ rotation
    rated = words // 10
    vocabulary[:rated] += 1.5 * vocabulary.std() * np.sign(rotation[0])
    rating = vocabulary[:rated] @ rng.standard_normal(width)
    rating = (rating - rating.mean()) / rating.std()
    chosen = rng.integers(rated, words, size=(n, length))
    where, which = rng.integers(length, size=n), rng.integers(rated, size=n)
    chosen[np.arange(n), where] = which
    return vocabulary[chosen], rating[which] + 0.5 * rng.standard_normal(n)


def bench_fits():
    """Whole fits with "auto" everywhere."""
    data = single_location_law(50, 5.0).sample(2000, 10)
    bar(
        '2000 bags x 10, d=50, "auto" everywhere',
        cpu(lambda: SingleLocationRegressor().fit(data.bags, data.labels)),
        1.0,
        "s",
    )
    x, y = word_like_bags(4000, 13, 300, 5000, 0)
    fit = cpu(lambda: SingleLocationRegressor().fit(x, y), repeats=1)
    bar('4000 bags x 13, d=300, "auto" everywhere', fit, 8.0, "s")


def million():
    """A million float32 instances of width 100 in bags of ten."""
    rng = np.random.default_rng(0)
    n = 100_000
    x = np.empty((10 * n, 100), dtype=np.float32)
    for start in range(0, len(x), 50_000):
        x[start : start + 50_000] = rng.standard_normal((50_000, 100), dtype=np.float32)
    x[::10, 0] += 4
    return Bags(x, np.arange(n + 1) * 10), x[::10, 1] + 0.1 * rng.standard_normal(n).astype(
        np.float32
    )


def bench_evaluation():
    """One objective-and-gradient evaluation of each loss against X @ A and X.T @ B with two columns
    each.
    """
    bags, y = million()
    x = bags.values
    rng = np.random.default_rng(1)
    right = rng.standard_normal((100, 2)).astype(np.float32)
    left = rng.standard_normal((len(x), 2)).astype(np.float32)
    plain = cpu(lambda: (x @ right, x.T @ left))
    instances = Instances(bags, *centre_and_scale(bags, True))
    data = Data(instances, y.astype(float), None, True, np.ones(len(y)), 10.0)
    for loss, size in (("likelihood", 202), ("squared", 100)):
        objective = NUMBERS[loss](data)
        point = 0.1 * rng.standard_normal(size)
        ratio = cpu(lambda objective=objective, point=point: objective(point)) / plain
        what = f"evaluation of the {loss} objective, 10^6 instances, d=100, over two plain passes"
        bar(what, ratio, 4.0, "times")


def peak_memory(loss):
    """Peak memory of one fit at a fixed alpha beyond that of an idle interpreter, in units of the
    data.
    """
    idle = most_memory()
    bags, y = million()
    SingleLocationRegressor(alpha=10.0, loss=loss, max_iter=15, tol=1e-4).fit(bags, y)
    print((most_memory() - idle) / bags.values.nbytes)


def most_memory():
    """The largest resident size of this process so far, in bytes (Linux)."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * int(next(line.split()[1] for line in lines if line.startswith("VmHWM")))


def bench_memory():
    """Peak memory in a process of its own, with the loss fixed and with the loss on "auto"."""
    for loss in ("likelihood", "squared", "auto"):
        command = [sys.executable, __file__, "--peak-memory", loss]
        ratio = float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        bar(f"peak memory of a fit at fixed alpha, loss {loss}, over the data", ratio, 1.6, "times")


if __name__ == "__main__":
    alone()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peak-memory", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.peak_memory:
        peak_memory(options.peak_memory)
    else:
        bench_fits()
        bench_evaluation()
        bench_memory()
        sys.exit(0 if all(results) else 1)
