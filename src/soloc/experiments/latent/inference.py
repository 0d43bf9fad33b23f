"""How fast does each attention learn the latent within its context? Against exact laws."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from soloc.experiments.certificates import Certificate, band, log_slope
from soloc.experiments.experiment import Experiment
from soloc.experiments.latent.batches import mean_and_error, one_blas_thread, pieces
from soloc.maths.harmonics import Harmonics
from soloc.maths.randomness import derived_key, generator
from soloc.predictors.kernel_mean import FeatureKernel, KernelMeanAttention
from soloc.predictors.key_query import (
    KeyQueryAttention,
    LinearAttention,
    PowerLaw,
    SoftmaxAttention,
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
    """The task of the specification; `sequences` are drawn at every length."""

    seed: int = 0
    lengths: tuple[int, ...] = (128, 256, 512, 1024, 2048)
    sequences: int = 800
    sigma: float = 0.5
    temperature: float = 0.2
    schedule: tuple[float, float] = (0.9, -1 / 3)
    ridge_schedule: tuple[float, float] = (0.1, 0.75)


QUICK = Config(sequences=200)


BAYES, RIDGED, LINEAR = "CME, Bayes ridge", "CME, ridge 0.1 L^3/4", "linear, inverse covariance"
SOFTMAX, LIMIT, COOLED = (
    "softmax, fixed, to truth",
    "softmax, fixed, to its limit",
    "softmax, 0.9 L^-1/3",
)
SLOPES = {  # the claim about every mechanism, and the exponents of L that it accepts
    BAYES: ("kernel regression (CME) with the Bayes ridge: error sigma^2 D/L", -1.08, -0.92),
    RIDGED: ("CME with ridge 0.1 L^3/4: error L^-1/2", -0.62, -0.40),
    LINEAR: ("linear attention with the inverse mean covariance: error 9/L", -1.08, -0.92),
    SOFTMAX: ("softmax at temperature 0.2: a floor", -0.12, 0.03),
    LIMIT: ("softmax at temperature 0.2 about its own limit: error 1/L", -1.1, -0.9),
    COOLED: ("softmax at temperature 0.9 L^-1/3: error L^-2/3", -0.74, -0.58),
}


class Mechanism(NamedTuple):
    """A predictor with the law of its error; its target has features times `multiplier`."""

    predictor: KeyQueryAttention
    law: float
    multiplier: np.ndarray | float = 1.0


def mechanisms(config: Config, L: int) -> dict[str, Mechanism]:
    """Every mechanism at this length, in the order of SLOPES."""
    task = ExchangeableLatent(sigma=config.sigma)
    features = Harmonics()
    kernel = FeatureKernel(features)
    ridge, falling = PowerLaw(*config.ridge_schedule), PowerLaw(*config.schedule)
    fixed, cooled = config.temperature, falling(L)
    soft = SoftmaxAttention(fixed)
    whitened = LinearAttention(features, 1 / features.second_moment)
    own = softmax_multipliers(features, fixed)
    cooled_law = softmax_floor(task, cooled) + softmax_spread(task, cooled) / L
    return {
        BAYES: Mechanism(KernelMeanAttention(kernel, task.ridge), config.sigma**2 * task.D / L),
        RIDGED: Mechanism(KernelMeanAttention(kernel, ridge), kernel_mean_law(task, ridge(L), L)),
        LINEAR: Mechanism(whitened, whitened_linear_law(task, L)),
        SOFTMAX: Mechanism(soft, softmax_floor(task, fixed)),
        LIMIT: Mechanism(soft, softmax_spread(task, fixed) / L, own),
        COOLED: Mechanism(SoftmaxAttention(falling), cooled_law),
    }


@one_blas_thread
def run(config: Config) -> pd.DataFrame:
    """One row per length and mechanism: error per coordinate, its standard error, its law."""
    task = ExchangeableLatent(sigma=config.sigma)
    rows = []
    for L in config.lengths:
        asked = mechanisms(config, L)
        errors: dict[str, list[np.ndarray]] = {name: [] for name in asked}
        for number, n in pieces(config.sequences, L):
            rng = generator(derived_key(config.seed, "inference", L, number))
            keys, query = task.key_law.draw(rng, n, L), task.key_law.draw(rng, n)
            for name, mechanism in asked.items():
                weights = mechanism.predictor.weights(keys, query)
                errors[name].append(
                    error_given_keys(task, keys, query, weights, mechanism.multiplier)
                )
        rows += [
            (name, L, *mean_and_error(np.concatenate(errors[name])), asked[name].law)
            for name in asked
        ]
    return pd.DataFrame(rows, columns=["mechanism", "L", "error", "standard_error", "law"])


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
    bayes, linear, softmax = (_at_longest(table, name) for name in (BAYES, LINEAR, SOFTMAX))
    return (
        "Kernel regression with the Bayes ridge is the posterior mean and its error falls as"
        f" L^{slope[BAYES]:.2f}; linear attention falls as L^{slope[LINEAR]:.2f} but pays"
        f" {linear['error'] / bayes['error']:.2f} times as much at L = {bayes['L']}. Softmax at"
        f" fixed temperature stops at {softmax['error']:.4f}, its exact floor being"
        f" {softmax['law']:.4f}; cooled with L it goes on falling, as L^{slope[COOLED]:.2f}."
    )


def certificates(table: pd.DataFrame) -> list[Certificate]:
    out = []
    for name, slope in slopes(table).items():
        claim, low, high = SLOPES[name]
        out.append(band(claim, "slope of log error on log L", slope, low, high))
    bayes, linear, softmax = (_at_longest(table, name) for name in (BAYES, LINEAR, SOFTMAX))
    ratio, floor = linear["error"] / bayes["error"], softmax["error"] / softmax["law"]
    paid, stopped = (
        f"error / Bayes error at L = {linear['L']}",
        f"error / floor at L = {softmax['L']}",
    )
    exact = table[table["mechanism"] == LINEAR]
    z = ((exact["error"] - exact["law"]) / exact["standard_error"]).abs().max()
    return [
        *out,
        band(
            "linear attention pays for taking the mean covariance for that of its keys",
            paid,
            ratio,
            4.0,
            5.0,
        ),
        band("softmax at fixed temperature has the Funk-Hecke floor", stopped, floor, 0.99, 1.04),
        band(
            "linear attention's error is 9/L exactly", "largest |z| over L of the error", z, 0, 4.5
        ),
    ]


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
