"""Are doubts about pointing honest? Three bars, each over generated problems.

    python benchmarks/check_doubts.py --problems 200        about 15 minutes of one core
    python benchmarks/check_doubts.py --problems 20         a short look

noise:   labels that no instance decides: a doubt in at least 97 %
good:    localisation at least .6 and 3 times chance: no doubt in at least 90 %
stuck:   localisation below half of what the best start reaches: a doubt in at least 90 %
"""

import argparse
import sys
import warnings
from typing import NamedTuple

import numpy as np

from soloc.datasets import make_distractors, single_location_law
from soloc.estimators import SingleLocationClassifier, SingleLocationRegressor
from soloc.estimators.diagnostics import Diagnostics

BARS = {"noise": 0.97, "good": 0.90, "stuck": 0.90}


class Outcome(NamedTuple):
    """Whether doubts were right about a problem, and the evidence."""

    right: bool
    diagnostics: Diagnostics


def settings(seed):
    """Size of problem number `seed`, drawn from what people have."""
    rng = np.random.default_rng([seed, 11])
    width, length = int(rng.choice([3, 6, 12, 25])), int(rng.choice([4, 6, 12, 30]))
    n = int(np.clip(rng.choice([15, 30, 60]) * width, 100, 400))
    return rng, width, length, n


def decoys(seed):
    """Bags with decoys that know a little of the label, more or less hard."""
    rng = np.random.default_rng([seed, 12])
    return make_distractors(
        int(rng.choice([200, 250])),
        correlation=rng.uniform(0.3, 0.5),
        signal=rng.uniform(2.8, 3.5),
        random_state=seed,
    )


def fitted(bags, labels, seed, **parameters):
    """Named instances and diagnostics; every fourth problem has classes."""
    classes = seed % 4 == 3
    kind = SingleLocationClassifier if classes else SingleLocationRegressor
    model = kind(random_state=seed, **parameters)
    model.fit(bags, labels > np.median(labels) if classes else labels)
    return model.locate(bags), model.diagnostics_


def noise(seed):
    """Labels drawn apart from the instances."""
    rng, width, length, n = settings(seed)
    x = rng.standard_normal((n, length, width))
    _, diagnostics = fitted(x, rng.standard_normal(n), seed)
    return Outcome(bool(diagnostics.doubts), diagnostics)


def good(seed):
    """One instance decides, with decoys in every third problem; kept where it is found."""
    if seed % 3 == 2:
        data = decoys(seed)
    else:
        rng, width, length, n = settings(seed)
        signal, eps = rng.uniform(1.5, 5), rng.uniform(0.1, 0.8)
        law = single_location_law(width, signal, eps, random_state=seed)
        data = law.sample(n, length, random_state=seed)
    where, diagnostics = fitted(data.bags, data.labels, seed)
    located = np.mean(where == data.locations)
    chance = np.mean(1 / data.bags.lengths)
    kept = located >= max(0.6, 3 * chance)
    return Outcome(not diagnostics.doubts, diagnostics) if kept else None


def stuck(seed):
    """Decoys, and a fit from one start; kept where many starts localise twice as often."""
    data = decoys(seed)
    where, diagnostics = fitted(data.bags, data.labels, seed, n_starts=1)
    located = np.mean(where == data.locations)
    if located > 0.45:  # nobody reaches twice as much
        return None
    best, _ = fitted(data.bags, data.labels, seed)
    kept = located < np.mean(best == data.locations) / 2
    return Outcome(bool(diagnostics.doubts), diagnostics) if kept else None


def main():
    """Print each bar with its number."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--problems", type=int, default=200)
    parser.add_argument("--only", choices=BARS)
    parser.add_argument("--show", action="store_true", help="print the evidence of each failure")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    passed = True
    for problem in (noise, good, stuck):
        name = problem.__name__
        if options.only not in (None, name):
            continue
        found, seed = [], 0
        while len(found) < options.problems and seed < 20 * options.problems:
            outcome = problem(seed)
            if outcome is not None:
                found.append(outcome.right)
                if options.show and not outcome.right:
                    print(seed, outcome.diagnostics, sep="\n", flush=True)
            seed += 1
        share = float(np.mean(found)) if found else 0.0
        ok = share >= BARS[name]
        passed &= ok
        print(
            f"{'PASS' if ok else 'FAIL'}  {name}: right in {share:.1%} of {len(found)} problems"
            f" (bar {BARS[name]:.0%}; {seed} generated)",
            flush=True,
        )
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
