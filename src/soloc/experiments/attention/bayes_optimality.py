"""Does erf attention at the truth reach the Bayes risk as d grows, and in which regime?"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from soloc.experiments.attention.bayes_floor import bayes_excess
from soloc.experiments.certificates import Certificate, log_slope
from soloc.experiments.experiment import Experiment
from soloc.predictors.pointwise import Erf
from soloc.risk.baselines import linear_risk, null_risk
from soloc.risk.best_temperature import best_temperature
from soloc.risk.overlaps import Overlaps
from soloc.risk.population import population_risk
from soloc.tasks.single_location import SingleLocation

TRUTH = Overlaps(1.0, 1.0)
RULE, BEST = "erf, lam = d^-1/4", "erf, best lam"


@dataclass(frozen=True)
class Config:
    """Curves against d for each length; the plane (lam, L/d) for each dimension of `planes`."""

    lengths: tuple[int, ...] = (10, 100, 1000)
    log10_dimensions: tuple[float, float, int] = (1.0, 8.0, 29)
    planes: tuple[int, ...] = (400, 1_000_000)
    grid: int = 61
    gamma: float = 0.5**0.5
    eps: float = 0.0


def run(config: Config) -> pd.DataFrame:
    """Rows of part "curve" (per d, L and predictor) and of part "plane" (per lam and L/d)."""
    curves = [_curve(config, L) for L in config.lengths]
    planes = [_plane(config, d) for d in config.planes]
    return pd.concat([*curves, *planes], ignore_index=True)


def _curve(config: Config, L: int) -> pd.DataFrame:
    low, high, count = config.log10_dimensions
    d = np.unique(np.round(np.logspace(low, high, count)))
    task = SingleLocation(d=d, L=float(L), gamma=config.gamma, eps=config.eps)
    rule = d**-0.25
    best = best_temperature(lambda lam: _erf(task, lam), 1e-6, 1e2)
    noise, ones = config.eps**2, np.ones_like(d)
    bayes = noise + bayes_excess(d, L, config.gamma)
    found = {
        RULE: (rule, _erf(task, rule)),
        BEST: (best.lam, best.value),
        "Bayes": (np.nan * ones, bayes),
        "linear": (np.nan * ones, np.asarray(linear_risk(task)) * ones),
        "null": (np.nan * ones, np.asarray(null_risk(task)) * ones),
    }
    blocks = [
        pd.DataFrame(
            {
                "part": "curve",
                "d": d,
                "L": float(L),
                "predictor": name,
                "lam": lam,
                "excess": risk - noise,
                "above_bayes": risk - bayes,
            }
        )
        for name, (lam, risk) in found.items()
    ]
    return pd.concat(blocks, ignore_index=True)


def _plane(config: Config, d: int) -> pd.DataFrame:
    ratio = np.logspace(np.log10(2.0 / d), 2.0, config.grid)[:, None]
    lam = np.logspace(-4.0, 0.5, config.grid)[None, :]
    L = np.maximum(np.round(ratio * d), 2.0)
    task = SingleLocation(d=float(d), L=L, gamma=config.gamma, eps=config.eps)
    excess = _erf(task, lam) - config.eps**2 - bayes_excess(d, L, config.gamma)
    shape = excess.shape
    return pd.DataFrame(
        {
            "part": "plane",
            "d": float(d),
            "L": np.broadcast_to(L, shape).ravel(),
            "predictor": "erf",
            "lam": np.broadcast_to(lam, shape).ravel(),
            "excess": np.nan,
            "above_bayes": excess.ravel(),
        }
    )


def _erf(task: SingleLocation, lam: np.ndarray) -> np.ndarray:
    return np.asarray(population_risk(task, Erf(lam), TRUTH))


def _slope(table: pd.DataFrame, predictor: str, L: float, points: int = 5) -> float:
    """Exponent of the excess over Bayes in d, at the largest dimensions."""
    rows = table[(table.part == "curve") & (table.predictor == predictor) & (table.L == L)].tail(
        points
    )
    return log_slope(rows.d, rows.above_bayes)


def _last(table: pd.DataFrame, predictor: str, column: str = "above_bayes") -> pd.Series:
    rows = table[(table.part == "curve") & (table.predictor == predictor)]
    return rows[rows.d == rows.d.max()].set_index("L")[column]


def findings(table: pd.DataFrame) -> str:
    """What the table shows."""
    L = table[table.part == "curve"].L.min()
    d = table[table.part == "curve"].d.max()
    rule, best = _slope(table, RULE, L), _slope(table, BEST, L)
    excess = _last(table, BEST)[L]
    longest = _last(table, "linear").index.max()
    gain = 1.0 - _last(table, "linear", "excess")[longest] / _last(table, "null", "excess")[longest]
    return (
        f"At the truth the excess of erf attention over Bayes vanishes like d^{rule:.2f} along lam"
        f" = d^-1/4 and like d^{best:.2f} along the best temperature, down to {excess:.1e} at d ="
        f" {d:.0e} for L = {L:.0f}. Linear regression on the {longest:.0f} concatenated tokens"
        f" recovers only {gain:.2%} of what there is to gain, and attention reaches Bayes only"
        " between lam sqrt(d) >> 1 and lam sqrt(L) << 1."
    )


def certificates(table: pd.DataFrame) -> list[Certificate]:
    """Asymptotic Bayes optimality, its two conditions, and the failure of linear regression."""
    curve = table[table.part == "curve"]
    lengths = sorted(curve.L.unique())
    L = lengths[0]
    rule, best = _slope(table, RULE, L), _slope(table, BEST, L)
    excess, null = _last(table, BEST).max(), _last(table, "null", "excess").iloc[0]
    linear = curve[(curve.predictor == "linear") & (curve.d == curve.d.max())].set_index("L").excess
    zero = curve[(curve.predictor == "null") & (curve.d == curve.d.max())].set_index("L").excess
    gain = (1.0 - linear / zero).sort_index()
    shrinks = log_slope(gain.index, gain) if len(gain) > 1 else np.nan
    inside, left, right = _regimes(table)
    return [
        Certificate(
            "The oracle attention predictor is asymptotically Bayes optimal (d to infinity along"
            " lam = d^-1/4)",
            f"exact erf risk minus exact Bayes risk at L = {L:.0f}, exponent in d over the five"
            " largest d",
            "exponent -0.50 +- 0.03",
            f"exponent {rule:.3f}",
            abs(rule + 0.5) <= 0.03,
        ),
        Certificate(
            "At the best temperature the excess falls almost as 1/d",
            f"the same along the lam that minimises the risk, L = {L:.0f}; largest excess over all"
            " lengths at the largest d",
            "exponent between -1.02 and -0.85, excess below 1 % of the null predictor's",
            f"exponent {best:.3f}, excess {excess / null:.1e} of the null predictor's",
            -1.02 <= best <= -0.85 and excess < 0.01 * null,
        ),
        Certificate(
            "Optimality needs lam sqrt(d) large and lam sqrt(L) small, both",
            "largest share of the null excess inside the regime (lam sqrt(d) > 5, lam sqrt(L) <"
            " .05), smallest outside (lam sqrt(d) < .3, or lam sqrt(L) > 1) over the (lam, L/d)"
            " plane",
            "inside below 1 %, outside above 30 % on either side",
            f"inside {inside:.2%}, too hot {left:.0%}, too cold {right:.0%}",
            inside < 0.01 and left > 0.3 and right > 0.3,
        ),
        Certificate(
            "Linear regression on the concatenated tokens is no better than the null predictor as L"
            " grows",
            "best linear risk against the null risk, exponent in L of the share gained",
            "share gained falls like L^-1 (exponent -1.00 +- 0.05)",
            f"exponent {shrinks:.3f}; {gain.iloc[-1]:.3%} gained at L = {gain.index[-1]:.0f}",
            abs(shrinks + 1.0) <= 0.05,
        ),
    ]


def _regimes(table: pd.DataFrame) -> tuple[float, float, float]:
    """Share of the null excess: largest inside the regime, smallest well outside of it."""
    plane = table[table.part == "plane"]
    null = table[(table.part == "curve") & (table.predictor == "null")].above_bayes.max()
    share = plane.above_bayes / null
    over_d, over_L = plane.lam * np.sqrt(plane.d), plane.lam * np.sqrt(plane.L)
    inside = share[(over_d > 5.0) & (over_L < 0.05)].max()
    return float(inside), float(share[over_d < 0.3].min()), float(share[over_L > 1.0].min())


EXPERIMENT = Experiment(
    name="bayes_optimality",
    question="Is attention Bayes optimal when the dimension grows, and in which regime?",
    config=Config(),
    quick=Config(log10_dimensions=(1.0, 8.0, 15), grid=31),
    run=run,
    findings=findings,
    certificates=certificates,
    axes=(),
    seconds=6.0,
)
