"""Where 1,000 uniform starts on the sphere end after the paper's training runs, with 95 % Wilson
intervals (d=400, L=10).

    python benchmarks/shares.py [number of starts]
"""

import sys
import time

import jax
import numpy as np

from soloc.dynamics.landscape import wilson
from soloc.dynamics.population_path import population_path
from soloc.dynamics.schedules import InverseDecay
from soloc.dynamics.starts import uniform_on_sphere
from soloc.predictors.pointwise import Erf
from soloc.tasks.single_location import SingleLocation


def line(text: str, count: int, runs: int) -> float:
    share, low, high = wilson(count, runs)
    print(f"  {text:<44}{count:>6} of {runs}: {share:6.1%}  [{low:.1%}, {high:.1%}]")
    return share


def verdict(text: str, passed: bool) -> bool:
    print(f"  {'PASS' if passed else 'FAIL'}  {text}")
    return passed


def schedule(runs: int, key: jax.Array) -> bool:
    began = time.perf_counter()
    path = population_path(
        SingleLocation(d=400),
        Erf(1.0),
        uniform_on_sphere(400, runs, key),
        steps=120_000,
        step_size=4e-3,
        lam=InverseDecay(1.0, 1e-4),
    )
    print(
        "schedule lam_t = 1/(1+1e-4 t), 120,000 steps of 4e-3"
        f" ({time.perf_counter() - began:.0f} s)"
    )
    end = path.last()
    solved = (end.kappa * end.nu > 0.99) & (end.distance < 1e-6)
    swapped = (end.eta.abs() > 0.99) & (end.kappa.abs() < 1e-6)
    share = line("at +-(k*, v*)", int(solved.sum()), runs)
    line("at the swapped minimum", int(swapped.sum()), runs)
    print(
        f"  risk at the end: {end.risk[solved].mean():.4f} at the truth,"
        f" {end.risk[swapped].mean():.4f} swapped"
    )
    passed = verdict("every run ends at the truth or swapped", bool((solved | swapped).all()))
    low, high = wilson(int(solved.sum()), runs)[1:]
    claim = f"95-98 % at the truth (interval [{low:.1%}, {high:.1%}] meets it; share {share:.1%})"
    return verdict(claim, low <= 0.98 and high >= 0.95) & passed


def constant(runs: int, key: jax.Array) -> bool:
    began = time.perf_counter()
    path = population_path(
        SingleLocation(d=400),
        Erf(0.1),
        uniform_on_sphere(400, runs, key),
        steps=20_000,
        step_size=4e-3,
    )
    print(f"lam = 0.1 fixed, 20,000 steps of 4e-3 ({time.perf_counter() - began:.0f} s)")
    end = path.last()
    swapped = (end.eta.abs() > 0.99) & (end.kappa.abs() < 1e-3)
    others = ~swapped
    line("at the swapped minimum", int(swapped.sum()), runs)
    line("at (kappa, nu) = +-(.983, 1)", int((others & (end.kappa * end.nu > 0.97)).sum()), runs)
    median = end.kappa[others].abs().median()
    print(f"  swapped risk {end.risk[swapped].mean():.4f}")
    print(f"  the others: median |kappa| {median:.4f}, risk {end.risk[others].median():.4f}")
    low, high = wilson(int(swapped.sum()), runs)[1:]
    passed = verdict(
        "about half swapped (the interval meets [45 %, 55 %])", low <= 0.55 and high >= 0.45
    )
    passed &= verdict("swapped risk .1155", abs(end.risk[swapped].mean() - 0.1155) < 1e-4)
    return passed & verdict(
        "the others at |kappa| = .983",
        bool(np.all(np.abs(end.kappa[others].abs().median() - 0.983) < 1e-3)),
    )


def main() -> int:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    key = jax.random.key(0)
    return (
        0
        if constant(runs, jax.random.fold_in(key, 1)) & schedule(runs, jax.random.fold_in(key, 2))
        else 1
    )


if __name__ == "__main__":
    sys.exit(main())
