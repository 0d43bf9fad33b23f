"""Which attention? Every weight of the package at its best temperature against the Bayes risk."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from soloc.experiments.experiment import Certificate, Experiment
from soloc.maths.randomness import derived_key
from soloc.predictors.normalised import (
    CosineReweighted,
    Entmax15,
    HardMax,
    NormalisedReLU,
    NormalisedSigmoid,
    NormalisedSoftplus,
    Softmax,
    Sparsemax,
)
from soloc.predictors.pointwise import (
    Erf,
    Exponential,
    Linear,
    OnePlusErf,
    OnePlusLinear,
    ReLU,
    Sigmoid,
    Softplus,
    Tanh,
)
from soloc.risk.best_temperature import Best, best_temperature
from soloc.risk.overlaps import Overlaps
from soloc.risk.population import bayes_risk, excess_risk, linear_risk, null_risk
from soloc.tasks.single_location import LengthLaw, SingleLocation

TRUTH = Overlaps(1.0, 1.0)
#: Weights with an exact risk, from lam and the length; those that do not vanish are divided by it, as their papers do.
EXACT: dict[str, Callable[[Any, float], Any]] = {
    "softmax": lambda lam, L: Softmax(lam),
    "erf": lambda lam, L: Erf(lam),
    "tanh": lambda lam, L: Tanh(lam),
    "sigmoid, shift log L": lambda lam, L: Sigmoid(lam, shift=math.log(L)),
    "linear": lambda lam, L: Linear(lam),
    "ReLU": lambda lam, L: ReLU(lam),
    "1 + linear, over L": lambda lam, L: OnePlusLinear(lam, per_length=True),
    "1 + erf, over L": lambda lam, L: OnePlusErf(lam, per_length=True),
    "softplus, over L": lambda lam, L: Softplus(lam, per_length=True),
    "exponential, over L": lambda lam, L: Exponential(lam, per_length=True),
    "normalised softplus": lambda lam, L: NormalisedSoftplus(lam),
    "normalised sigmoid": lambda lam, L: NormalisedSigmoid(lam),
    "normalised ReLU": lambda lam, L: NormalisedReLU(lam),
}
#: Weights whose risk is simulated, with its error.
SIMULATED: dict[str, Callable[[float], Any]] = {
    "sparsemax": Sparsemax,
    "1.5-entmax": Entmax15,
    "cosine reweighted": CosineReweighted,
    "hard maximum": lambda lam: HardMax(),
}


@dataclass(frozen=True)
class Config:
    """gamma = 1, where Bayes is softmax; `signal` and `length` are held while the other varies."""

    weights: tuple[str, ...] = (*EXACT, *SIMULATED)
    signals: tuple[float, ...] = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0)
    lengths: tuple[int, ...] = (2, 5, 10, 30, 100, 1000)
    signal: float = 5.0
    length: int = 10
    shortest: int = 5
    longest: int = 15
    samples: int = 40_000
    seed: int = 0


def run(config: Config) -> pd.DataFrame:
    """One row per weight and setting: the best lam, the excess risk there, its error, and Bayes beside it."""
    unknown = [name for name in config.weights if name not in EXACT and name not in SIMULATED]
    if unknown:
        raise ValueError(f"`weights` must be among {'; '.join((*EXACT, *SIMULATED))}, got {unknown[0]!r}.")
    return pd.concat([_weight(config, name) for name in config.weights], ignore_index=True)


def _weight(config: Config, name: str) -> pd.DataFrame:
    law = LengthLaw.uniform(config.shortest, config.longest)
    settings = [("signal", m, float(config.length), None) for m in config.signals]
    settings += [("length", config.signal, float(L), None) for L in config.lengths if name in EXACT or L <= 100]
    settings += [("random", config.signal, float(config.longest), law)]
    rows = []
    for part, m, L, lengths in settings:
        task = SingleLocation(d=100, L=L if lengths is None else None, gamma=1.0, signal=m, lengths=lengths)
        best, error = _exact(task, name, L) if name in EXACT else _simulated(config, task, name)
        floors = [float(risk(task)) for risk in (bayes_risk, linear_risk, null_risk)]
        rows.append((part, name, m, L, float(best.lam), float(best.value), error, *floors))
    return pd.DataFrame(rows, columns=["part", "weight", "m", "L", "lam", "excess", "error", "bayes", "linear", "null"])


def _exact(task: SingleLocation, name: str, L: float) -> tuple[Best, float]:
    def value(lam: np.ndarray) -> np.ndarray:
        return np.asarray(excess_risk(task, EXACT[name](lam, L), TRUTH))

    best = best_temperature(value, 1e-3, 30.0)
    return Best(best.lam[0], best.value[0]), 0.0


def _simulated(config: Config, task: SingleLocation, name: str) -> tuple[Best, float]:
    """The best of a grid of lam on one set of samples; the error of the mean at the best."""
    key = derived_key(config.seed, "attentions", name)
    grid = [1.0] if name == "hard maximum" else list(np.logspace(-1.0, 1.0, 13))
    found = [excess_risk(task, SIMULATED[name](lam), TRUTH, key=key, samples=config.samples) for lam in grid]
    at = int(np.argmin([float(estimate) for estimate in found]))
    return Best(np.asarray(grid[at]), np.asarray(float(found[at]))), float(found[at].error)


def _over_bayes(table: pd.DataFrame) -> pd.Series:
    return table.excess / table.bayes


def _signal_slopes(table: pd.DataFrame) -> tuple[float, float]:
    """Exponent of linear attention in m^2, and slope of log softmax in m^2, at the three strongest signals."""
    signal = table[table.part == "signal"]
    linear, soft = (signal[signal.weight == name].sort_values("m").tail(3) for name in ("linear", "softmax"))
    power = float(np.polyfit(np.log(linear.m**2), np.log(linear.excess), 1)[0])
    exponent = float(np.polyfit(soft.m**2, np.log(soft.excess), 1)[0])
    return power, exponent


def findings(table: pd.DataFrame) -> str:
    """What the table shows."""
    at = table[(table.part == "length") & (table.L == 10.0)] if (table.L == 10.0).any() else table[table.part == "random"]
    order = at.sort_values("excess")
    second = order[order.weight != "softmax"].iloc[0]
    said = (
        f"At gamma = 1, signal {order.m.iloc[0]:g} and L = {order.L.iloc[0]:.0f} only softmax reaches Bayes "
        f"({order.bayes.iloc[0]:.2e}); next comes {second.weight} at {second.excess / second.bayes:.2f} times Bayes, and "
        f"{order.weight.iloc[-1]} is last at {order.excess.iloc[-1] / order.bayes.iloc[-1]:.0f} times."
    )
    if {"linear", "softmax"} <= set(table.weight):
        power, exponent = _signal_slopes(table)
        said += (
            f" With the squared signal m^2 the excess of linear attention falls as a power ({power:.2f}), that of softmax as "
            f"exp({exponent:.2f} m^2)."
        )
    return said


def certificates(table: pd.DataFrame) -> list[Certificate]:
    """Softmax is Bayes and nobody else is; powers against exponentials."""
    claims = []
    soft = table[(table.weight == "softmax") & (table.part != "random")]
    if len(soft):
        gap, off = (_over_bayes(soft) - 1.0).abs().max(), (soft.lam / soft.m - 1.0).abs().max()
        claims.append(
            Certificate(
                "At gamma = 1 softmax attention at lam = m is the Bayes predictor",
                "exact softmax risk at its best lam against the exact Bayes risk, every signal and length; best lam against m",
                "equal to 1e-6; lam = m to 1 %",
                f"relative gap {gap:.1e}, lam off by {off:.1e}",
                bool(gap < 1e-6 and off < 0.01),
            )
        )
    others = table[(table.weight != "softmax") & (table.m >= 3.0)]
    if len(others):
        margin = (others.excess - 4.0 * others.error) / others.bayes
        closest = others.loc[margin.idxmin()]
        claims.append(
            Certificate(
                "No other weight reaches Bayes, fixed and random lengths",
                "excess minus four standard errors, over the Bayes excess, smallest over weights and settings with m >= 3",
                "above 1",
                f"{margin.min():.3f} ({closest.weight}, m = {closest.m:g}, L = {closest.L:.0f})",
                bool(margin.min() > 1.0),
            )
        )
    if {"linear", "softmax"} <= set(table.weight):
        power, exponent = _signal_slopes(table)
        claims.append(
            Certificate(
                "In the squared signal, linear attention decays polynomially and softmax exponentially",
                "slopes at the three strongest signals: log excess in log m^2 for linear, in m^2 for softmax",
                "power -1.0 +- 0.25; exponent between -0.32 and -0.2",
                f"power {power:.3f}; exponent {exponent:.3f}",
                bool(abs(power + 1.0) <= 0.25 and -0.32 <= exponent <= -0.2),
            )
        )
    return claims


EXPERIMENT = Experiment(
    name="attentions",
    question="Which attention? Every weight at its best temperature against Bayes",
    config=Config(),
    quick=Config(
        weights=("softmax", "erf", "linear", "ReLU", "normalised ReLU", "hard maximum"),
        signals=(2.0, 4.0, 6.0, 7.0, 8.0),
        lengths=(2, 10, 100),
        samples=10_000,
    ),
    run=run,
    findings=findings,
    certificates=certificates,
    axes=("weights",),
    seconds=2.0,
)
