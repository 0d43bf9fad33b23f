"""Are doubts about pointing honest? Three bars, each over generated problems.

    python benchmarks/check_doubts.py --problems 200        about an hour of one core
    python benchmarks/check_doubts.py --problems 20         a short look

noise:   labels that no instance decides: a doubt in at least 97 %
good:    localisation at least .6 and 3 times chance: no doubt in at least 90 %
stuck:   localisation below half of what the best start reaches: a doubt in at least 90 %
"""

import argparse
import sys
import warnings

import numpy as np

from soloc.datasets import make_distractors, single_location_law
from soloc.estimators import SingleLocationClassifier, SingleLocationRegressor

BARS = {"noise": 0.97, "good": 0.90, "stuck": 0.90}


def settings(seed):
    """Size of problem number `seed`, drawn from what people have."""
    rng = np.random.default_rng([seed, 11])
    width, length = int(rng.choice([3, 6, 12, 25])), int(rng.choice([3, 6, 12, 30]))
    n = int(np.clip(rng.choice([15, 30, 60]) * width, 100, 600))
    return rng, width, length, n


def fitted(bags, labels, seed, **parameters):
    """Localised instances and whether there is a doubt; every fourth problem has classes."""
    classes = seed % 4 == 3
    kind = SingleLocationClassifier if classes else SingleLocationRegressor
    model = kind(random_state=seed, **parameters)
    model.fit(bags, labels > np.median(labels) if classes else labels)
    return model.locate(bags), bool(model.diagnostics_.doubts), model.diagnostics_


def noise(seed):
    """Labels drawn apart from the instances."""
    rng, width, length, n = settings(seed)
    x = rng.standard_normal((n, length, width))
    _, doubt, diagnostics = fitted(x, rng.standard_normal(n), seed)
    return [(doubt, diagnostics)]


def good(seed):
    """One instance decides, more or less clearly; kept where the model localises well."""
    rng, width, length, n = settings(seed)
    law = single_location_law(width, rng.uniform(2.5, 5), rng.uniform(0.1, 0.6), random_state=seed)
    data = law.sample(n, length, random_state=seed)
    where, doubt, diagnostics = fitted(data.bags, data.labels, seed)
    located = np.mean(where == data.locations)
    return [(not doubt, diagnostics)] if located >= max(0.6, 3 / length) else []


def stuck(seed):
    """Decoys, and a fit from one start; kept where many starts localise twice as often."""
    rng = np.random.default_rng([seed, 12])
    data = make_distractors(
        300, correlation=rng.uniform(0.2, 0.4), signal=rng.uniform(2.8, 3.5), random_state=seed
    )
    where, doubt, diagnostics = fitted(data.bags, data.labels, 4 * seed, n_starts=1)
    best, _, _ = fitted(data.bags, data.labels, 4 * seed)
    located, reached = (np.mean(found == data.locations) for found in (where, best))
    return [(doubt, diagnostics)] if reached > 0.3 and located < reached / 2 else []


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
            outcomes = problem(seed)
            if options.show and outcomes and not outcomes[0][0]:
                print(seed, settings(seed)[1:], outcomes[0][1], sep="\n", flush=True)
            found += [right for right, _ in outcomes]
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
