"""When is softmax a constant times kernel regression? For one harmonic degree, not for two."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from soloc.experiments.certificates import Certificate, band, log_slope
from soloc.experiments.experiment import Experiment
from soloc.experiments.latent.batches import one_blas_thread, pieces
from soloc.maths.harmonics import Harmonics, funk_hecke
from soloc.maths.randomness import derived_key, generator
from soloc.predictors.key_query import SoftmaxAttention
from soloc.risk.latent_error import unexplained_by_a_constant
from soloc.tasks.exchangeable_latent import ExchangeableLatent

LATENTS = {"degree 1": (1.0, 0.0), "degree 2": (0.0, 1.0), "both degrees": (0.5, 0.5)}


@dataclass(frozen=True)
class Config:
    """Softmax at each temperature against CME with the Bayes ridge, at every length."""

    seed: int = 0
    lengths: tuple[int, ...] = (1024, 4096, 16384)
    temperatures: tuple[float, ...] = (0.1, 0.2, 0.5, 1.0)
    sequences: int = 60
    sigma: float = 0.5


QUICK = Config(lengths=(256, 1024, 4096), sequences=40)


@one_blas_thread
def run(config: Config) -> pd.DataFrame:
    """One row per length, latent and temperature: share of softmax that CME leaves unexplained."""
    rows = []
    for L in config.lengths:
        for name, shares in LATENTS.items():
            task = ExchangeableLatent(Harmonics(shares=shares), sigma=config.sigma)
            powers = np.zeros((len(config.temperatures), 3))
            for number, n in pieces(config.sequences, L):
                rng = generator(derived_key(config.seed, "degrees", L, number))
                keys, query = task.key_law.draw(rng, n, L), task.key_law.draw(rng, n)
                cme = task.bayes_weights(keys, query)
                phi = task.features(keys)
                for at, temperature in enumerate(config.temperatures):
                    soft = SoftmaxAttention(temperature).weights(keys, query)
                    powers[at] += [
                        _covariance(task, phi, *pair)
                        for pair in ((soft, soft), (soft, cme), (cme, cme))
                    ]
            for (soft2, cross, cme2), temperature in zip(powers, config.temperatures, strict=True):
                c1, c2 = funk_hecke(np.array([1, 2]), 3, temperature)
                limit = unexplained_by_a_constant(Harmonics(shares=shares), temperature)
                rows.append(
                    (
                        name,
                        L,
                        temperature,
                        1 - cross**2 / (soft2 * cme2),
                        limit,
                        cross / cme2,
                        c1,
                        c2,
                    )
                )
    columns = ["latent", "L", "temperature", "unexplained", "limit", "constant", "c1", "c2"]
    return pd.DataFrame(rows, columns=columns)


def _covariance(
    task: ExchangeableLatent, phi: np.ndarray, first: np.ndarray, second: np.ndarray
) -> float:
    """Covariance of two attention outputs over latent and noise, summed over sequences."""
    seen = [np.einsum("nl,nlf->nf", weights, phi) for weights in (first, second)]
    return float(task.lam * np.sum(seen[0] * seen[1]) + task.sigma**2 * np.sum(first * second))


def _at(table: pd.DataFrame, latent: str, temperature: float) -> pd.DataFrame:
    return table[(table["latent"] == latent) & (table["temperature"] == temperature)]


def findings(table: pd.DataFrame) -> str:
    longest = table[table["L"] == table["L"].max()]
    mixed = {t: _at(longest, "both degrees", t).iloc[0] for t in (0.2, 1.0)}
    single = longest[(longest["latent"] != "both degrees") & (longest["temperature"] == 0.2)]
    return (
        "With one harmonic degree softmax is a constant times kernel regression: at temperature"
        f" 0.2 and L = {longest['L'].iloc[0]} only {single['unexplained'].max():.2%} of its output"
        " remains unexplained, and that falls as 1/L. With two degrees"
        f" {mixed[0.2]['unexplained']:.1%} remains (limit {mixed[0.2]['limit']:.2%}), and"
        f" {mixed[1.0]['unexplained']:.0%} at temperature 1 (limit {mixed[1.0]['limit']:.1%}),"
        " however long the context."
    )


def certificates(table: pd.DataFrame) -> list[Certificate]:
    longest = table[table["L"] == table["L"].max()]
    caveat = (
        "Softmax = constant x CME at fixed temperature only for a single degree; with both degrees "
        f"{_limit(longest, 0.2):.1%} of the output "
        f"is unexplained by any constant at temperature 0.2 and {_limit(longest, 1.0):.0%} at 1."
    )
    out = []
    for latent in ("degree 1", "degree 2"):
        for temperature in (0.2, 1.0):
            rows = _at(table, latent, temperature)
            slope = log_slope(rows["L"], rows["unexplained"] / (1 - rows["unexplained"]))
            out.append(
                band(
                    f"{latent}: softmax at temperature {temperature:g} tends to a constant"
                    " times CME",
                    "slope of unexplained / explained on L (log-log)",
                    slope,
                    -1.25,
                    -0.75,
                )
            )
    for temperature, expected in ((0.2, 0.043), (1.0, 0.31)):
        row = _at(longest, "both degrees", temperature).iloc[0]
        out.append(
            band(
                f"both degrees: softmax at temperature {temperature:g} is no constant times CME"
                " (exact limit)",
                "1 - (E c)^2 / E c^2 by Funk-Hecke",
                row["limit"],
                0.98 * expected,
                1.02 * expected,
                caveat,
            )
        )
        out.append(
            band(
                f"both degrees: the same at temperature {temperature:g}, measured",
                f"unexplained / limit at L = {row['L']}",
                row["unexplained"] / row["limit"],
                0.85,
                1.25,
                caveat,
            )
        )
    return out


def _limit(rows: pd.DataFrame, temperature: float) -> float:
    return float(_at(rows, "both degrees", temperature)["limit"].iloc[0])


EXPERIMENT = Experiment(
    name="latent_degrees",
    question="When is softmax a constant times kernel regression?",
    config=Config(),
    quick=QUICK,
    run=run,
    findings=findings,
    certificates=certificates,
    axes=("lengths",),
)
