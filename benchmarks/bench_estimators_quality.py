"""Quality of the estimators against Bayes, attention-MIL, mean-pool ridge and boosted trees on
pooled statistics.

    python benchmarks/bench_estimators_quality.py --seeds 5          needs the extra [bench]: torch
    and lightgbm python benchmarks/bench_estimators_quality.py --seeds 1 --without-rivals
    --test-bags 4000     a short run

Prints each bar with its number and PASS or FAIL. CPU times are process times with one thread per
library.
"""

import argparse
import importlib.util
import sys
import time
import warnings
from typing import NamedTuple

import numpy as np
import pandas as pd
from bars import bar, results
from rivals import attention_mil, boosted_trees, mean_pool_ridge
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import RidgeCV
from sklearn.pipeline import make_pipeline
from threads import alone

from soloc.datasets import digit_bags, single_location_law
from soloc.estimators import PointingWarning, SingleLocationRegressor, TokenTransformer

FIXED_ALPHA = 20.0  # of the fit whose time is compared at a fixed alpha
# Nystroem features for the digit that is not separable
KERNEL = {"gamma": 0.1, "n_components": 200}


class Setting(NamedTuple):
    """One row of the table: how bags are made, and what is fitted to them."""

    name: str
    make: object  # seed, test bags -> training data, test data, reference scores
    model: object  # parameters -> estimator


def r2(y, prediction):
    """Coefficient of determination."""
    return 1 - np.mean((y - prediction) ** 2) / np.var(y)


def synthetic(signal, lengths):
    """2000 generated bags with background mean, and the scores of the Bayes rule and of ridge on
    the true tokens."""

    def make(seed, test_bags):
        law = single_location_law(50, signal, 0.3, 1.0, 1.0, random_state=seed)
        train, test = (
            law.sample(2000, lengths, random_state=seed),
            law.sample(test_bags, lengths, random_state=900 + seed),
        )
        prediction, where = law.bayes(test.bags)
        ridge = RidgeCV(np.geomspace(0.01, 100, 9)).fit(decisive(train), train.labels)
        reference = {
            "bayes_r2": r2(test.labels, prediction),
            "bayes_location": np.mean(where == test.locations),
            "true_token_r2": r2(test.labels, ridge.predict(decisive(test))),
        }
        return train, test, reference

    return make


def digits(key_class):
    """2000 bags of digit images; test bags use other images."""

    def make(seed, test_bags):
        return (
            digit_bags(2000, key_class, split="train", random_state=seed),
            digit_bags(min(test_bags, 5000), key_class, split="test", random_state=seed),
            {},
        )

    return make


def decisive(data):
    """The true decisive instance of each bag."""
    return data.bags.values[data.bags.offsets[:-1] + data.locations]


def plain(**parameters):
    """The regressor alone."""
    return SingleLocationRegressor(**parameters)


def with_kernel(**parameters):
    """The regressor on Nystroem features of the instances."""
    return make_pipeline(
        TokenTransformer(Nystroem(**KERNEL, random_state=0)), SingleLocationRegressor(**parameters)
    )


SETTINGS = [
    Setting("signal 5, length 10", synthetic(5.0, 10), plain),
    Setting("signal 5, length 5..15", synthetic(5.0, (5, 15)), plain),
    Setting("signal 2.5, length 10", synthetic(2.5, 10), plain),
    Setting("signal 2.5, length 5..15", synthetic(2.5, (5, 15)), plain),
    Setting("digits, key 0", digits(0), plain),
    Setting("digits, key 8, Nystroem", digits(8), with_kernel),
]


def measure(setting, seed, test_bags, rivals):
    """One row: scores and CPU seconds of our fits and of the rivals, on one draw of the data."""
    train, test, row = setting.make(seed, test_bags)
    begin = time.process_time()
    model = setting.model().fit(train.bags, train.labels)
    row["auto_seconds"] = time.process_time() - begin
    row["r2"] = r2(test.labels, model.predict(test.bags))
    last = model if isinstance(model, SingleLocationRegressor) else model[-1]
    bags = test.bags if last is model else model[:-1].transform(test.bags)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PointingWarning)
        row["location"] = np.mean(last.locate(bags) == test.locations)
    ends = last.predict_interval(bags, 0.9)
    row["coverage"] = np.mean((ends[:, 0] <= test.labels) & (test.labels <= ends[:, 1]))
    begin = time.process_time()
    setting.model(alpha=FIXED_ALPHA, loss=last.loss_).fit(train.bags, train.labels)
    row["fixed_seconds"] = time.process_time() - begin
    if rivals:
        for name, rival in (
            ("mil", attention_mil),
            ("mean_pool", mean_pool_ridge),
            ("trees", boosted_trees),
        ):
            begin = time.process_time()
            predict = rival(train.bags, train.labels, seed)
            row[f"{name}_seconds"] = time.process_time() - begin
            row[f"{name}_r2"] = r2(test.labels, predict(test.bags))
    return {"setting": setting.name, "seed": seed, **row}


def bars(name, mean, rivals):
    """The claims about one setting: description, number, and the least it must be."""
    if "signal 5" in name:
        yield (
            "R^2, against ridge on the true tokens minus .008",
            mean.r2,
            mean.true_token_r2 - 0.008,
        )
    if "signal 2.5" in name:
        yield "R^2, against Bayes minus .025", mean.r2, mean.bayes_r2 - 0.025
    if "signal" in name:
        yield "localisation, against Bayes minus .01", mean.location, mean.bayes_location - 0.01
        yield "coverage at 90 %, at least .88", mean.coverage, 0.88
        yield "share outside at 90 %, at least .08", 1 - mean.coverage, 0.08
    if name.startswith("digits, key 0"):
        yield "R^2", mean.r2, 0.95
        yield "localisation", mean.location, 0.995
    if name.startswith("digits, key 8"):
        yield "R^2", mean.r2, 0.88
        yield "localisation", mean.location, 0.97
    if rivals:
        for rival in ("mil", "mean_pool", "trees"):
            yield f"R^2, against {rival}", mean.r2, mean[f"{rival}_r2"]
        yield (
            "CPU of attention-MIL over ours at a fixed alpha",
            mean.mil_seconds / mean.fixed_seconds,
            10.0,
        )
        yield 'CPU of attention-MIL over ours on "auto"', mean.mil_seconds / mean.auto_seconds, 2.0


def main():
    """Run every setting and print the bars."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--test-bags", type=int, default=20_000)
    parser.add_argument("--without-rivals", action="store_true")
    parser.add_argument("--only", default="", help="settings whose name contains this")
    options = parser.parse_args()
    missing = [name for name in ("torch", "lightgbm") if importlib.util.find_spec(name) is None]
    rivals = not options.without_rivals and not missing
    if missing and not options.without_rivals:
        print(f"rivals are left out, {' and '.join(missing)} missing: pip install 'soloc[bench]'")
    for setting in SETTINGS:
        if options.only not in setting.name:
            continue
        table = pd.DataFrame(
            [measure(setting, s, options.test_bags, rivals) for s in range(options.seeds)]
        )
        print(f"== {setting.name}, {options.seeds} seeds")
        mean = table.drop(columns=["setting", "seed"]).mean()
        print("   " + "  ".join(f"{key} {value:.4g}" for key, value in mean.items()), flush=True)
        for what, number, least in bars(setting.name, mean, rivals):
            bar(f"{setting.name}: {what}", number, least, at_least=True)
    return 0 if all(results) else 1


if __name__ == "__main__":
    alone()
    sys.exit(main())
