"""Are doubts about pointing honest? Three bars, each over generated problems.

    python benchmarks/check_doubts.py --problems 200        about 15 minutes of one core
    python benchmarks/check_doubts.py --problems 20         a short look

noise:   labels that no instance decides: a doubt in at least 97 %
good:    localisation at least .6 and 3 times chance: no doubt in at least 90 %
stuck:   localisation below half of what the best start reaches: a doubt in at least 90 %
"""

import argparse
import sys
import time
import warnings
from typing import NamedTuple

import numpy as np

from soloc.datasets import make_distractors, single_location_law
from soloc.estimators import SingleLocationClassifier, SingleLocationRegressor
from soloc.estimators.agreement import pointed_at
from soloc.estimators.diagnostics import Diagnostics
from soloc.estimators.fitting import fit_objective
from soloc.estimators.instances import Instances
from soloc.estimators.objectives.data import Data
from soloc.estimators.objectives.squared import SquaredLoss
from soloc.estimators.selection import TYPICAL_ALPHA
from soloc.estimators.starts import shrunk_covariance

BARS = {"noise": 0.97, "good": 0.90, "stuck": 0.90}
SHORT = {"max_iter": 50, "tol": 1e-5}


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
    """A fitted model and its labels; every fourth problem has classes."""
    classes = seed % 4 == 3
    kind = SingleLocationClassifier if classes else SingleLocationRegressor
    labels = labels > np.median(labels) if classes else labels
    return kind(random_state=seed, **parameters).fit(bags, labels), labels


def from_the_truth(model, data, labels):
    """Localisation that the loss of a model reaches from the best start there is.

    It is the discriminant of decisive instances, which only the generator of the data knows.
    """
    instances = Instances(data.bags, model.centre_, model.scale_)
    y, _ = model._standard_labels(labels, np.ones(len(labels)))
    given = Data(instances, y, None, True, np.ones(len(y)), TYPICAL_ALPHA * len(y))
    decisive = np.zeros(instances.count, dtype=bool)
    decisive[instances.starts + data.locations] = True
    x = instances.standard(slice(None))
    shift = x[decisive].mean(axis=0) - x[~decisive].mean(axis=0)
    key = np.linalg.solve(shrunk_covariance(x[~decisive]), shift)
    start = SquaredLoss(given).coefficients(key)
    objective = model.objectives[model.loss_](given)
    found = fit_objective(objective, objective.begun(start), **SHORT)
    return np.mean(pointed_at(given, found.coefficients) == np.flatnonzero(decisive))


def noise(seed):
    """Labels drawn apart from the instances."""
    rng, width, length, n = settings(seed)
    x = rng.standard_normal((n, length, width))
    model, _ = fitted(x, rng.standard_normal(n), seed)
    return Outcome(bool(model.diagnostics_.doubts), model.diagnostics_)


def good(seed):
    """One instance decides, with decoys in every third problem; kept where it is found."""
    if seed % 3 == 2:
        data = decoys(seed)
    else:
        rng, width, length, n = settings(seed)
        signal, eps = rng.uniform(1.5, 5), rng.uniform(0.1, 0.8)
        law = single_location_law(width, signal, eps, random_state=seed)
        data = law.sample(n, length, random_state=seed)
    model, _ = fitted(data.bags, data.labels, seed)
    located = np.mean(model.locate(data.bags) == data.locations)
    kept = located >= max(0.6, 3 * np.mean(1 / data.bags.lengths))
    return Outcome(not model.diagnostics_.doubts, model.diagnostics_) if kept else None


def stuck(seed):
    """Decoys, and a fit from one start; kept where the best start localises twice as often.

    In every second problem the penalty is given.
    """
    data = decoys(seed)
    alpha = "auto" if seed % 2 else TYPICAL_ALPHA * len(data.labels)
    model, labels = fitted(data.bags, data.labels, seed, n_starts=1, alpha=alpha)
    located = np.mean(model.locate(data.bags) == data.locations)
    kept = located < 0.45 and located < from_the_truth(model, data, labels) / 2
    return Outcome(bool(model.diagnostics_.doubts), model.diagnostics_) if kept else None


def main():
    """Print each bar with its number."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--problems", type=int, default=200)
    parser.add_argument("--only", choices=BARS)
    parser.add_argument("--show", action="store_true", help="and how it goes on")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    passed = True
    print("kind      bar   right  problems  generated  CPU")
    for problem in (noise, good, stuck):
        name = problem.__name__
        if options.only not in (None, name):
            continue
        found, seed, began = [], 0, time.process_time()
        while len(found) < options.problems and seed < 20 * options.problems:
            outcome = problem(seed)
            if outcome is not None:
                found.append(outcome.right)
                if options.show and not outcome.right:
                    print(seed, outcome.diagnostics, sep="\n", flush=True)
                if options.show and len(found) % 20 == 0:
                    print(f"{name}: {np.mean(found):.1%} of {len(found)}", flush=True)
            seed += 1
        share = float(np.mean(found)) if found else 0.0
        ok = share >= BARS[name]
        passed &= ok
        print(
            f"{name:8} {BARS[name]:4.0%}  {share:6.1%}  {len(found):8}  {seed:9}"
            f"  {time.process_time() - began:5.0f} s  {'PASS' if ok else 'FAIL'}",
            flush=True,
        )
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
