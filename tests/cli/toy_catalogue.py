"""Two toy experiments with figures, for tests of the commands: one whose claim holds, one whose claim fails."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from soloc.experiments.experiment import Certificate, Experiment
from soloc.figures.style import BLUE, panels, styled


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
        rows.append({"L": length, "mean": config.lam * numbers.mean(), "label": config.label})
    return pd.DataFrame(rows)


def findings(table: pd.DataFrame) -> str:
    return f"There are {len(table)} rows & <tags>. The last mean is {table['mean'].iloc[-1]:.3f}."


def holds(table: pd.DataFrame) -> list[Certificate]:
    return [Certificate("Toys <hold>", "look", "3 rows", f"{len(table)} rows", len(table) == 3, "only for toys")]


def fails(table: pd.DataFrame) -> list[Certificate]:
    return [Certificate("Pigs fly", "look up", "yes", "no", False)]


@styled
def figure(table: pd.DataFrame):
    drawing, (axis,) = panels(1, 1, width=4)
    axis.plot(table["L"], table["mean"], color=BLUE, marker="o")
    axis.set_xlabel("length $L$")
    return drawing


GOOD = Experiment("toy_good", "Do toys hold?", Config(), Config(draws=10), run, findings, holds, ("lengths",), 1.0, "toy")
BAD = Experiment("toy_bad", "Do pigs fly?", Config(), Config(draws=10), run, findings, fails, ("lengths",), 1.0, "toy")
