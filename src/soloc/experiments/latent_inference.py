"""How fast does each attention learn the latent within its context? Error against L, with exact laws."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from soloc.experiments.experiment import Certificate, Experiment
from soloc.experiments.latent_bands import band, log_slope, mean_and_error, pieces
from soloc.maths.harmonics import Harmonics
from soloc.maths.randomness import derived_key, generator
from soloc.predictors.kernel_mean import FeatureKernel, KernelMeanAttention
from soloc.predictors.key_query import (
    LinearAttention,
    PowerLaw,
    Predictor,
    Seen,
    SoftmaxAttention,
    at_length,
)
from soloc.risk.latent_error import (
    error_given_keys,
    kernel_mean_law,
    softmax_floor,
    softmax_multipliers,
    softmax_spread,
    whitened_linear_law,
)
from soloc.tasks.exchangeable_latent import ExchangeableLatent


@dataclass(frozen=True)
class Config:
    """Settings of the task are those of the specification; `sequences` are drawn at every length."""

    seed: int = 0
    lengths: tuple[int, ...] = (128, 256, 512, 1024, 2048)
    sequences: int = 800
    sigma: float = 0.5
    temperature: float = 0.2
    schedule: tuple[float, float] = (0.9, -1 / 3)
    ridge_schedule: tuple[float, float] = (0.1, 0.75)


QUICK = Config(sequences=250)


class Mechanism(NamedTuple):
    name: str
    predictor: Predictor
    multiplier: np.ndarray | float  # 1 is the truth, softmax's own limit otherwise
    law: float
    slope: tuple[float, float]  # accepted by the specification


def mechanisms(config: Config, L: int) -> list[Mechanism]:
    """Every mechanism with the law of its error at this length."""
    task = ExchangeableLatent(sigma=config.sigma)
    features = Harmonics()
    kernel = FeatureKernel(features)
    ridge, falling = PowerLaw(*config.ridge_schedule), PowerLaw(*config.schedule)
    fixed, cooled = config.temperature, at_length(falling, L)
    own = softmax_multipliers(features, fixed)
    spread = softmax_spread(task, fixed) / L
    return [
        Mechanism(
            "CME, Bayes ridge",
            KernelMeanAttention(kernel, task.ridge),
            1.0,
            config.sigma**2 * task.D / L,
            (-1.08, -0.92),
        ),
        Mechanism(
            "CME, ridge 0.1 L^3/4",
            KernelMeanAttention(kernel, ridge),
            1.0,
            kernel_mean_law(task, at_length(ridge, L), L),
            (-0.62, -0.40),
        ),
        Mechanism(
            "linear, inverse covariance",
            LinearAttention(features, 1 / features.second_moment),
            1.0,
            whitened_linear_law(task, L),
            (-1.08, -0.92),
        ),
        Mechanism(
            "softmax, fixed, to truth",
            SoftmaxAttention(fixed),
            1.0,
            softmax_floor(task, fixed),
            (-0.12, 0.03),
        ),
        Mechanism("softmax, fixed, to its limit", SoftmaxAttention(fixed), own, spread, (-1.1, -0.9)),
        Mechanism(
            "softmax, 0.9 L^-1/3",
            SoftmaxAttention(falling),
            1.0,
            softmax_floor(task, cooled) + softmax_spread(task, cooled) / L,
            (-0.74, -0.58),
        ),
    ]


def run(config: Config) -> pd.DataFrame:
    """One row per length and mechanism: error per value coordinate, its standard error and its law."""
    task = ExchangeableLatent(sigma=config.sigma)
    rows = []
    for L in config.lengths:
        asked = mechanisms(config, L)
        errors: list[list[np.ndarray]] = [[] for _ in asked]
        for number, n in pieces(config.sequences, L):
            rng = generator(derived_key(config.seed, "inference", L, number))
            sight = Seen(task.key_law.draw(rng, n, L), task.key_law.draw(rng, n))
            for kept, mechanism in zip(errors, asked, strict=True):
                weights = mechanism.predictor.weights(*sight)
                kept.append(error_given_keys(task, sight, weights, mechanism.multiplier))
        for kept, mechanism in zip(errors, asked, strict=True):
            mean, error = mean_and_error(np.concatenate(kept))
            low, high = mechanism.slope
            rows.append((mechanism.name, L, mean, error, mechanism.law, low, high))
    return pd.DataFrame(
        rows, columns=["mechanism", "L", "error", "standard_error", "law", "slope_low", "slope_high"]
    )


def slopes(table: pd.DataFrame) -> dict[str, float]:
    """Fitted exponent of L for every mechanism."""
    return {
        str(name): log_slope(rows["L"], rows["error"])
        for name, rows in table.groupby("mechanism", sort=False)
    }


def _at_longest(table: pd.DataFrame, mechanism: str) -> pd.Series:
    rows = table[table["mechanism"] == mechanism]
    return rows.loc[rows["L"].idxmax()]


def findings(table: pd.DataFrame) -> str:
    slope = slopes(table)
    bayes, linear = (_at_longest(table, name) for name in ("CME, Bayes ridge", "linear, inverse covariance"))
    softmax = _at_longest(table, "softmax, fixed, to truth")
    return (
        "Kernel regression with the Bayes ridge is the posterior mean and its error falls as "
        f"L^{slope['CME, Bayes ridge']:.2f}; linear "
        f"attention falls as L^{slope['linear, inverse covariance']:.2f} but pays "
        f"{linear['error'] / bayes['error']:.2f} times as much at "
        f"L = {bayes['L']}. "
        f"Softmax at fixed temperature stops at {softmax['error']:.4f}, its exact floor being "
        f"{softmax['law']:.4f}; cooled with L it "
        f"goes on falling, as L^{slope['softmax, 0.9 L^-1/3']:.2f}."
    )


def certificates(table: pd.DataFrame) -> list[Certificate]:
    out = []
    for name, slope in slopes(table).items():
        low, high = table.loc[table["mechanism"] == name, ["slope_low", "slope_high"]].iloc[0]
        out.append(band(f"error of {name} against L", "slope of log error on log L", slope, low, high))
    bayes = _at_longest(table, "CME, Bayes ridge")
    linear = _at_longest(table, "linear, inverse covariance")
    softmax = _at_longest(table, "softmax, fixed, to truth")
    out.append(
        band(
            "linear attention pays for not knowing its keys' covariance",
            f"error / Bayes error at L = {linear['L']}",
            linear["error"] / bayes["error"],
            4.0,
            5.0,
        )
    )
    out.append(
        band(
            "softmax at fixed temperature has the Funk-Hecke floor",
            f"error / floor at L = {softmax['L']}",
            softmax["error"] / softmax["law"],
            0.99,
            1.04,
        )
    )
    exact = table[table["mechanism"] == "linear, inverse covariance"]
    z = ((exact["error"] - exact["law"]) / exact["standard_error"]).abs().max()
    out.append(
        band("linear attention's error is 9/L exactly", "largest |z| over L of the measured error", z, 0, 4)
    )
    return out


EXPERIMENT = Experiment(
    name="latent_inference",
    question="How fast does each attention learn the latent within its context?",
    config=Config(),
    quick=QUICK,
    run=run,
    findings=findings,
    certificates=certificates,
    axes=("lengths",),
)
