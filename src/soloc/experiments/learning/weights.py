"""Softmax against linear against erf at finite n: each at its best ridge."""

from dataclasses import dataclass

import pandas as pd

from soloc.experiments.certificates import Certificate, at_most
from soloc.experiments.experiment import Experiment
from soloc.experiments.learning.samples import simulated
from soloc.experiments.learning.trials import by_descent
from soloc.learning.bayes import bayes_curve
from soloc.learning.erm import erm_curve
from soloc.predictors import catalogue
from soloc.tasks.single_location import SingleLocation

BAYES = "Bayes"


@dataclass(frozen=True)
class Config:
    """Weights by their names in the catalogue."""

    weights: tuple[str, ...] = ("softmax", "erf", "linear")
    tried: tuple[float, ...] = (2.0, 4.0, 8.0, 16.0)
    L: int = 3
    signal: float = 2.0
    eps: float = 0.3
    d: int = 100
    sets: int = 5
    points: int = 256
    seed: int = 4


def run(config: Config) -> pd.DataFrame:
    """One row per weight, kind and ratio: test risk, its error, ridge, and Bayes beside it."""
    return pd.concat([_weight(config, name) for name in config.weights], ignore_index=True)


def _weight(config: Config, name: str) -> pd.DataFrame:
    task = SingleLocation(d=config.d, L=config.L, gamma=1.0, eps=config.eps, signal=config.signal)
    entry = catalogue.find(name)
    weight = entry.kind(1.0)
    theory = erm_curve(task, weight, config.tried, "best", points=config.points)
    ridge = dict(zip(theory.samples_per_dimension, theory.ridge_k, strict=True))
    dots = simulated(
        config,
        task,
        entry.label,
        lambda data, ratio: by_descent(task, weight, data, ridge[ratio], ("random",))[0],
    )
    agrees = dict(zip(dots.samples_per_dimension, dots.agrees, strict=True))
    lines = theory[["samples_per_dimension", "risk", "error", "training"]].assign(
        method=entry.label, kind="theory", ridge=theory.ridge_k, L=config.L
    )
    lines["agrees"] = lines.samples_per_dimension.map(agrees)
    bayes = bayes_curve(task, config.tried).query("optimal")
    known = dict(zip(bayes.samples_per_dimension, bayes.risk, strict=True))
    out = pd.concat([lines, dots], ignore_index=True)
    return out.assign(bayes=out.samples_per_dimension.map(known))


def findings(table: pd.DataFrame) -> str:
    """What the table shows."""
    lines = table[table.kind == "theory"]
    last = lines.samples_per_dimension.max()
    end = lines[lines.samples_per_dimension == last].set_index("method")
    risks = ", ".join(f"{name} {row.risk:.3f}" for name, row in end.iterrows())
    alone = lines[~lines.agrees.astype(bool)]
    where = ", ".join(
        f"{name} at n/d = {', '.join(f'{r:g}' for r in rows.samples_per_dimension)}"
        for name, rows in alone.groupby("method", sort=False)
    )
    return (
        f"At n/d = {last:g} and its best ridge each weight has: {risks}; Bayes has"
        f" {end.bayes.iloc[0]:.3f}, and Bayes is a softmax: weights that see one score each cannot"
        " let tokens compete. Descent from random starts and from the truth end apart, so that no"
        f" curve is drawn: {where or 'nowhere'}."
    )


def certificates(table: pd.DataFrame) -> list[Certificate]:
    """Softmax is best wherever the curves can be trusted."""
    sure = table[(table.kind == "theory") & table.agrees.astype(bool)]
    wide = sure.pivot_table(index="samples_per_dimension", columns="method", values="risk")
    others = wide.drop(columns="softmax", errors="ignore").min(axis=1)
    lead = (wide.softmax - others).max()
    dots = table[(table.kind == "simulation") & table.agrees.astype(bool)]
    theory = sure.set_index(["method", "samples_per_dimension"]).risk
    far = max(
        abs(row.risk - theory[row.method, row.samples_per_dimension]) / (4.0 * row.error + 0.05)
        for row in dots.itertuples()
    )
    return [
        at_most(
            "Softmax learns best at every n/d where starts agree",
            "largest theoretical risk of softmax minus the best of the others",
            lead,
            0.0,
        ),
        at_most(
            "L-BFGS ends where the replica method says",
            "largest |simulated - theory| over (4 errors + .05), where starts agree",
            far,
            1.0,
        ),
    ]


EXPERIMENT = Experiment(
    name="finite_weights",
    question="Softmax against linear against erf: which learns from fewest samples?",
    config=Config(),
    quick=Config(weights=("softmax", "linear"), tried=(8.0, 16.0), d=50, sets=3),
    run=run,
    findings=findings,
    certificates=certificates,
    axes=("weights",),
    seconds=8.0,
)
