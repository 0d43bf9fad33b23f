"""How robust is training? Noise, length, speed, several decisive tokens."""

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
from soloc.experiments.certificates import Certificate
from soloc.experiments.experiment import Experiment
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


def run(config: Config) -> pd.DataFrame:
    """Rows of the four parts; columns that a part does not use are empty."""
    parts = {"speed": _speed, "length": _length, "noise": _noise, "several": _several}
    unknown = [name for name in config.parts if name not in parts]
    if unknown:
        raise ValueError(f"`parts` must be among {', '.join(parts)}, got {unknown[0]!r}.")
    return pd.concat(
        [parts[name](config).assign(part=name) for name in config.parts], ignore_index=True
    )


def _speed(config: Config) -> pd.DataFrame:
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


def _length(config: Config) -> pd.DataFrame:
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


def _noise(config: Config) -> pd.DataFrame:
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


def _several(config: Config) -> pd.DataFrame:
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


def _ratio(table: pd.DataFrame) -> pd.Series:
    speed = table[table.part == "speed"]
    return (speed.measured / speed.hessian_key).dropna()


def findings(table: pd.DataFrame) -> str:
    """What the table shows."""
    said = []
    if (table.part == "speed").any():
        ratio = _ratio(table)
        said.append(
            "Near the truth training converges at the rate that the Hessian predicts, for every"
            f" gamma, lam and L (ratio {ratio.min():.3f} to {ratio.max():.3f})"
        )
    if (table.part == "length").any():
        ends = table[table.part == "length"].groupby("L")[["steps_needed", "excess"]].median()
        said.append(
            f"length changes the risk ({ends.excess.iloc[0]:.3f} at L = {ends.index[0]:.0f},"
            f" {ends.excess.iloc[-1]:.2f} at L = {ends.index[-1]:.0f}) but not the way on the"
            f" manifold ({ends.steps_needed.min():,.0f}-{ends.steps_needed.max():,.0f} steps)"
        )
    first = f"{'; '.join(said)}." if said else ""
    rest = []
    if (table.part == "noise").any():
        nu = table[table.part == "noise"].groupby("eps").nu.median()
        rest.append(
            f"label noise costs alignment: |nu| = {nu.iloc[0]:.3f} at eps = {nu.index[0]:g}, "
            f"{nu.iloc[-1]:.2f} at {nu.index[-1]:g}"
        )
    if (table.part == "several").any():
        ends = _several_ends(table)
        best = (
            table[(table.part == "several") & (table.kind == "risk")]
            .groupby("decisive")
            .excess.min()
        )
        listed = ", ".join(f"{r:.0f}: {value:.4f}" for r, value in best.items())
        rest.append(
            "with several decisive tokens training still ends at the truth (smallest |kappa| "
            f"{ends.kappa.min():.3f}) and the excess at the best lam is {listed}"
        )
    return f"{first} {'; '.join(rest)[:1].upper()}{'; '.join(rest)[1:]}." if rest else first


def _several_ends(table: pd.DataFrame) -> pd.DataFrame:
    paths = table[(table.part == "several") & (table.kind == "path")]
    return paths[paths.step == paths.step.max()]


def certificates(table: pd.DataFrame) -> list[Certificate]:
    """Speed against the Hessian, length, noise, several decisive tokens."""
    claims = []
    if (table.part == "speed").any():
        ratio = _ratio(table)
        speed = table[table.part == "speed"]
        claims.append(
            Certificate(
                "Near the truth training converges at the rate that the Hessian predicts",
                f"decay of 1 - |kappa| on {len(ratio)} paths against the Hessian's eigenvalue for"
                " k, over gamma, lam and L",
                "ratio 1 +- 0.02 on at least half of the settings (slow ones do not get close"
                " enough to be measured)",
                f"{ratio.min():.4f} to {ratio.max():.4f} on {len(ratio)} of {len(speed)}",
                bool(((ratio - 1.0).abs() < 0.02).all() and len(ratio) >= len(speed) / 2),
            )
        )
    if (table.part == "length").any():
        rows = table[table.part == "length"]
        claims.append(
            Certificate(
                "On the manifold training succeeds at every length",
                f"|kappa|, |nu| > .9 after training, L = {rows.L.min():.0f} to {rows.L.max():.0f}",
                "all runs",
                f"{rows.steps_needed.notna().sum()} of {len(rows)}",
                bool(rows.steps_needed.notna().all()),
                "the risk at a fixed lam still grows with L: alignment is not a small risk.",
            )
        )
    if (table.part == "noise").any():
        nu = table[table.part == "noise"].groupby("eps").nu.median()
        claims.append(
            Certificate(
                "Label noise lowers the alignment that stochastic descent reaches, gradually",
                "median |nu| at the end, over eps",
                "falls with eps; above .95 at eps <= .3",
                ", ".join(f"{value:.3f} at {eps:g}" for eps, value in nu.items()),
                bool((nu.diff().dropna() < 2e-3).all() and (nu[nu.index <= 0.3] > 0.95).all()),
            )
        )
    if (table.part == "several").any():
        ends = _several_ends(table)
        claims.append(
            Certificate(
                "With two or three decisive tokens training on the manifold still finds (k*, v*)",
                "smallest |kappa| and |nu| over the runs, at the best lam of each number",
                "above .95",
                f"|kappa| {ends.kappa.min():.4f}, |nu| {ends.nu.min():.4f}",
                bool(min(ends.kappa.min(), ends.nu.min()) > 0.95),
            )
        )
    return claims


EXPERIMENT = Experiment(
    name="robustness",
    question="How robust is training to noise, length and more than one decisive token?",
    config=Config(),
    quick=Config(
        parts=("speed", "length", "several"),
        gammas=(0.7071067811865476, 1.0),
        lengths=(2, 10, 100),
        runs=4,
    ),
    run=run,
    findings=findings,
    certificates=certificates,
    axes=("parts",),
    seconds=6.0,
)
