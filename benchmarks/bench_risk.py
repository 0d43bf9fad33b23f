"""Warm cost of exact risks against their bars, and as ratios to plain baselines in the same run."""

import math
import sys
import time
from functools import partial

import jax
import numpy as np
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
    failures = 0

    def report(what, value, unit, bar, baseline=None):
        nonlocal failures
        failures += value > bar
        ratio = (
            "" if baseline is None else f"   {baseline / value:10.1f} x faster than the baseline"
        )
        print(
            f"{'PASS' if value <= bar else 'FAIL'}  {what:<44}{value:10.3f} {unit:<3} bar"
            f" {bar:g}{ratio}"
        )

    task = SingleLocation(400, 10, math.sqrt(0.5))
    scalar = 1e6 * seconds(lambda: excess_risk(task, Erf(0.1), TRUTH), 300)
    plain = 1e6 * seconds(lambda: erf_by_quad(task.m, task.gamma, 10, 0.1, 0.9, 0.8), 5)
    report("erf, scalar call (baseline: scipy quad)", scalar, "us", 150, plain)
    n = 100_000
    many = Overlaps(np.linspace(-1, 1, n), np.linspace(-1, 1, n))
    batch = 1e6 * seconds(lambda: excess_risk(task, Erf(0.1), many), 10) / n
    report("erf, per element of 100,000 (baseline: quad)", batch, "us", 2, plain)

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
        baseline = simulated if (d, L) == (10, 10) else None
        report(
            f"softmax, d = {d:g}, L = {L:g}" + (" (baseline: 1 % MC)" if baseline else ""),
            cost,
            "ms",
            30,
            baseline,
        )
    for d in (10, 10**6):
        pair = sorted((costs[d, 10], costs[d, 10**9]))
        report(f"softmax, L = 10 against 1e9 at d = {d:g}", pair[1] / pair[0], "x", 2)
    for L in (10, 10**9):
        pair = sorted((costs[10, L], costs[10**6, L]))
        report(f"softmax, d = 10 against 1e6 at L = {L:g}", pair[1] / pair[0], "x", 2)
    alone = 1e3 * seconds(lambda: bayes_risk(task), 20)
    report("Bayes, scalar call", alone, "ms", 10)
    gammas = np.linspace(0.3, 3.0, 1000)
    thousand = seconds(lambda: bayes_risk(SingleLocation(400, 10, gammas)), 3)
    report("Bayes, per element of 1,000", thousand, "ms", 1, alone)
    slowest = (0.0, "")
    for d, L, gamma, signal, lam in EXTREMES:
        extreme = SingleLocation(d, L, gamma, signal=signal)
        calls = {"Bayes": partial(bayes_risk, extreme)} | {
            entry.name: partial(excess_or_infinity, extreme, entry.kind(lam), TRUTH)
            for entry in WEIGHTS.values()
            if entry.exact
        }
        slowest = max(slowest, *((seconds(call, 1), name) for name, call in calls.items()))
    report(f"slowest extreme call ({slowest[1]})", slowest[0], "s", 1)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
