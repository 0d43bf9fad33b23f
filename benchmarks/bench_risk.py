"""Warm cost of exact risks against their bars, and as ratios to plain baselines in the same run."""

import math
import sys
import time
from functools import partial

import jax
import numpy as np
from bars import bar, results
from scipy.integrate import quad
from scipy.special import erf

from soloc import Erf, Overlaps, SingleLocation, Softmax, bayes_risk, excess_risk, monte_carlo_risk
from soloc.predictors.catalogue import WEIGHTS
from soloc.risk.population import excess_or_infinity

TRUTH = Overlaps(0.9, 0.8)
# the ends of d, L, gamma, signal and lam between which every risk must answer within a second
EXTREMES = [
    (4, 1, 1e-6, 1e6, 1e-6), (4, 10**12, 1e-6, 1e-6, 1e6), (400, 10**12, 1e6, 0.0, 1e-6),
    (400, 2, 1e6, 1e6, 1e6), (10**12, 10**12, 1.0, 1e6, 1.0), (10**12, 3, 0.7, 707106.0, 1e3),
    (4, 10**6, 3.0, 0.1, 30.0), (10, 10**12, 1.0, 1e-6, 1.0),
]  # fmt: skip


def seconds(call, repeats):
    """Least time of one call after a warm-up."""
    jax.block_until_ready(call())
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        jax.block_until_ready(call())
        times.append(time.perf_counter() - start)
    return min(times)


def erf_by_quad(m, gamma, L, lam, kappa, nu):
    """The erf risk on the manifold with its two means integrated at every call, as published code
    does.
    """

    def mean(f):
        return quad(lambda x: f(x) * math.exp(-0.5 * x * x), -10, 10)[0] / math.sqrt(2 * math.pi)

    signal = lambda x: erf(lam * (m * kappa + gamma * x))  # noqa: E731
    first, second = mean(signal), mean(lambda x: signal(x) ** 2)
    background = mean(lambda x: erf(lam * x) ** 2)
    return gamma**2 * (1 - 2 * nu * first + second) + (L - 1) * background


def main():
    """Print one line per measurement; the exit code says whether every bar holds."""
    task = SingleLocation(400, 10, math.sqrt(0.5))
    scalar = 1e6 * seconds(lambda: excess_risk(task, Erf(0.1), TRUTH), 300)
    plain = 1e6 * seconds(lambda: erf_by_quad(task.m, task.gamma, 10, 0.1, 0.9, 0.8), 5)
    bar("erf, scalar call (plain: scipy quad)", scalar, 150, "us", plain=plain)
    n = 100_000
    many = Overlaps(np.linspace(-1, 1, n), np.linspace(-1, 1, n))
    batch = 1e6 * seconds(lambda: excess_risk(task, Erf(0.1), many), 10) / n
    bar("erf, per element of 100,000 (plain: scipy quad)", batch, 2, "us", plain=plain)

    def softmax(d, L):
        return 1e3 * seconds(
            lambda: excess_risk(SingleLocation(d, L, 1.0), Softmax(math.sqrt(d / 2)), TRUTH), 10
        )

    costs = {(d, L): softmax(d, L) for d in (10, 10**6) for L in (10, 10**9)}
    small = SingleLocation(10, 10, 1.0)
    start = time.perf_counter()
    estimate = monte_carlo_risk(small, Softmax(small.m), TRUTH, jax.random.key(0), 20_000)
    simulated = (
        1e3
        * (time.perf_counter() - start)
        * max(1.0, (estimate.error / estimate.value / 0.01) ** 2)
    )
    for (d, L), cost in costs.items():
        plain = simulated if (d, L) == (10, 10) else None
        what = f"softmax, d = {d:g}, L = {L:g}" + (" (plain: Monte Carlo to 1 %)" if plain else "")
        bar(what, cost, 30, "ms", plain=plain)
    for d in (10, 10**6):
        pair = sorted((costs[d, 10], costs[d, 10**9]))
        bar(f"softmax, L = 10 against 1e9 at d = {d:g}", pair[1] / pair[0], 2, "times")
    for L in (10, 10**9):
        pair = sorted((costs[10, L], costs[10**6, L]))
        bar(f"softmax, d = 10 against 1e6 at L = {L:g}", pair[1] / pair[0], 2, "times")
    alone = 1e3 * seconds(lambda: bayes_risk(task), 20)
    bar("Bayes, scalar call", alone, 10, "ms")
    gammas = np.linspace(0.3, 3.0, 1000)
    thousand = seconds(lambda: bayes_risk(SingleLocation(400, 10, gammas)), 3)
    bar("Bayes, per element of 1,000 (plain: one by one)", thousand, 1, "ms", plain=alone)
    slowest = (0.0, "")
    for d, L, gamma, signal, lam in EXTREMES:
        extreme = SingleLocation(d, L, gamma, signal=signal)
        calls = {"Bayes": partial(bayes_risk, extreme)} | {
            entry.name: partial(excess_or_infinity, extreme, entry.kind(lam), TRUTH)
            for entry in WEIGHTS.values()
            if entry.exact
        }
        slowest = max(slowest, *((seconds(call, 1), name) for name, call in calls.items()))
    print(f"      slowest: {slowest[1]}")
    bar("slowest extreme call", slowest[0], 1, "s")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
