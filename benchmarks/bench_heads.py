"""Speed of several heads: every bar with its number, beside a plain full-dimensional baseline.

Times are CPU seconds of the process, all threads together; the clock is not asked.
"""

import sys
import time

import jax
import jax.numpy as jnp
import numpy as np
from bars import bar, results
from jax.scipy.special import erf

from soloc import Erf, population_path, sgd_path
from soloc.dynamics.head_starts import heads_on_sphere
from soloc.predictors.heads import Heads
from soloc.tasks.several_locations import SeveralLocations

RUNS, STEPS = 30, 20_000
TWO = Heads((Erf(0.1), Erf(0.1)))


def seconds(work, repeats: int = 1) -> float:
    """CPU seconds, the shortest of a few repeats."""
    best = np.inf
    for _ in range(repeats):
        began = time.process_time()
        work()
        best = min(best, time.process_time() - began)
    return best


def descent(d: float = 400, L: int = 10, steps: int = STEPS) -> None:
    """The slopes grow as L^2, and so the step falls: what is timed is the cost of a step."""
    task = SeveralLocations(d=d, L=L, signal=np.sqrt(200.0))
    start = heads_on_sphere(400, 2, 2, RUNS, jax.random.key(0))
    population_path(task, TWO, start, steps=steps, step_size=2e-3 * (10.0 / L) ** 2)


def stochastic(d: int, steps: int = STEPS) -> None:
    task = SeveralLocations(d=d, L=10, signal=np.sqrt(40.0), eps=0.1)
    start = heads_on_sphere(80, 2, 2, RUNS, jax.random.key(0))
    sgd_path(task, TWO, start, jax.random.key(1), batch_size=5, steps=steps, step_size=1e-3)


def plain_sgd_seconds_per_step(steps: int = 300) -> float:
    """Two heads on vectors with a fresh batch, jitted, as one would first write it."""
    d, L, batch, gamma, alpha = 400, 10, 5, np.sqrt(0.5), 1e-3
    m = np.sqrt(d / 2)
    W = jnp.asarray(np.linalg.qr(np.random.default_rng(0).normal(size=(d, 8)))[0].T)
    stars = W[4:]

    def loss(W, X, Y):
        guess = sum(jnp.sum(erf(0.1 * X @ W[h]) * (X @ W[2 + h]), axis=1) for h in (0, 1))
        return jnp.mean((guess - Y) ** 2)

    @jax.jit
    def step(key, W):
        key, token_key = jax.random.split(key)
        X = jax.random.normal(token_key, (batch, L, d))
        X = X.at[:, :2].set(m * stars[:2] + gamma * X[:, :2])
        Y = X[:, 0] @ stars[2] + X[:, 1] @ stars[3]
        g = jax.grad(loss)(W, X, Y)
        W = W - alpha * (g - jnp.sum(g * W, axis=1, keepdims=True) * W)
        return key, W / jnp.linalg.norm(W, axis=1, keepdims=True)

    def loop():
        key, moved = jax.random.key(0), W[:4]
        for _ in range(steps):
            key, moved = step(key, moved)
        jax.block_until_ready(moved)

    loop()
    return seconds(loop, 3) / steps


def main() -> int:
    bar("descent of two heads, 30 runs of 20,000 steps, compilation included",
        seconds(descent), 10.0, "s")  # fmt: skip
    near = seconds(lambda: descent(steps=2000), 5)
    bar("descent at d = 1e12 against d = 400",
        seconds(lambda: descent(d=10**12, steps=2000), 5) / near, 1.2, "times")  # fmt: skip
    bar("descent at L = 10,000 against L = 10",
        seconds(lambda: descent(L=10_000, steps=2000), 5) / near, 1.2, "times")  # fmt: skip
    bar("SGD of two heads, 30 runs of 20,000 steps, compilation included",
        seconds(lambda: stochastic(80)), 25.0, "s")  # fmt: skip
    low, high = (
        seconds(lambda: stochastic(80, 2000), 5),
        seconds(lambda: stochastic(10**9, 2000), 5),
    )
    bar("SGD at d = 1e9 against d = 80", high / low, 1.2, "times")
    plain, ours = plain_sgd_seconds_per_step(), low / 2000 / RUNS
    print(f"      plain SGD, d = 400: {1e6 * plain:.1f} us a step; ours {1e6 * ours:.2f} us")
    bar("SGD against the plain loop", plain / ours, 20.0, "times", at_least=True)
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
