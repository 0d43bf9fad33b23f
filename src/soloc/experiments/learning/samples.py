"""How many samples does it take? Learners against n/d: theory in lines, algorithms in dots."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from soloc.experiments.certificates import Certificate, at_most
from soloc.experiments.experiment import Experiment
from soloc.experiments.learning.trials import (
    Data,
    Outcome,
    by_amp,
    by_descent,
    by_regressor,
    draw,
)
from soloc.learning.baselines import known_location_curve, linear_curve
from soloc.learning.bayes import bayes_curve
from soloc.learning.erm import erm_curve
from soloc.predictors.normalised import Softmax
from soloc.tasks.single_location import SingleLocation

BAYES, KNOWN, LINEAR = "Bayes", "known location", "linear, best ridge"
TRAINED, AMP, REGRESSOR = "softmax, least squares", "AMP", "SingleLocationRegressor"
METHODS = (BAYES, KNOWN, LINEAR, TRAINED, AMP, REGRESSOR)


@dataclass(frozen=True)
class Config:
    """gamma = 1; theory at `ratios`, algorithms on `sets` data sets at `tried`, in dimension d.

    `SingleLocationRegressor` takes seconds a fit and no claim rests on it: it sees `fits` of these
    sets, at `fitted`.
    """

    methods: tuple[str, ...] = METHODS
    ratios: tuple[float, ...] = (0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0, 5.7, 8.0, 11.3, 16.0)
    tried: tuple[float, ...] = (1.0, 2.0, 4.0, 8.0)
    L: int = 3
    signal: float = 2.0
    eps: float = 0.3
    fitted: tuple[float, ...] = (2.0, 8.0)
    fits: int = 3
    d: int = 100
    sets: int = 8
    points: int = 256
    seed: int = 0


def run(config: Config) -> pd.DataFrame:
    """One row per method and ratio: risk, its error over data sets, mass on the decisive token."""
    return pd.concat([rows_of(config, name) for name in config.methods], ignore_index=True)


def rows_of(config: Config, method: str) -> pd.DataFrame:
    """The rows of one method."""
    task = SingleLocation(d=config.d, L=config.L, gamma=1.0, eps=config.eps, signal=config.signal)
    if method == BAYES:
        rows = bayes_curve(task, config.ratios).query("optimal")[
            ["samples_per_dimension", "risk", "mass"]
        ]
    elif method == KNOWN:
        rows = known_location_curve(task, config.ratios).assign(mass=1.0)
    elif method == LINEAR:
        rows = linear_curve(task, config.ratios).assign(mass=1.0 / config.L)
    elif method == TRAINED:
        return _trained(config, task)
    elif method == AMP:
        return simulated(config, task, method, lambda data, ratio: by_amp(task, data))
    elif method == REGRESSOR:
        fewer = replace(config, tried=config.fitted, sets=config.fits)
        return simulated(fewer, task, method, lambda data, ratio: by_regressor(task, data))
    else:
        raise ValueError(f"`methods` must be among {'; '.join(METHODS)}, got {method!r}.")
    return rows.assign(method=method, kind="theory", error=0.0, agrees=True, L=config.L)


def _trained(config: Config, task: SingleLocation) -> pd.DataFrame:
    """The replica curve at the best ridge, and L-BFGS at that ridge."""
    theory = erm_curve(task, Softmax(1.0), config.tried, "best", points=config.points)
    ridge = dict(zip(theory.samples_per_dimension, theory.ridge_k, strict=True))
    dots = simulated(
        config,
        task,
        TRAINED,
        lambda data, ratio: by_descent(task, Softmax(1.0), data, ridge[ratio], ("random",))[0],
    ).assign(ridge=list(ridge.values()))
    agrees = dict(zip(dots.samples_per_dimension, dots.agrees, strict=True))
    lines = theory[["samples_per_dimension", "risk", "error", "mass"]].assign(
        method=TRAINED, kind="theory", ridge=theory.ridge_k, L=config.L
    )
    lines["agrees"] = lines.samples_per_dimension.map(agrees)
    return pd.concat([lines, dots], ignore_index=True)


def simulated(
    config: Any, task: SingleLocation, method: str, learn: Callable[[Data, float], Outcome]
) -> pd.DataFrame:
    """Means and errors over data sets; every method sees the same ones."""
    rows = []
    for ratio in config.tried:
        found = [
            learn(draw(task, ratio, config.seed, number), ratio) for number in range(config.sets)
        ]
        risks, masses = (
            np.array([getattr(one, name) for one in found]) for name in ("risk", "mass")
        )
        rows.append(
            {
                "samples_per_dimension": ratio,
                "risk": risks.mean(),
                "error": risks.std(ddof=1) / np.sqrt(len(risks)),
                "mass": masses.mean(),
                "mass_error": masses.std(ddof=1) / np.sqrt(len(masses)),
                "agrees": all(one.agrees for one in found),
                "method": method,
                "kind": "simulation",
                "L": task.L,
            }
        )
    return pd.DataFrame(rows)


def at(table: pd.DataFrame, method: str, kind: str) -> pd.DataFrame:
    """The rows of one method, by ratio."""
    rows = table[(table.method == method) & (table.kind == kind)]
    return rows.set_index("samples_per_dimension").sort_index()


def findings(table: pd.DataFrame) -> str:
    """What the table shows."""
    bayes, known = at(table, BAYES, "theory").risk, at(table, KNOWN, "theory").risk
    gaps = [
        f"{row.risk - bayes[ratio]:.3f} ± {row.error:.3f} at n/d = {ratio:g}"
        for ratio, row in at(table, REGRESSOR, "simulation").iterrows()
    ]
    fitted = f"; {REGRESSOR} lies above it by {', '.join(gaps)}" if gaps else ""
    last = bayes.index.max()
    off = max(abs(risk - bayes[ratio]) for ratio, risk in at(table, AMP, "simulation").risk.items())
    return (
        f"The best learner falls from {bayes.iloc[0]:.3f} at n/d = {bayes.index[0]:g} to"
        f" {bayes[last]:.3f} at {last:g}; told the location it would have {known[last]:.3f}, so"
        " most of what is left is not knowing where to look, which no data cures. AMP, which learns"
        f" signal and noise too, comes within {off:.3f} of that curve{fitted}."
    )


def certificates(table: pd.DataFrame) -> list[Certificate]:
    """AMP and L-BFGS end where the replica method says, and nothing beats Bayes."""
    bayes = at(table, BAYES, "theory").risk
    out = []
    for name, theory, slack in (
        (AMP, bayes, 0.025),
        (TRAINED, at(table, TRAINED, "theory").query("agrees").risk, 0.05),
    ):
        dots = at(table, name, "simulation").query("agrees")
        far = [
            abs(row.risk - theory[ratio]) / (4.0 * row.error + slack)
            for ratio, row in dots.iterrows()
            if ratio in theory
        ]
        out.append(
            at_most(
                f"{name} ends where the replica method says",
                f"largest |simulated - theory| over (4 errors + {slack:g})",
                max(far),
                1.0,
            )
        )
    rest = table[(table.kind == "theory") & ~table.method.isin([BAYES, KNOWN])]
    least = min(row.risk - bayes[row.samples_per_dimension] for row in rest.itertuples())
    out.append(
        at_most(
            "No learner without the location beats Bayes",
            "largest amount by which a theoretical curve lies below the Bayes curve",
            -least,
            0.0,
        )
    )
    return out


EXPERIMENT = Experiment(
    name="samples",
    question="How many samples does it take?",
    config=Config(),
    quick=Config(
        methods=METHODS[:-1], ratios=(0.5, 1.0, 2.0, 4.0, 8.0, 16.0), tried=(2.0, 8.0), d=40,
        sets=4,
    ),
    run=run,
    findings=findings,
    certificates=certificates,
    axes=("methods",),
    seconds=5.0,
)  # fmt: skip
