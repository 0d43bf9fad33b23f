"""Does "auto" ever lose to the simple thing? Small and wide sets, and linear ones.

    python benchmarks/check_auto.py --sets 30       small and wide sets of each kind, two minutes
    python benchmarks/check_auto.py --linear 3      linear sets of signal 5 and 2.5

Small and wide: 40 to 100 bags, 200 to 1000 features, where the mean decides, one instance decides,
or nothing does; numbers and classes in turn. The bar is the better of mean pooling and the pointing
model, set by set, on average over the sets of a kind, minus .01; CPU at most 1 s a fit. Told beside
it is the mean of each: of two scores of noise the larger one is luck, which no choice can know.
"""

import argparse
import sys
import time
import warnings

import numpy as np
from sklearn.metrics import roc_auc_score
from threads import alone

from soloc.datasets import single_location_law
from soloc.estimators import (
    Bags,
    SingleLocationAutoClassifier,
    SingleLocationAutoRegressor,
    SingleLocationRegressor,
)

KINDS = ("mean", "one", "noise")
TEST_BAGS = 400


def wide_set(kind, seed):
    """Training and test bags and labels."""
    rng = np.random.default_rng([seed, KINDS.index(kind)])
    n, d = int(rng.integers(40, 101)), int(rng.integers(200, 1001))
    total, length = n + TEST_BAGS, int(rng.integers(4, 12))
    x = rng.standard_normal((total, length, d))
    value = rng.standard_normal(d) / np.sqrt(d)
    if kind == "mean":
        x += 2 * rng.standard_normal((total, 1, 5)) @ rng.standard_normal((5, d))
        y = x.mean(axis=1) @ value
    else:
        places, key = rng.integers(length, size=total), np.zeros(d)
        key[:10] = 1.5
        value[:10] = 0.0
        value[10:20] = 1.0
        x[np.arange(total), places] += key
        y = x[np.arange(total), places] @ value
    y = y / y.std() + 0.3 * rng.standard_normal(total)
    if kind == "noise":
        y = rng.permutation(y)
    bags = Bags(x.reshape(-1, d), np.arange(total + 1) * length)
    seen = np.arange(n)
    return bags[seen], y[seen], bags[n:], y[n:]


def score(model, bags, y, classes):
    """R^2, or AUC."""
    if classes:
        return roc_auc_score(y > 0, model.predict_proba(bags)[:, 1])
    return 1 - np.mean((y - model.predict(bags)) ** 2) / np.var(y)


def small_and_wide(sets):
    """Print one line for each kind; whether all bars hold."""
    good = True
    for kind in KINDS:
        rows = []
        for seed in range(sets):
            classes = seed % 2 == 1
            bags, y, new, labels = wide_set(kind, seed)
            kind_of_model = SingleLocationAutoClassifier if classes else SingleLocationAutoRegressor
            scores = {}
            for candidates in (None, ["mean-pool"], ["network"]):
                auto = kind_of_model(candidates=candidates)
                begin = time.process_time()
                auto.fit(bags, y > 0 if classes else y)
                if candidates is None:
                    seconds = time.process_time() - begin
                scores[str(candidates)] = score(auto, new, labels, classes)
            ours, *each = scores.values()
            rows.append((ours, max(each), seconds, *each))
        ours, best, seconds, *each = np.mean(rows, axis=0)
        slowest = np.max(rows, axis=0)[2]
        ok = ours >= best - 0.01 and seconds <= 1
        good &= bool(ok)
        print(
            f"{'PASS' if ok else 'FAIL'}  {kind}: auto {ours:.3f}, mean pooling {each[0]:.3f},"
            f" network {each[1]:.3f} (the better one set by set {best:.3f}), CPU {seconds:.2f} s,"
            f" at most {slowest:.2f}",
            flush=True,
        )
    return good


def linear_sets(seeds):
    """Print one line for each signal; whether all bars hold."""
    good = True
    for signal in (5.0, 2.5):
        rows = []
        for seed in range(seeds):
            law = single_location_law(50, signal, 0.3, 1.0, 1.0, random_state=seed)
            train = law.sample(2000, 10, random_state=seed)
            test = law.sample(4000, 10, random_state=900 + seed)
            for kind in (SingleLocationAutoRegressor, SingleLocationRegressor):
                model = kind().fit(train.bags, train.labels)
                rows.append(
                    (
                        score(model, test.bags, test.labels, False),
                        np.mean(model.locate(test.bags) == test.locations),
                    )
                )
        auto, linear = np.mean(rows[::2], axis=0), np.mean(rows[1::2], axis=0)
        ok = (auto >= linear - 0.005).all()
        good &= bool(ok)
        print(f"{'PASS' if ok else 'FAIL'}  signal {signal}: auto {auto}, linear {linear}")
    return good


def main():
    """Run what is asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sets", type=int, default=0)
    parser.add_argument("--linear", type=int, default=0)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    good = small_and_wide(options.sets) if options.sets else True
    good &= linear_sets(options.linear) if options.linear else True
    return 0 if good else 1


if __name__ == "__main__":
    alone()
    sys.exit(main())
