"""Long bags and many classes: CPU seconds for each instance, against bags of ten.

    python benchmarks/bench_estimators_scale.py              a million instances: about two minutes
    python benchmarks/bench_estimators_scale.py 200000       fewer

Prints each bar with its number and PASS or FAIL.
"""

import sys
import time
import warnings

import numpy as np
from bars import bar, results
from threads import alone

from soloc.estimators import (
    Bags,
    PointingWarning,
    SingleLocationClassifier,
    SingleLocationRegressor,
)

WIDTH = 20


def bags_of(count, length, signal, seed=0):
    """Bags in which one instance is far along the first feature; and the rows of these."""
    rng = np.random.default_rng(seed)
    n = count // length
    x = rng.standard_normal((count, WIDTH))
    decisive = np.arange(n) * length + rng.integers(length, size=n)
    x[decisive, 0] += signal
    return Bags(x, np.arange(n + 1) * length), decisive, rng


def regression(count, length, signal):
    """CPU seconds of a fit, and the share of bags whose decisive instance it names."""
    bags, decisive, rng = bags_of(count, length, signal)
    y = bags.values[decisive, 1] + 0.1 * rng.standard_normal(len(bags))
    begin = time.process_time()
    model = SingleLocationRegressor().fit(bags, y)
    seconds = time.process_time() - begin
    named = np.mean(model.locate(bags) == decisive - bags.offsets[:-1])
    print(f"      bags of {length}: {seconds:.1f} s of CPU, {named:.3f} of them named rightly")
    return seconds


def classes(count, number):
    """CPU seconds of a fit to many classes."""
    bags, decisive, rng = bags_of(count, 10, 5.0)
    logits = 3 * bags.values[decisive, 1:] @ rng.standard_normal((WIDTH - 1, number))
    y = np.argmax(logits + rng.gumbel(size=logits.shape), axis=1)
    begin = time.process_time()
    SingleLocationClassifier().fit(bags, y)
    return time.process_time() - begin


if __name__ == "__main__":
    alone()
    warnings.simplefilter("ignore", PointingWarning)
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    short = regression(count, 10, 5.0)
    for length, signal in ((1000, 7.0), (10_000, 8.0)):
        bar(f"bags of {length} against bags of 10", regression(count, length, signal) / short,
            2.0, "times")  # fmt: skip
    what = f"50 classes, {count // 10:,} instances"
    bar(what, classes(count // 10, 50), 8.0 * count / 1e6, "s")
    sys.exit(0 if all(results) else 1)
