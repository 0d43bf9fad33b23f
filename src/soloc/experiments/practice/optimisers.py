"""Which optimisers reach it? Shares of runs that succeed, and the steps that they need.

The simplified predictor moves exactly: projected descent on the population risk, and SGD on fresh
batches exactly in law. Optimisers of the standard layer are sampled. What a run still misses is its
excess over Bayes, 1 for answering 0; of erf, whose unit norms keep it from Bayes, it is twice what
its key or value lacks in alignment, so that the bar of 10 % is an alignment of .95.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from soloc.dynamics.population_path import population_path
from soloc.dynamics.sgd_path import sgd_path
from soloc.dynamics.starts import uniform_on_manifold, uniform_on_sphere
from soloc.experiments.certificates import Certificate
from soloc.experiments.experiment import Experiment
from soloc.experiments.practice.recipes import (
    EXTRA,
    NEEDS,
    SOLVED,
    by_run,
    cosine,
    first_below,
    optimiser,
    share_of_null,
)
from soloc.maths.randomness import derived_key
from soloc.predictors.normalised import Softmax
from soloc.predictors.pointwise import Erf
from soloc.tasks.single_location import SingleLocation

EXACT, IN_LAW, SAMPLED = "population", "exact in law", "standard layer"


@dataclass(frozen=True)
class Way:
    """An optimiser, what it moves and how fast."""

    kind: str
    rate: float
    rule: str = "SGD"
    momentum: float = 0.0
    free: bool = False  #: norms of key and value
    lam: float = 1.0


PROJECTED, ADAM = "projected descent", "Adam, standard layer"
WAYS = {
    PROJECTED: Way(EXACT, 0.1, lam=0.1),
    "projected SGD": Way(IN_LAW, 0.1, lam=2.0),
    "SGD, free norms": Way(IN_LAW, 0.1, free=True),
    "momentum, free norms": Way(IN_LAW, 0.01, momentum=0.9, free=True),
    "SGD, standard layer": Way(SAMPLED, 0.03),
    "momentum, standard layer": Way(SAMPLED, 0.003, "momentum"),
    ADAM: Way(SAMPLED, 0.01, "Adam"),
}


@dataclass(frozen=True)
class Config:
    """Every way at its rate, constant and along a cosine, on d = 32, L = 10, gamma^2 = 1/2."""

    ways: tuple[str, ...] = tuple(WAYS)
    schedules: tuple[str, ...] = ("constant", "cosine")
    d: int = 32
    L: int = 10
    steps: int = 1500
    batch: int = 32
    runs: int = 16
    records: int = 30
    seed: int = 0


def run(config: Config) -> pd.DataFrame:
    """One row per way, schedule and run: whether it succeeds, when, and where it ends."""
    rows = [_rows(config, way, falling) for way in config.ways for falling in config.schedules]
    return pd.concat(rows, ignore_index=True)


def _rows(config: Config, name: str, schedule: str) -> pd.DataFrame:
    if name not in WAYS:
        raise ValueError(f"`ways` must be among {'; '.join(WAYS)}, got {name!r}.")
    way, task = WAYS[name], SingleLocation(d=config.d, L=config.L)
    key = derived_key(config.seed, name)  # both schedules begin alike
    if way.kind == SAMPLED:
        table = _sampled(config, way, task, schedule == "cosine", key)
    else:
        table = _moved(config, way, task, schedule == "cosine", key)
    records = by_run(table, "missed")
    ends = pd.DataFrame([rows.iloc[-1] for rows in records.values()]).reset_index(drop=True)
    return ends.assign(
        way=name,
        kind=way.kind,
        schedule=schedule,
        steps=config.steps,
        solved_at=[first_below(rows.step, rows.missed, SOLVED) for rows in records.values()],
    )


def _moved(config: Config, way: Way, task: SingleLocation, falling: bool, key: Any) -> pd.DataFrame:
    """The simplified predictor, by its exact dynamics."""
    steps = config.steps
    rate: Any = cosine(way.rate, steps) if falling else way.rate
    often = max(1, steps // config.records)
    if way.kind == EXACT:
        start = uniform_on_manifold(config.d, config.runs, key)
        path = population_path(task, Erf(way.lam), start, steps=steps, step_size=rate, every=often)
    else:
        start = uniform_on_sphere(config.d, config.runs, key)
        path = sgd_path(
            task, Softmax(way.lam), start, key, batch_size=config.batch, steps=steps,
            step_size=rate, momentum=way.momentum, free_norms=way.free, every=often,
        )  # fmt: skip
    key_alignment, value_alignment = (np.abs(path.columns[name]) for name in ("kappa", "nu"))
    if way.kind == EXACT:
        missed = 2.0 * (1.0 - np.minimum(key_alignment, value_alignment))
    else:
        missed = share_of_null(task, path.columns["risk"] + float(task.eps) ** 2)
    columns = {
        "run": np.broadcast_to(np.arange(config.runs), missed.shape).ravel(),
        "step": np.repeat(path.steps, config.runs),
        "missed": missed.ravel(),
        "key_alignment": key_alignment.ravel(),
        "value_alignment": value_alignment.ravel(),
    }
    return pd.DataFrame(columns)


def _sampled(
    config: Config, way: Way, task: SingleLocation, falling: bool, key: Any
) -> pd.DataFrame:
    """The standard layer with free matrices, on samples."""
    from soloc.networks import StandardAttention, train

    found = train(
        lambda one: StandardAttention(config.d, one),
        task,
        optimiser(way.rule, way.rate, config.steps, falling),
        steps=config.steps,
        key=key,
        seeds=config.runs,
        batch=config.batch,
        every=max(1, config.steps // config.records),
    )
    columns = ["run", "step", "missed", "key_alignment", "value_alignment"]
    return found.table.assign(missed=share_of_null(task, found.table.risk))[columns]


def summary(table: pd.DataFrame) -> pd.DataFrame:
    """By way and schedule: share that succeeds with its error, median steps of those that do."""
    groups = table.groupby(["way", "schedule"], sort=False)
    solved = (table.missed <= SOLVED).groupby([table.way, table.schedule], sort=False).mean()
    return pd.DataFrame(
        {
            "solved": solved,
            "error": np.sqrt(solved * (1.0 - solved) / groups.size()),
            "median": groups.solved_at.median(),
            "runs": groups.size(),
        }
    )


def findings(table: pd.DataFrame) -> str:
    """What the table shows."""
    found = summary(table)
    best = found.groupby("way", sort=False).solved.max()
    said = ", ".join(f"{way} {share:.0%}" for way, share in best.items())
    constant, falling = (found.xs(name, level="schedule").solved for name in ("constant", "cosine"))
    most = (falling - constant).abs().idxmax()
    moved = (
        "A cosine changes none of these shares"
        if constant[most] == falling[most]
        else f"A cosine matters most to {most}, which goes from {constant[most]:.0%} to"
        f" {falling[most]:.0%}: at a constant rate the noise of the batches is left"
    )
    return (
        f"Share of random starts from which each ends missing at most 10 %, at the better schedule:"
        f" {said}. {moved}. Adam on free matrices needs"
        f" {found.loc[(ADAM, 'constant'), 'median']:.0f} steps in the median, projected descent"
        f" {found.loc[(PROJECTED, 'constant'), 'median']:.0f}."
    )


def certificates(table: pd.DataFrame) -> list[Certificate]:
    """What the theory promises of projected descent, and that practice does as well."""
    found = summary(table)
    projected, adam = (found.loc[way] for way in (PROJECTED, ADAM))
    out = []
    for way, rows, bar in ((PROJECTED, projected, 1.0), (ADAM, adam, 0.8)):
        where = "on the manifold" if way == PROJECTED else "on fresh samples"
        least = float(rows.solved.min())
        out.append(
            Certificate(
                f"{way} succeeds from random starts {where}",
                "least share of runs that miss at most 10 %, over schedules",
                f">= {bar:.0%}",
                f"{least:.0%} of {int(rows.runs.min())}",
                least >= bar,
            )
        )
    solved = table[(table.missed <= SOLVED) & (table.kind == SAMPLED)]
    value = float(solved.value_alignment.min())
    out.append(
        Certificate(
            "Whoever succeeds has found the true value",
            "least alignment of the effective value among layers that succeed",
            "> .95",
            f"{value:.3f}",
            value > 0.95,
        )
    )
    return out


EXPERIMENT = Experiment(
    name="practice_optimisers",
    question="Which optimisers reach it?",
    config=Config(),
    quick=Config(
        ways=(PROJECTED, ADAM), steps=600, runs=8,
        records=12,
    ),
    run=run,
    findings=findings,
    certificates=certificates,
    axes=("ways",),
    seconds=9.0,
    needs=NEEDS,
    extra=EXTRA,
)  # fmt: skip
