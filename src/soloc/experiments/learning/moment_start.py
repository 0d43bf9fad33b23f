"""How good is a start from moments? Its alignment, and what descent makes of it."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from soloc.experiments.certificates import Certificate, at_most
from soloc.experiments.experiment import Experiment
from soloc.experiments.learning.trials import by_descent, draw, moments
from soloc.learning.baselines import moment_start_curve
from soloc.predictors.normalised import Softmax
from soloc.tasks.single_location import SingleLocation


@dataclass(frozen=True)
class Config:
    """The law at `ratios`; at `tried`, moments of `measured` data sets, and training from those of
    the first `sets`.
    """

    lengths: tuple[int, ...] = (3, 10)
    ratios: tuple[float, ...] = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
    tried: tuple[float, ...] = (1.0, 2.0, 4.0, 8.0)
    signal: float = 2.0
    eps: float = 0.3
    ridge: float = 0.2
    d: int = 80
    measured: int = 24
    sets: int = 6
    seed: int = 3


def run(config: Config) -> pd.DataFrame:
    """Rows `law` (alignment, theory), `moments` (measured) and `trained` (risk by start)."""
    return pd.concat([_length(config, L) for L in config.lengths], ignore_index=True)


def _length(config: Config, L: int) -> pd.DataFrame:
    task = SingleLocation(d=config.d, L=L, gamma=1.0, eps=config.eps, signal=config.signal)
    rows = [moment_start_curve(task, config.ratios).assign(part="law", start="moments")]
    for ratio in config.tried:
        sets = [draw(task, ratio, config.seed, L, number) for number in range(config.measured)]
        pairs = [moments(data) for data in sets]
        cosines = np.array(
            [[k @ s.key, v @ s.value] for (k, v), s in zip(pairs, sets, strict=True)]
        )
        rows.append(_row(ratio, "moments", "moments", cos_k=cosines[:, 0], cos_v=cosines[:, 1]))
        starts, few = ("moments", "random"), sets[: config.sets]
        ends = [by_descent(task, Softmax(1.0), s, config.ridge, starts) for s in few]
        for start, found in zip(starts, zip(*ends, strict=True), strict=True):
            risks = np.array([one.risk for one in found])
            shares = np.array([one.agrees for one in found], float)
            rows.append(_row(ratio, "trained", start, risk=risks, agrees=shares))
    return pd.concat(rows, ignore_index=True).assign(L=L)


def _row(ratio: float, part: str, start: str, **values: np.ndarray) -> pd.DataFrame:
    """Means with their errors."""
    columns = {name: value.mean() for name, value in values.items()}
    errors = {
        f"{name}_error": value.std(ddof=1) / np.sqrt(len(value)) for name, value in values.items()
    }
    return pd.DataFrame(
        [{"samples_per_dimension": ratio, "part": part, "start": start, **columns, **errors}]
    )


def findings(table: pd.DataFrame) -> str:
    """What the table shows."""
    law = table[(table.part == "law") & (table.L.max() == table.L)]
    law = law.set_index("samples_per_dimension")
    trained = table[table.part == "trained"]
    share = trained.groupby("start").agrees.mean()
    few, many = law.index.min(), law.index.max()
    return (
        f"Sums of tokens point at k* and v* from the first samples on: with {table.L.max()} tokens"
        f" the cosines are {law.cos_k[few]:.2f} and {law.cos_v[few]:.2f} at n/d = {few:g},"
        f" {law.cos_k[many]:.2f} and {law.cos_v[many]:.2f} at {many:g}; there is no threshold."
        f" Descent from them ends at the minimum found from the truth in {share['moments']:.0%} of"
        f" the data sets, from random starts in {share['random']:.0%}."
    )


def certificates(table: pd.DataFrame) -> list[Certificate]:
    """The measured alignment follows the law, and the start from moments is no worse."""
    law = table[table.part == "law"].set_index(["L", "samples_per_dimension"])
    far = max(
        abs(getattr(row, name) - law[name][row.L, row.samples_per_dimension])
        / (4.0 * getattr(row, f"{name}_error") + 0.02)
        for row in table[table.part == "moments"].itertuples()
        for name in ("cos_k", "cos_v")
    )
    share = table[table.part == "trained"].groupby("start").agrees.mean()
    return [
        at_most(
            "The alignment of moments follows its law",
            "largest |measured - law| of both cosines over (4 errors + .02)",
            far,
            1.0,
        ),
        at_most(
            "Starting from moments is no worse than from random directions",
            "share of data sets that end at the minimum found from the truth, random - moments",
            share["random"] - share["moments"],
            0.1,
        ),
    ]


EXPERIMENT = Experiment(
    name="moment_start",
    question="How good is a start from moments?",
    config=Config(),
    quick=Config(tried=(1.0, 4.0), d=40, sets=3),
    run=run,
    findings=findings,
    certificates=certificates,
    axes=("lengths",),
    seconds=4.0,
)
