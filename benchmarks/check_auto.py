"""Does "auto" ever lose to the simple thing? Small and wide sets, and linear ones.

    python benchmarks/check_auto.py --sets 30       small and wide sets of each kind, two minutes
    python benchmarks/check_auto.py --linear 3      linear sets of signal 5 and 2.5

Small and wide: 40 to 100 bags, 200 to 1000 features, where the mean decides, one instance decides,
or nothing does; numbers and classes in turn. The bar is the better of mean pooling and the pointing
model, set by set, on average over the sets of a kind, minus .01; CPU at most 1 s a fit. Told beside
it is the mean of each. Test bags are many: of two measured scores of noise the larger one is luck,
which no choice can know, and with 400 test bags an AUC of noise varies by .03.
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
TEST_BAGS, PIECE = 4000, 400  # so many that a score is the model's own, so many at once


def wide_set(kind, seed):
    """Training bags and labels, and pieces of test bags and labels."""
    rng = np.random.default_rng([seed, KINDS.index(kind)])
    n, d = int(rng.integers(40, 101)), int(rng.integers(200, 1001))
    length = int(rng.integers(4, 12))
    total = n + PIECE
    x = rng.standard_normal((total, length, d))
    value, key = rng.standard_normal(d) / np.sqrt(d), np.zeros(d)
    if kind != "mean":
        key[:10] = 1.5
        value[:10] = 0.0
        value[10:20] = 1.0

    def causes(count, rng):
        """What bags have in common, or which instance decides."""
        if kind == "mean":
            return rng.standard_normal((count, 1, 5))
        return rng.integers(length, size=count)

    def decided(x, caused):
        """Labels of instances, which are moved."""
        if kind == "mean":
            x += 2 * caused @ common
            return x.mean(axis=1) @ value
        x[np.arange(len(x)), caused] += key
        return x[np.arange(len(x)), caused] @ value

    def noisy(y, rng):
        """Labels in their unit, with noise, or nothing but noise."""
        y = y / unit + 0.3 * rng.standard_normal(len(y))
        return rng.permutation(y) if kind == "noise" else y

    def bags_of(x):
        return Bags(x.reshape(-1, d), np.arange(len(x) + 1) * length)

    caused = causes(total, rng)
    common = rng.standard_normal((5, d)) if kind == "mean" else None
    y = decided(x, caused)
    unit = y.std()
    y = noisy(y, rng)

    def pieces():
        yield bags_of(x[n:]), y[n:]
        more = np.random.default_rng([seed, KINDS.index(kind), 1])
        for _ in range(PIECE, TEST_BAGS, PIECE):
            new = more.standard_normal((PIECE, length, d))
            labels = decided(new, causes(PIECE, more))
            yield bags_of(new), noisy(labels, more)

    return bags_of(x[:n]), y[:n], pieces()


def said(model, bags, classes):
    """What a model predicts: numbers, or probabilities of the second class."""
    return model.predict_proba(bags)[:, 1] if classes else model.predict(bags)


def score(y, prediction, classes):
    """R^2, or AUC."""
    if classes:
        return roc_auc_score(y > 0, prediction)
    return 1 - np.mean((y - prediction) ** 2) / np.var(y)


def small_and_wide(sets):
    """Print one line for each kind; whether all bars hold."""
    good = True
    for kind in KINDS:
        rows = []
        for seed in range(sets):
            classes = seed % 2 == 1
            bags, y, pieces = wide_set(kind, seed)
            kind_of_model = SingleLocationAutoClassifier if classes else SingleLocationAutoRegressor
            models, seconds = [], []
            for candidates in (None, ["mean-pool"], ["network"]):
                begin = time.process_time()
                auto = kind_of_model(candidates=candidates).fit(bags, y > 0 if classes else y)
                seconds.append(time.process_time() - begin)
                models.append(auto)
            heard = [[labels, *(said(m, new, classes) for m in models)] for new, labels in pieces]
            labels, *each = np.concatenate(heard, axis=1)
            ours, *each = (score(labels, prediction, classes) for prediction in each)
            rows.append((ours, max(each), seconds[0], *each))
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
                        score(test.labels, model.predict(test.bags), False),
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
