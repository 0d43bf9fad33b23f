"""Speed of the learning curves: their bars in CPU seconds, and a plain baseline in the same run.

The baseline is what one would write first: means over 40,000 antithetic draws, the same ones in
every step of state evolution. It costs memory and time in proportion to L and has three digits.
"""

import sys

import numpy as np
from bars import bar, best_of, results
from threadpoolctl import threadpool_limits

from soloc.learning import amp, bayes_curve, samples_for
from soloc.learning.responsibility import responsibility
from soloc.tasks.single_location import SingleLocation

LENGTHS = (3, 100, 10**6)
SIGNALS = {3: 2.0, 100: 3.0, 10**6: 6.0}
RATIOS = np.geomspace(0.25, 64.0, 20)
DRAWS = 40_000


def task_of(L: int, eps: float = 0.3) -> SingleLocation:
    return SingleLocation(L=L, gamma=1.0, eps=eps, signal=SIGNALS[L])


def curves() -> None:
    """20 ratios from both starts, and a single one."""
    for L in LENGTHS:
        for eps in (0.3, 0.05):
            task = task_of(L, eps)
            seconds = best_of(2, lambda task=task: bayes_curve(task, RATIOS))
            bar(f"Bayes curve of 20 ratios, L = {L:,}, eps = {eps:g}", seconds, 2.0, "s")
        seconds = best_of(5, lambda L=L: bayes_curve(task_of(L), 2.0))
        bar(f"one point of it, warm, L = {L:,}", seconds, 0.1, "s")
    seconds = best_of(2, lambda: samples_for(task_of(3), 0.35))
    print(f"      the n/d for a risk, L = 3: {seconds:.3g} s")


def against_draws() -> None:
    """F1 and F2 at one place: quadrature and draws, time and digits."""
    for L in (3, 100):
        exact = best_of(5, lambda L=L: responsibility(4.0, 3.0, L))
        plain = best_of(2, lambda L=L: by_draws(4.0, 3.0, L))
        error = abs(by_draws(4.0, 3.0, L)[0] - responsibility(4.0, 3.0, L).mean)
        print(f"      {DRAWS:,} draws are off by {error:.0e}")
        bar(f"F1, F2 against {DRAWS:,} draws, L = {L}", exact / plain, 1.0, "times")


def by_draws(a2: float, s2: float, L: int) -> tuple[float, float]:
    """E[r_J] and E[r_J xi^2] over antithetic draws."""
    rng = np.random.default_rng(0)
    half = rng.standard_normal((DRAWS // 2, 2 * L + 1))
    normals = np.concatenate([half, -half])
    g, G, xi = normals[:, :L], normals[:, L:-1], normals[:, -1:]
    a, s = np.sqrt(a2), np.sqrt(s2)
    x = a * g - 0.5 * (s * G[:, :1] + xi - s * G) ** 2
    x[:, 0] += a2
    r = np.exp(x - x.max(axis=1, keepdims=True))
    decisive = r[:, 0] / r.sum(axis=1)
    return float(decisive.mean()), float((decisive * xi[:, 0] ** 2).mean())


def message_passing() -> None:
    """A step of AMP against the two products with the tokens that any learner pays for."""
    n, L, d = 2000, 5, 500
    rng = np.random.default_rng(1)
    tokens = rng.standard_normal((n, L, d))
    tokens[:, 0, 0] += 2.0
    labels = tokens[:, 0, 1] + 0.3 * rng.standard_normal(n)
    steps = len(amp(tokens, labels, 2.0, 0.3).history)
    seconds = best_of(2, lambda: amp(tokens, labels, 2.0, 0.3)) / steps
    flat, pair, pulls = tokens.reshape(-1, d), rng.standard_normal((2, d)), np.ones((2, n * L))
    products = best_of(10, lambda: (pair @ flat.T, pulls @ flat))
    bar(f"AMP per step ({steps} of them), over its two products", seconds / products, 3.0, "times")


if __name__ == "__main__":
    with threadpool_limits(1):
        curves()
        against_draws()
        message_passing()
    sys.exit(0 if all(results) else 1)
