"""Speed of the training dynamics: every bar with its number, as ratios against a plain
full-dimensional baseline.

Times are CPU seconds of the process, all threads together, so a busy machine does not change the
verdict; on an idle one the clock shows at most as much. The clock is printed beside them.
"""

import sys
import time

import jax
import jax.numpy as jnp
import numpy as np
from bars import bar, results
from jax.scipy.special import erf

from soloc.dynamics.population_path import population_path
from soloc.dynamics.schedules import InverseDecay
from soloc.dynamics.sgd_path import sgd_path
from soloc.dynamics.starts import uniform_on_manifold, uniform_on_sphere
from soloc.predictors.pointwise import Erf
from soloc.tasks.single_location import SingleLocation

REPEATS = 30
TASK = SingleLocation(d=400)


def seconds(work, repeats: int = 1) -> float:
    """CPU seconds, the shortest of a few repeats; the clock is printed when there is one."""
    best = np.inf
    for _ in range(repeats):
        clock, began = time.perf_counter(), time.process_time()
        work()
        best = min(best, time.process_time() - began)
    if repeats == 1:
        print(f"      ({time.perf_counter() - clock:.1f} s on the clock)")
    return best


def four_experiments() -> None:
    key = jax.random.key(0)
    on_manifold, on_sphere = (
        uniform_on_manifold(400, REPEATS, key),
        uniform_on_sphere(400, REPEATS, key),
    )
    population_path(TASK, Erf(0.1), on_manifold, steps=20_000, step_size=4e-3)
    population_path(TASK, Erf(0.9), on_sphere, steps=120_000, step_size=1e-3)
    population_path(TASK, Erf(0.1), on_sphere, steps=20_000, step_size=4e-3)
    population_path(
        TASK, Erf(1.0), on_sphere, steps=120_000, step_size=4e-3, lam=InverseDecay(1.0, 1e-4)
    )


def sgd(d: int, steps: int) -> None:
    task = SingleLocation(d=d, eps=0.1, signal=np.sqrt(40.0))
    start = uniform_on_sphere(80, REPEATS, jax.random.key(1))
    key = jax.random.key(2)
    sgd_path(
        task,
        Erf(2.0),
        start,
        key,
        batch_size=5,
        steps=steps,
        step_size=1e-3,
        lam=InverseDecay(2.0, 1e-4),
    )


def plain_descent_step():
    """A step on vectors as one would first write it: the risk by quadrature over the score,
    differentiated, jitted.
    """
    nodes, weights = np.polynomial.hermite_e.hermegauss(64)
    nodes, weights = jnp.asarray(nodes), jnp.asarray(weights / weights.sum())
    d, L, gamma, lam, alpha = 400, 10, np.sqrt(0.5), 0.1, 4e-3
    m = np.sqrt(d / 2)

    def risk(k, v, k_star, v_star):
        kappa, nu, theta, eta, rho = k @ k_star, v @ v_star, v @ k_star, k @ v_star, k @ v
        score = m * kappa + gamma * nodes
        S, S0 = erf(lam * score), erf(lam * nodes)
        b, c = m * theta + gamma * rho * nodes, gamma * eta * nodes
        mean = lambda x: jnp.sum(weights * x)  # noqa: E731
        Sbc = mean(S * (b * c + gamma**2 * (nu - rho * eta)))
        S2b2 = mean(S**2 * (b**2 + gamma**2 * (1 - rho**2)))
        S2b2_background = mean(S0**2 * (rho**2 * nodes**2 + 1 - rho**2))
        p, q = mean(S * b), mean(S0 * rho * nodes)
        return gamma**2 - 2 * Sbc + S2b2 + (L - 1) * (S2b2_background + 2 * p * q + (L - 2) * q**2)

    @jax.jit
    def step(k, v, k_star, v_star):
        value, (gk, gv) = jax.value_and_grad(risk, (0, 1))(k, v, k_star, v_star)
        k, v = k - alpha * (gk - (k @ gk) * k), v - alpha * (gv - (v @ gv) * v)
        return k / jnp.linalg.norm(k), v / jnp.linalg.norm(v), value

    return step


def plain_sgd_step():
    """A step on vectors with a fresh batch of bags, jitted."""
    d, L, batch, gamma, lam, alpha, eps = 400, 10, 5, np.sqrt(0.5), 0.1, 1e-3, 0.1
    m = np.sqrt(d / 2)

    def loss(k, v, X, Y):
        return jnp.mean((jnp.sum(erf(lam * X @ k) * (X @ v), axis=1) - Y) ** 2)

    @jax.jit
    def step(key, k, v, k_star, v_star):
        key, location_key, token_key, noise_key = jax.random.split(key, 4)
        location = jax.random.randint(location_key, (batch,), 0, L)
        Z = jax.random.normal(token_key, (batch, L, d))
        here = jax.nn.one_hot(location, L, dtype=bool)[..., None]
        X = jnp.where(here, m * k_star + gamma * Z, Z)
        Y = jnp.take_along_axis(X, location[:, None, None], axis=1)[
            :, 0
        ] @ v_star + eps * jax.random.normal(noise_key, (batch,))
        gk, gv = jax.grad(loss, (0, 1))(k, v, X, Y)
        k, v = k - alpha * (gk - (k @ gk) * k), v - alpha * (gv - (v @ gv) * v)
        return key, k / jnp.linalg.norm(k), v / jnp.linalg.norm(v)

    return step


def plain_seconds_per_step(step, with_key: bool, steps: int = 400) -> float:
    vectors = np.linalg.qr(np.random.default_rng(0).normal(size=(400, 4)))[0].T
    k, v, k_star, v_star = (jnp.asarray(x) for x in vectors)
    key = jax.random.key(0)

    def loop(k=k, v=v, key=key):
        history = []
        for _ in range(steps):
            if with_key:
                key, k, v = step(key, k, v, k_star, v_star)
            else:
                k, v, value = step(k, v, k_star, v_star)
                history.append(value)
        jax.block_until_ready((k, v))

    loop()
    return seconds(loop, 3) / steps


def main() -> int:
    bar(
        "four descent experiments of 30 repeats, compilation included",
        seconds(four_experiments),
        8.0,
        "s",
    )
    start = uniform_on_sphere(400, REPEATS, jax.random.key(0))
    warm = (
        seconds(lambda: population_path(TASK, Erf(0.1), start, steps=20_000, step_size=4e-3), 5)
        / 20_000
        / REPEATS
    )
    bar("warm cost of a step of one run, 30 together", 1e9 * warm, 150.0, "ns")
    with jax.enable_x64(True):
        plain = plain_seconds_per_step(plain_descent_step(), with_key=False)
    print(f"      plain full-dimensional descent, d=400: {1e6 * plain:.1f} us a step")
    bar("descent against the plain loop", plain / warm, 500.0, "times", at_least=True)
    for d in (80, 10**9):
        bar(
            f"SGD, 30 runs of 200,000 steps, d={d:g}, compilation included",
            seconds(lambda d=d: sgd(d, 200_000)),
            12.0,
            "s",
        )
    low, high = seconds(lambda: sgd(80, 10_000), 5), seconds(lambda: sgd(10**9, 10_000), 5)
    ours = low / 10_000 / REPEATS
    bar("warm cost of a step of SGD of one run, 30 together", 1e6 * ours, 2.0, "us")
    bar("SGD at d=1e9 against d=80", high / low, 1.2, "times")
    plain = plain_seconds_per_step(plain_sgd_step(), with_key=True)
    print(f"      plain full-dimensional SGD, d=400: {1e6 * plain:.1f} us a step")
    bar("SGD against the plain loop", plain / ours, 250.0, "times", at_least=True)
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
