"""Does learning attention from labels get harder with the length? The gap against n and L."""

import numpy as np
import pandas as pd

from soloc.experiments.certificates import Certificate, band, log_slope
from soloc.experiments.experiment import Experiment
from soloc.experiments.latent.batches import one_blas_thread
from soloc.experiments.latent.learners import Config, draw, kernel_mean, tied, untied
from soloc.risk.linear_attention import Supervised

QUICK = Config(lengths=(8, 64, 256), sequences=10_240, untied_repeats=2)


@one_blas_thread
def run(config: Config) -> pd.DataFrame:
    """One row per length, learner and training size: gap, excess, parameter error."""
    rows = []
    for L in config.lengths:
        seen = draw(config, L)
        for n in config.samples:
            rows.append(("tied", L, n, *tied(config, L, n, seen)))
            rows.append(("CME", L, n, *kernel_mean(config, L, n, seen)))
        if config.untied_length == L:
            n = max(config.samples)
            rows.append(("untied", L, n, *untied(config, L, n)))
    columns = [
        "learner",
        "L",
        "n",
        "optimal_risk",
        "gap",
        "standard_error",
        "relative_gap",
        "excess",
        "parameter_error",
    ]
    return pd.DataFrame(rows, columns=columns)


def _of(table: pd.DataFrame, learner: str) -> pd.DataFrame:
    return table[table["learner"] == learner]


def scaled_gaps(table: pd.DataFrame, learner: str = "tied") -> pd.Series:
    """n times the relative gap for every L, mean over n weighted by the number of training sets."""
    rows = _of(table, learner)
    return rows.groupby("L")["relative_gap"].sum() / (1 / rows["n"]).groupby(rows["L"]).sum()


def untied_ratio(table: pd.DataFrame) -> float:
    """Gap of the untied control over the tied gap at the same n and L."""
    untied = _of(table, "untied").iloc[0]
    tied = _of(table, "tied")
    return float(
        untied["gap"]
        / tied.loc[(tied["L"] == untied["L"]) & (tied["n"] == untied["n"]), "gap"].iloc[0]
    )


def _ratio_over_lengths(
    table: pd.DataFrame, learner: str, column: str, short: int, long: int
) -> float:
    """A column at length `long` over that at `short`: weighted geometric mean over n."""
    rows = _of(table, learner).set_index("n")
    ratio = rows.loc[rows["L"] == long, column] / rows.loc[rows["L"] == short, column]
    return float(np.exp(np.average(np.log(ratio), weights=1 / ratio.index.to_numpy())))


def findings(table: pd.DataFrame) -> str:
    scaled = scaled_gaps(table)
    short, long = scaled.index.min(), scaled.index.max()
    absolute = _ratio_over_lengths(table, "tied", "gap", short, long)
    return (
        f"The relative generalisation gap of tied attention is {scaled.mean():.0f}/n at every"
        f" length (max/min over L: {scaled.max() / scaled.min():.2f}), while the absolute gap at L"
        f" = {long} is {absolute:.2f} times the one at L = {short}. Without tying it is"
        f" {untied_ratio(table):.0f} times larger at n = {_of(table, 'untied')['n'].iloc[0]}; and"
        " kernel attention finds the risk but not its ridge, whose error grows"
        f" {_ratio_over_lengths(table, 'CME', 'parameter_error', 8, 64):.1f} times from L = 8"
        " to 64."
    )


def certificates(table: pd.DataFrame) -> list[Certificate]:
    scaled, tied = scaled_gaps(table), _of(table, "tied")
    slope = log_slope(
        *np.array([(n, rows["relative_gap"].mean()) for n, rows in tied.groupby("n")]).T
    )
    short, long = int(scaled.index.min()), int(scaled.index.max())
    fall = _ratio_over_lengths(table, "tied", "gap", short, long)
    law = {L: Supervised(4, L, 0.5).optimal_risk for L in (short, long)}
    growth = _ratio_over_lengths(table, "CME", "parameter_error", 8, 64)
    risk = _ratio_over_lengths(table, "CME", "relative_gap", 8, 64)
    largest = float(scaled_gaps(table, "CME").max())
    return [
        band(
            "the relative gap does not depend on L",
            "max/min over L of n x relative gap",
            scaled.max() / scaled.min(),
            1.0,
            1.3,
        ),
        band(
            "the relative gap falls as 1/n",
            "slope of log relative gap on log n",
            slope,
            -1.15,
            -0.85,
        ),
        band(
            "the absolute gap falls with L",
            f"gap at L = {long} / gap at L = {short}",
            fall,
            0.3,
            0.6,
            f"The absolute gap is not constant in L: it falls to {fall:.2f} of itself from L ="
            f" {short} to {long}, because R* falls ({law[short]:.3f} to {law[long]:.3f}); the"
            f" relative gap is (max/min {scaled.max() / scaled.min():.2f}).",
        ),
        band(
            "without tying the gap is about a hundred times larger",
            "untied / tied gap at n = 2048, L = 64",
            untied_ratio(table),
            70,
            150,
        ),
        band(
            "CME learns the risk",
            "largest n x relative gap over L (one parameter: about 2)",
            largest,
            0.5,
            6.0,
        ),
        band(
            "CME does not learn its precision as L grows",
            "mean error of the ridge, L = 64 / L = 8",
            growth,
            2.5,
            12.0,
            "Learning finds the risk, not the parameter: the error of the learned precision grows "
            f"{growth:.1f} times from L = 8 to 64, "
            f"the relative gap {risk:.2f} times.",
        ),
    ]


EXPERIMENT = Experiment(
    name="latent_supervised",
    question="Does learning attention from labelled sequences get harder with their length?",
    config=Config(),
    quick=QUICK,
    run=run,
    findings=findings,
    certificates=certificates,
    axes=("lengths",),
)
