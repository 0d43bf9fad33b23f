"""Does pointing depend on `random_state`, or on the order of bags and instances?

    python benchmarks/check_stability.py                 about 5 minutes of one core

Generated hard sets: 30 to 60 instances a bag, half of them decoys that correlate with the label,
collinear features. Over ten seeds and four permutations localisation must move by at most .02.
"""

import argparse
import sys
import time
import warnings

import numpy as np

from soloc.datasets import make_distractors
from soloc.estimators import Bags, SingleLocationRegressor

MOST = 0.02
SETTINGS = {
    "many kinds of decoys": {},
    "long bags": {"lengths": (50, 60), "correlation": 0.3},
    "strong decoys": {"kinds": 2, "correlation": 0.5, "decoys": 0.3},
}


def located(bags, labels, locations, seed):
    """Share of bags whose decisive instance is named."""
    model = SingleLocationRegressor(random_state=seed).fit(bags, labels)
    return float(np.mean(model.locate(bags) == locations))


def permuted(data, seed):
    """The same bags in another order, with instances in another order."""
    rng = np.random.default_rng(seed)
    order, bags = rng.permutation(len(data.bags)), list(data.bags)
    turns = [rng.permutation(len(bags[i])) for i in order]
    moved = Bags.from_list([bags[i][turn] for i, turn in zip(order, turns, strict=True)])
    where = [np.flatnonzero(t == data.locations[i])[0] for i, t in zip(order, turns, strict=True)]
    return moved, data.labels[order], np.array(where)


def main():
    """Print each set with the smallest and the largest localisation."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sets", type=int, default=2, help="of each kind")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--permutations", type=int, default=4)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    passed, began = True, time.process_time()
    print("set                       least    most    moved")
    for name, setting in SETTINGS.items():
        for number in range(3, 3 + options.sets):
            data = make_distractors(random_state=number, **setting)
            found = [located(*data, seed) for seed in range(options.seeds)]
            found += [located(*permuted(data, s), 0) for s in range(options.permutations)]
            moved = max(found) - min(found)
            ok = moved <= MOST
            passed &= ok
            print(
                f"{name:22} {number}  {min(found):.3f}   {max(found):.3f}   {moved:.3f}"
                f"  {'PASS' if ok else 'FAIL'}",
                flush=True,
            )
    print(f"{time.process_time() - began:.0f} s of CPU")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
