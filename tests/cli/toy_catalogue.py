"""Two toy experiments: one whose claim holds, one whose claim fails."""

import os
import signal
from dataclasses import dataclass

import numpy as np
import pandas as pd

from soloc.experiments.certificates import Certificate
from soloc.experiments.experiment import Experiment


@dataclass(frozen=True)
class Config:
    lengths: tuple[int, ...] = (1, 2, 3)
    lam: float = 0.5
    draws: int = 100
    label: str = "plain"
    seed: int = 0


def run(config: Config) -> pd.DataFrame:
    rows = []
    for length in config.lengths:
        numbers = np.random.default_rng([config.seed, length]).normal(size=config.draws)
        shown = {
            "run": 0,
            "step": length,
            "kappa": 0.1,
            "nu": 0.2,
            "distance": 0.3,
            "excess": 1.0 / length,
        }
        rows.append(
            {"L": length, "mean": config.lam * numbers.mean(), "label": config.label, **shown}
        )
    return pd.DataFrame(rows)


def run_with_poison(config: Config) -> pd.DataFrame:
    """Length 2 kills whoever computes it."""
    if 2 in config.lengths:
        os.kill(os.getpid(), signal.SIGKILL)
    return run(config)


def findings(table: pd.DataFrame) -> str:
    return f"There are {len(table)} rows & <tags>. The last mean is {table['mean'].iloc[-1]:.3f}."


def holds(table: pd.DataFrame) -> list[Certificate]:
    return [
        Certificate(
            "Toys <hold>", "look", "3 rows", f"{len(table)} rows", len(table) == 3, "only for toys"
        )
    ]


def fails(table: pd.DataFrame) -> list[Certificate]:
    return [Certificate("Pigs fly", "look up", "yes", "no", False)]


GOOD = Experiment(
    "toy_good",
    "Do toys hold?",
    Config(),
    Config(draws=10),
    run,
    findings,
    holds,
    ("lengths",),
    1.0,
    "soloc.figures.training.paths:figure",
)
BAD = Experiment(
    "toy_bad",
    "Do pigs fly?",
    Config(),
    Config(draws=10),
    run,
    findings,
    fails,
    ("lengths",),
    1.0,
    "soloc.figures.training.paths:figure",
)
