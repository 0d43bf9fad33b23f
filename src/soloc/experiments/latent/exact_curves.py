"""Error against length on the three tasks with a latent, where a law of it is known."""

from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

from soloc.experiments.latent.tasks import Config
from soloc.predictors.normalised import Softmax
from soloc.predictors.pointwise import Linear
from soloc.risk.best_weight import TRUTH
from soloc.risk.latent_error import softmax_floor, softmax_spread, whitened_linear_law
from soloc.risk.population import excess_risk, population_risk
from soloc.risk.recall_error import linear_recall_error, uniform_recall_error
from soloc.tasks.exchangeable_latent import ExchangeableLatent
from soloc.tasks.noisy_recall import NoisyRecall
from soloc.tasks.single_location import SingleLocation


def exact_curves(config: Config, lengths: Any, integrals: bool = True) -> pd.DataFrame:
    """One row per task, mechanism and length: `exact`, or a `limit` of many tokens.

    Without `integrals` the Bayes error of the decisive token is left out, which takes longer than
    all others.
    """
    lengths = np.unique(np.asarray(lengths, dtype=int))
    latent = ExchangeableLatent(sigma=config.latent_sigma)
    recall = NoisyRecall(config.recall_d, config.recall_tau)
    located = SingleLocation(d=config.location_d, L=lengths, gamma=1.0, eps=config.location_eps)
    floor, spread = (
        law(latent, config.latent_temperature) for law in (softmax_floor, softmax_spread)
    )
    noise = config.latent_sigma**2
    linear = np.asarray(population_risk(located, Linear(1.0 / lengths), TRUTH))
    curves: list[tuple[str, str, str, Any]] = [
        ("ExchangeableLatent", "Bayes", "limit", noise * latent.D / lengths),
        ("ExchangeableLatent", "softmax", "limit", floor + spread / lengths),
        (
            "ExchangeableLatent",
            "linear",
            "exact",
            [whitened_linear_law(latent, int(L)) for L in lengths],
        ),
        (
            "ExchangeableLatent",
            "uniform",
            "exact",
            latent.lam * (1.0 + 1.0 / lengths) + noise / lengths,
        ),
        (
            "NoisyRecall",
            "linear",
            "exact",
            [linear_recall_error(recall, recall.d, int(L)) for L in lengths],
        ),
        ("NoisyRecall", "uniform", "exact", [uniform_recall_error(int(L)) for L in lengths]),
        ("SingleLocation", "linear", "exact", linear),
        ("SingleLocation", "uniform", "exact", 1.0 - 1.0 / lengths + config.location_eps**2),
    ]
    if integrals:
        bayes = _located_bayes(config.location_d, tuple(lengths.tolist())) + config.location_eps**2
        curves += [("SingleLocation", name, "exact", bayes) for name in ("Bayes", "softmax")]
    parts = [
        pd.DataFrame(
            {
                "task": task,
                "mechanism": mechanism,
                "kind": kind,
                "L": lengths,
                "error": np.asarray(values, float),
            }
        )
        for task, mechanism, kind, values in curves
    ]
    return pd.concat(parts, ignore_index=True)


@lru_cache(maxsize=256)
def _located_bayes(d: int, lengths: tuple[int, ...]) -> np.ndarray:
    """Bayes risk without noise at every length: with gamma = 1, softmax at lam = m."""
    task = SingleLocation(d=d, L=np.array(lengths, dtype=float), gamma=1.0)
    return np.asarray(excess_risk(task, Softmax(float(task.m)), TRUTH))
