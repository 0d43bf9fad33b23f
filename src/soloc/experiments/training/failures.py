"""Failure signatures: three ways to fail, produced on purpose and told apart."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from soloc.dynamics.diagnose import HEALTHY, MASS, MINIMUM, VALUE, diagnose
from soloc.dynamics.landscape import wilson
from soloc.dynamics.path import Path
from soloc.dynamics.population_path import population_path
from soloc.dynamics.sgd_path import sgd_path
from soloc.dynamics.starts import uniform_on_manifold, uniform_on_sphere
from soloc.experiments.certificates import Certificate
from soloc.experiments.experiment import Experiment
from soloc.maths.randomness import derived_key, generator
from soloc.predictors.pointwise import Erf
from soloc.risk.overlaps import Overlaps
from soloc.tasks.single_location import SingleLocation

STEPS = 20_000


@dataclass(frozen=True)
class Config:
    """`runs` runs of every kind, each with settings of its own drawn around those that cause it."""

    causes: tuple[str, ...] = (
        "descent",
        "sgd, little noise",
        "lam too large",
        "sgd, much noise",
        "start near the swap",
    )
    runs: int = 40
    d: int = 400
    L: int = 10
    gamma: float = 0.5**0.5
    seed: int = 0


def _descent(config: Config, rng: np.random.Generator) -> Path:
    start = uniform_on_manifold(
        config.d, config.runs, derived_key(config.seed, "failures", "descent")
    )
    return _population(
        config, start, np.exp(rng.uniform(np.log(0.04), np.log(0.12), config.runs)), 4e-3
    )


def _hot(config: Config, rng: np.random.Generator) -> Path:
    start = uniform_on_sphere(config.d, config.runs, derived_key(config.seed, "failures", "hot"))
    return _population(
        config, start, np.exp(rng.uniform(np.log(0.6), np.log(2.0), config.runs)), 1e-3
    )


def _near_swap(config: Config, rng: np.random.Generator) -> Path:
    """k leans to v* and v to k*, with equal signs: the basin of the swapped minimum."""
    small = rng.normal(size=(3, config.runs)) / np.sqrt(config.d)
    sign, lean_k, lean_v = (
        rng.choice([-1.0, 1.0], config.runs),
        *rng.uniform(0.3, 0.6, (2, config.runs)),
    )
    start = Overlaps(small[0], small[1], sign * lean_v, sign * lean_k, small[2])
    return _population(config, start, rng.uniform(0.06, 0.12, config.runs), 4e-3)


def _population(config: Config, start: Overlaps, lam: np.ndarray, step_size: float) -> Path:
    return population_path(
        _task(config, 0.0), Erf(lam), start, steps=STEPS, step_size=step_size, every=STEPS // 40
    )


def _stochastic(
    config: Config, rng: np.random.Generator, eps: np.ndarray, step_size: float, batch: int
) -> Path:
    key = derived_key(config.seed, "failures", "samples", batch)
    lean = rng.uniform(0.5, 0.8, (2, config.runs)) * rng.choice([-1.0, 1.0], config.runs)
    start = Overlaps(lean[0], lean[1], 0.0 * lean[0], 0.0 * lean[0], 0.0 * lean[0])
    lam = rng.uniform(0.04, 0.06, config.runs)
    return sgd_path(
        _task(config, eps),
        Erf(lam),
        start,
        key,
        batch_size=batch,
        steps=STEPS // 2,
        step_size=step_size,
        every=STEPS // 80,
    )


def _quiet(config: Config, rng: np.random.Generator) -> Path:
    return _stochastic(config, rng, rng.uniform(0.0, 0.3, config.runs), 1e-3, 5)


def _noisy(config: Config, rng: np.random.Generator) -> Path:
    return _stochastic(config, rng, rng.uniform(1.5, 3.0, config.runs), 2e-3, 5)


#: cause -> (what it must be called, how to produce it)
CAUSES: dict[str, tuple[str, Callable[[Config, np.random.Generator], Path]]] = {
    "descent": (HEALTHY, _descent),
    "sgd, little noise": (HEALTHY, _quiet),
    "lam too large": (MASS, _hot),
    "sgd, much noise": (VALUE, _noisy),
    "start near the swap": (MINIMUM, _near_swap),
}


def run(config: Config) -> pd.DataFrame:
    """One row per run and record: the cause, its right name, and what `diagnose` says."""
    blocks = []
    for cause in config.causes:
        if cause not in CAUSES:
            raise ValueError(f"`causes` must be among {'; '.join(CAUSES)}, got {cause!r}.")
        expected, produce = CAUSES[cause]
        path = produce(config, generator(derived_key(config.seed, "failures", "settings", cause)))
        said = pd.DataFrame(diagnose(path)).set_index("run")
        table = path.table()[["run", "step", "kappa", "nu", "eta", "distance", "lam", "risk"]]
        joined = table.join(said[["verdict", "advice", "mass"]], on="run")
        blocks.append(joined.assign(cause=cause, expected=expected))
    return pd.concat(blocks, ignore_index=True)


def _task(config: Config, eps: float | np.ndarray) -> SingleLocation:
    return SingleLocation(d=config.d, L=config.L, gamma=config.gamma, eps=eps)


def verdicts(table: pd.DataFrame) -> pd.DataFrame:
    """One row per run."""
    return table.groupby(["cause", "run"], sort=False).last().reset_index()


def findings(table: pd.DataFrame) -> str:
    """What the table shows."""
    ends = verdicts(table)
    right = ends.verdict == ends.expected
    by_kind = ends.assign(right=right).groupby("expected", sort=False).right
    shares = ", ".join(f"{name} {group.sum()}/{len(group)}" for name, group in by_kind)
    numbers = ends.groupby("expected", sort=False)[["mass", "nu", "eta"]].agg(
        lambda x: x.abs().median()
    )
    told = "; ".join(
        f"{name}: mass {row.mass:.2f}, |nu| {row.nu:.2f}, |eta| {row.eta:.2f}"
        for name, row in numbers.iterrows()
    )
    return (
        f"`diagnose` names {right.mean():.1%} of {len(ends)} unseen runs correctly ({shares}). "
        f"Three numbers tell the failures apart (medians at the end: {told})."
    )


def certificates(table: pd.DataFrame) -> list[Certificate]:
    """Right on at least 95 % of the runs."""
    ends = verdicts(table)
    right = int((ends.verdict == ends.expected).sum())
    _, low, high = wilson(right, len(ends))
    return [
        Certificate(
            "`diagnose` tells healthy runs and the three failures apart",
            f"{len(ends)} runs with settings and seeds that were not used to choose its thresholds",
            "right on at least 95 %",
            f"{right} of {len(ends)} ({right / len(ends):.1%}, 95 % interval [{low:.1%},"
            f" {high:.1%}])",
            right >= 0.95 * len(ends),
        )
    ]


EXPERIMENT = Experiment(
    name="failures",
    question="When training fails, how does it fail, and what should be changed?",
    config=Config(),
    quick=Config(causes=("descent", "lam too large", "start near the swap"), runs=40),
    run=run,
    findings=findings,
    certificates=certificates,
    axes=("causes",),
    seconds=4.0,
)
