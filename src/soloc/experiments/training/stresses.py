"""What training is put to: gamma and L, long sequences, label noise, several decisive tokens."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
import pandas as pd

from soloc.dynamics.critical_points import describe_point
from soloc.dynamics.exact import exact_trainee
from soloc.dynamics.overlap_map import projected_step
from soloc.dynamics.population_path import population_path
from soloc.dynamics.sgd_path import sgd_path
from soloc.dynamics.starts import uniform_on_manifold
from soloc.maths.randomness import derived_key
from soloc.predictors.pointwise import Erf
from soloc.risk.best_temperature import best_temperature
from soloc.risk.overlaps import NAMES, Overlaps
from soloc.risk.several_locations import several_excess
from soloc.risk.signal_numbers import SignalNumbers
from soloc.tasks.single_location import SingleLocation

# k = k*, v = v* in the frame (k*, v*, e3, e4)
TRUTH = np.array([1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0])


@dataclass(frozen=True)
class Config:
    """Speed over gamma and L, length, label noise under SGD, several decisive tokens."""

    parts: tuple[str, ...] = ("speed", "length", "noise", "several")
    gammas: tuple[float, ...] = (0.35, 0.5, 0.7071067811865476, 1.0, 1.4)
    lengths: tuple[int, ...] = (2, 5, 10, 30, 100, 300)
    noises: tuple[float, ...] = (0.0, 0.1, 0.3, 1.0, 2.0, 3.0)
    decisive: tuple[int, ...] = (1, 2, 3)
    d: int = 400
    L: int = 10
    gamma: float = 0.5**0.5
    lam: float = 0.05
    speed_lams: tuple[float, ...] = (0.03, 0.05, 0.08)
    step_size: float = 4e-3
    steps: int = 20_000
    several_steps: int = 20_000
    runs: int = 10
    seed: int = 0


def speed(config: Config) -> pd.DataFrame:
    """Rate at which 1 - |kappa| vanishes near the truth: on a path, and by the Hessian."""
    rows = []
    for gamma in config.gammas:
        for L in (config.lengths[0], config.lengths[-1]):
            for lam in config.speed_lams:
                task = SingleLocation(d=config.d, L=L, gamma=gamma)
                trained = exact_trainee(task, Erf(lam), Overlaps(1.0, 1.0))
                point = describe_point(trained, TRUTH, config.d)
                rows.append(
                    (gamma, float(L), lam, float(point.outside.min()), point.rate, point.kind)
                )
    table = pd.DataFrame(rows, columns=["gamma", "L", "lam", "hessian_key", "rate", "kind"])
    task = SingleLocation(d=config.d, L=table.L.to_numpy(), gamma=table.gamma.to_numpy())
    near = np.full(len(table), 0.95)
    start = Overlaps(near, near, 0.0 * near, 0.0 * near, 0.0 * near)
    path = population_path(
        task, Erf(table.lam.to_numpy()), start, steps=8_000, step_size=config.step_size, every=40
    )
    left = 1.0 - np.abs(path.kappa)
    measured = [_decay(path.steps, left[:, i], config.step_size) for i in range(len(table))]
    return table.assign(measured=measured)


def _decay(steps: np.ndarray, left: np.ndarray, step_size: float) -> float:
    """Half the slope of log(1 - |kappa|) per unit of time, where it is small but above rounding."""
    usable = (left < 1e-3) & (left > 1e-11)
    if usable.sum() < 5:
        return float("nan")
    return float(-0.5 * np.polyfit(step_size * steps[usable], np.log(left[usable]), 1)[0])


def length(config: Config) -> pd.DataFrame:
    """Training from the manifold at every length, lam fixed and lam at the best of the length."""
    L = np.repeat(np.asarray(config.lengths, dtype=float), config.runs)
    start = uniform_on_manifold(
        config.d, config.runs, derived_key(config.seed, "robustness", "length")
    )
    start = Overlaps(
        *(np.tile(np.asarray(getattr(start, name)), len(config.lengths)) for name in NAMES)
    )
    task = SingleLocation(d=config.d, L=L, gamma=config.gamma)
    path = population_path(
        task,
        Erf(config.lam),
        start,
        steps=config.steps,
        step_size=config.step_size,
        every=config.steps // 200,
    )
    inside = (np.abs(path.kappa) > 0.9) & (np.abs(path.nu) > 0.9)
    needed = np.where(inside.any(axis=0), path.steps[np.argmax(inside, axis=0)], np.nan)
    last = path.last()
    return pd.DataFrame(
        {
            "L": L,
            "run": last.run,
            "kappa": last.kappa.abs(),
            "nu": last.nu.abs(),
            "excess": last.risk,
            "steps_needed": needed,
        }
    )


def noise(config: Config) -> pd.DataFrame:
    """Stochastic descent from an aligned start with label noise eps."""
    eps = np.repeat(np.asarray(config.noises), config.runs)
    near = np.full(len(eps), 0.8)
    start = Overlaps(near, near, 0.0 * near, 0.0 * near, 0.0 * near)
    task = SingleLocation(d=config.d, L=config.L, gamma=config.gamma, eps=eps)
    path = sgd_path(
        task,
        Erf(config.lam),
        start,
        derived_key(config.seed, "robustness", "noise"),
        batch_size=5,
        steps=10_000,
        step_size=1e-3,
        every=250,
    )
    kappa, nu = (np.abs(path.columns[name][-10:]).mean(axis=0) for name in ("kappa", "nu"))
    return pd.DataFrame({"eps": eps, "run": np.arange(len(eps)), "kappa": kappa, "nu": nu})


def several(config: Config) -> pd.DataFrame:
    """Several decisive tokens: excess over lam at the truth, and training at the best lam."""
    start = uniform_on_manifold(
        config.d, config.runs, derived_key(config.seed, "robustness", "several")
    )
    decisive = np.asarray(config.decisive, dtype=float)
    lam = np.logspace(-2.0, 0.0, 41)[:, None]
    best = best_temperature(lambda x: _excess_at_truth(config, x, decisive), 1e-3, 10.0).lam
    number, at = np.repeat(decisive, config.runs), np.repeat(best, config.runs)
    five = Overlaps(
        *(
            np.tile(np.broadcast_to(getattr(start, name), (config.runs,)), len(decisive))
            for name in NAMES
        )
    )
    steps, paths = _train_several(config, number, at, five)
    kappa, nu = np.abs(paths[:, 0]), np.abs(paths[:, 1])
    excess = _excess_at_truth(config, lam, decisive)
    risk = [
        pd.DataFrame({"decisive": r, "kind": "risk", "lam": lam[:, 0], "excess": excess[:, i]})
        for i, r in enumerate(decisive)
    ]
    training = [
        pd.DataFrame(
            {
                "decisive": number[i],
                "kind": "path",
                "lam": at[i],
                "run": i % config.runs,
                "step": steps,
                "kappa": kappa[:, i],
                "nu": nu[:, i],
            }
        )
        for i in range(len(number))
    ]
    return pd.concat([*risk, *training], ignore_index=True)


def _numbers(config: Config) -> SignalNumbers:
    m, gamma, L = (np.asarray(x) for x in (np.sqrt(0.5 * config.d), config.gamma, float(config.L)))
    return SignalNumbers(m, gamma, L)


def _excess_at_truth(config: Config, lam: np.ndarray, decisive: np.ndarray) -> np.ndarray:
    return several_excess(_numbers(config), lam, Overlaps(1.0, 1.0), decisive)


def _train_several(
    config: Config, decisive: np.ndarray, lam: np.ndarray, five: Overlaps
) -> tuple[np.ndarray, np.ndarray]:
    """Descent of the overlaps with several decisive tokens: steps, states (records, 5, runs)."""
    records = 100
    stride = config.several_steps // records

    def total(o: Overlaps) -> jax.Array:
        return jnp.sum(several_excess(_numbers(config), lam, o, decisive))

    @jax.jit
    def advance(o: Overlaps) -> Overlaps:
        return jax.lax.fori_loop(
            0, stride, lambda _, o: projected_step(o, jax.grad(total)(o), config.step_size), o
        )

    with jax.enable_x64(True):
        o = Overlaps(*(jnp.asarray(x) for x in five))
        seen = [np.stack(list(o))]
        for _ in range(records):
            o = advance(o)
            seen.append(np.stack(list(o)))
    return stride * np.arange(records + 1), np.stack(seen)
