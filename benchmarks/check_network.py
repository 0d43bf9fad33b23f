"""Is the network honest on noise, and does it bear a million instances?

python benchmarks/check_network.py --permuted 50     labels that say nothing, three minutes
python benchmarks/check_network.py --large           10^6 instances of 50 features
python benchmarks/check_network.py --digits          three sets of digits
python benchmarks/check_network.py --law             the nonlinear law, 4000 bags, five seeds
"""

import argparse
import resource
import sys
import time
import warnings

import numpy as np
from threads import alone

from soloc.datasets import digit_bags, make_nonlinear_location, make_single_location
from soloc.estimators import Bags, SingleLocationNetworkRegressor

DIGITS = (0.74, 0.87, 0.88)


def verdict(ok, said):
    """Print one bar."""
    print(f"{'PASS' if ok else 'FAIL'}  {said}", flush=True)
    return bool(ok)


def permuted(draws):
    """Test R^2 within -.05 and .01 in 95 %, a doubt in 97 %."""
    scores, doubts = [], []
    for seed in range(draws):
        rng = np.random.default_rng([seed, 4])
        n = int(rng.choice([100, 300, 600]))
        data = make_single_location(n + 1000, width=10, lengths=(3, 8), random_state=seed)
        y = rng.permutation(data.labels)
        model = SingleLocationNetworkRegressor(random_state=seed).fit(data.bags[:n], y[:n])
        error = np.mean((y[n:] - model.predict(data.bags[n:])) ** 2)
        scores.append(1 - error / np.mean((y[n:] - y[:n].mean()) ** 2))
        doubts.append(bool(model.diagnostics_.doubts))
    within = np.mean([-0.05 <= score <= 0.01 for score in scores])
    said = f"{min(scores):.3f} to {max(scores):.3f}"
    good = verdict(within >= 0.95, f"permuted labels: {within:.2f} within bounds, R^2 {said}")
    return good & verdict(np.mean(doubts) >= 0.97, f"doubts said: {np.mean(doubts):.2f}")


def large():
    """At most 60 s of CPU, and at most three times the memory of the data."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((10**6, 50), dtype=np.float32)
    places = rng.integers(10, size=10**5)
    rows = np.arange(10**5) * 10 + places
    x[rows, 0] += 3
    bags = Bags(x, np.arange(10**5 + 1) * 10)
    y = np.abs(x[rows, 1]) + 0.3 * rng.standard_normal(10**5)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begin = time.process_time()
    model = SingleLocationNetworkRegressor().fit(bags, y)
    seconds = time.process_time() - begin
    memory = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024 / x.nbytes
    good = verdict(seconds <= 60, f"10^6 x 50: {seconds:.1f} s of CPU")
    good &= verdict(memory <= 2, f"memory beyond the data: {memory:.2f} times theirs")
    print(model.diagnostics_)
    return good


def digits():
    """Digits bags (2000, 8, noise .2)."""
    good = True
    for seed, bar in enumerate(DIGITS):
        train = digit_bags(2000, 8, noise=0.2, random_state=seed)
        test = digit_bags(4000, 8, noise=0.2, split="test", random_state=seed)
        begin = time.process_time()
        model = SingleLocationNetworkRegressor().fit(train.bags, train.labels)
        seconds = time.process_time() - begin
        score = model.score(test.bags, test.labels)
        right = np.mean(model.locate(test.bags) == test.locations)
        said = (
            f"digits {seed}: R^2 {score:.3f} ({bar}), pointing {right:.3f} (.95), {seconds:.1f} s"
        )
        good &= verdict(score >= bar and right >= 0.95 and seconds <= 5, said)
    return good


def law():
    """The nonlinear law, seeds 10 to 14: mean R^2 at least .25 and pointing at least .45."""
    rows = []
    for seed in range(10, 15):
        train = make_nonlinear_location(4000, random_state=seed)
        test = make_nonlinear_location(3000, random_state=seed, draw=1)
        model = SingleLocationNetworkRegressor().fit(train.bags, train.labels)
        right = np.mean(model.locate(test.bags) == test.locations)
        rows.append((model.score(test.bags, test.labels), right))
    score, right = np.mean(rows, axis=0)
    said = f"law of 4000 bags: R^2 {score:.3f} (.25), pointing {right:.3f} (.45)"
    return verdict(score >= 0.25 and right >= 0.45, said)


def main():
    """Run what is asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--permuted", type=int, default=0)
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--digits", action="store_true")
    parser.add_argument("--law", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    good = permuted(options.permuted) if options.permuted else True
    good &= digits() if options.digits else True
    good &= law() if options.law else True
    good &= large() if options.large else True
    return 0 if good else 1


if __name__ == "__main__":
    alone()
    sys.exit(main())
