"""Which temperature is best, what is lost to Bayes there, and what does a wrong one cost?"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from soloc.experiments.attention.bayes_floor import bayes_excess
from soloc.experiments.certificates import Certificate, log_slope
from soloc.experiments.experiment import Experiment
from soloc.predictors.pointwise import Erf
from soloc.risk.best_temperature import best_temperature
from soloc.risk.overlaps import Overlaps
from soloc.risk.population import population_risk
from soloc.tasks.single_location import SingleLocation

TRUTH = Overlaps(1.0, 1.0)


@dataclass(frozen=True)
class Config:
    """Best lam over d, L and gamma; the excess at lam = factor x best for each factor."""

    gammas: tuple[float, ...] = (0.25, 0.5, 0.7071067811865476, 1.0, 1.5, 2.0)
    lengths: tuple[int, ...] = (2, 10, 100, 1000)
    log10_dimensions: tuple[float, float, int] = (2.0, 7.0, 21)
    log2_factors: tuple[float, float, int] = (-4.0, 4.0, 33)
    price_gamma: float = 0.7071067811865476
    price_dimensions: tuple[int, ...] = (100, 10_000, 1_000_000)


def run(config: Config) -> pd.DataFrame:
    """Rows of part "best" (one per gamma, L, d) and of part "price" (one per L, d and factor)."""
    low, high, count = config.log10_dimensions
    d = np.unique(np.round(np.logspace(low, high, count)))
    best = [_best(gamma, L, d) for gamma in config.gammas for L in config.lengths]
    price = [_price(config, L) for L in config.lengths]
    return pd.concat([*best, *price], ignore_index=True)


def _best(gamma: float, L: int, d: np.ndarray) -> pd.DataFrame:
    task = SingleLocation(d=d, L=float(L), gamma=gamma)
    found = best_temperature(lambda lam: _risk(task, lam), 1e-6, 1e3)
    return pd.DataFrame(
        {
            "part": "best",
            "gamma": gamma,
            "L": float(L),
            "d": d,
            "factor": 1.0,
            "lam": found.lam,
            "excess": found.value,
            "above_bayes": found.value - bayes_excess(d, L, gamma),
        }
    )


def _price(config: Config, L: int) -> pd.DataFrame:
    d = np.asarray(config.price_dimensions, dtype=float)
    task = SingleLocation(d=d, L=float(L), gamma=config.price_gamma)
    found = best_temperature(lambda lam: _risk(task, lam), 1e-6, 1e3)
    factor = np.logspace(*config.log2_factors, base=2.0)[:, None]
    lam = factor * found.lam
    wide = np.broadcast_to
    return pd.DataFrame(
        {
            "part": "price",
            "gamma": config.price_gamma,
            "L": float(L),
            "d": wide(d, lam.shape).ravel(),
            "factor": wide(factor, lam.shape).ravel(),
            "lam": lam.ravel(),
            "excess": _risk(task, lam).ravel(),
            "above_bayes": (_risk(task, lam) - bayes_excess(d, L, config.price_gamma)).ravel(),
        }
    )


def _risk(task: SingleLocation, lam: np.ndarray) -> np.ndarray:
    return np.asarray(population_risk(task, Erf(lam), TRUTH))


def _paper(table: pd.DataFrame) -> pd.DataFrame:
    """Rows of the best temperature at the paper's gamma (or the closest)."""
    best = table[table.part == "best"]
    gamma = min(best.gamma.unique(), key=lambda g: abs(g - 0.5**0.5))
    return best[best.gamma == gamma]


def _price_at(table: pd.DataFrame, factor: float) -> float:
    """Largest ratio of the excess over Bayes at `factor` x best lam to that at the best lam."""
    price = table[table.part == "price"]
    at_best = price[np.isclose(price.factor, 1.0)].set_index(["L", "d"]).above_bayes
    chosen = price[np.isclose(price.factor, factor)].set_index(["L", "d"]).above_bayes
    return float((chosen / at_best).max())


def _slopes(table: pd.DataFrame) -> pd.Series:
    """Exponent of the best lam in d at the largest dimensions, for every length."""
    rows = _paper(table)

    def slope(group: pd.DataFrame) -> float:
        return log_slope(group.d.tail(5), group.lam.tail(5))

    return pd.Series({L: slope(group) for L, group in rows.groupby("L")})


def findings(table: pd.DataFrame) -> str:
    """What the table shows."""
    slopes = _slopes(table)
    rows = _paper(table)
    middle = rows[(rows.L == 10.0)] if (rows.L == 10.0).any() else rows[rows.L.min() == rows.L]
    at = middle.iloc[(middle.d - 400).abs().argmin()]
    half, double = _price_at(table, 0.5), _price_at(table, 2.0)
    return (
        f"The best lam falls like d^{slopes.mean():.2f}, a little slower than 1/sqrt(d): at d ="
        f" {at.d:.0f}, L = {at.L:.0f} it is {at.lam:.3f} and is {at.above_bayes:.4f} above Bayes,"
        f" which leaves {at.excess - at.above_bayes:.1e}. The price of error is lopsided: twice the"
        f" best lam multiplies the excess by at most {double:.1f}, half the best lam by up to"
        f" {half:.0f} in high dimension, so when in doubt choose lam too large."
    )


def certificates(table: pd.DataFrame) -> list[Certificate]:
    """The law of the best temperature, and that it pays at every setting."""
    slopes = _slopes(table)
    best = table[table.part == "best"]
    vanish = best[best.d == best.d.max()].above_bayes / best[best.d == best.d.max()].gamma ** 2
    price = table[table.part == "price"]
    at_best = price[np.isclose(price.factor, 1.0)].set_index(["L", "d"]).above_bayes
    cheaper = (price.set_index(["L", "d"]).above_bayes / at_best).min()
    return [
        Certificate(
            "The best lam falls a little slower than 1/sqrt(d), as lam sqrt(d) -> infinity demands",
            "exponent in d of the minimiser of the exact risk, five largest d, every length",
            "between -0.50 and -0.40",
            f"{slopes.min():.3f} to {slopes.max():.3f}",
            bool((slopes > -0.5).all() and (slopes < -0.4).all()),
        ),
        Certificate(
            "At its best temperature attention is near Bayes for every gamma and length once d is"
            " large",
            f"largest excess R - R_Bayes, in units of gamma^2, at d = {best.d.max():.0e}",
            "below 0.05",
            f"{vanish.max():.4f}",
            bool(vanish.max() < 0.05),
        ),
        Certificate(
            "No other temperature does better than the best one found",
            "smallest ratio of the excess over Bayes at factor x best to that at the best, over all"
            " factors",
            "1 (to 1e-9)",
            f"{cheaper:.12f}",
            bool(cheaper > 1.0 - 1e-9),
        ),
    ]


EXPERIMENT = Experiment(
    name="temperature",
    question="Which temperature is best, and what does a wrong one cost?",
    config=Config(),
    quick=Config(
        gammas=(0.7071067811865476, 1.0),
        lengths=(10, 1000),
        log10_dimensions=(2.0, 9.0, 15),
        log2_factors=(-4.0, 4.0, 17),
    ),
    run=run,
    findings=findings,
    certificates=certificates,
    axes=(),
    seconds=6.0,
)
