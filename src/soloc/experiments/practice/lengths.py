"""Trained at one length, used at another: every weight, a trained layer, and the latent tasks."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from soloc.experiments.certificates import Certificate, at_most
from soloc.experiments.experiment import Experiment
from soloc.experiments.latent.batches import one_blas_thread, pieces
from soloc.experiments.practice.recipes import EXTRA, NEEDS, optimiser, share_of_null
from soloc.maths.harmonics import Harmonics
from soloc.maths.randomness import derived_key, generator
from soloc.predictors.catalogue import WEIGHTS, Entry
from soloc.predictors.kernel_mean import FeatureKernel, KernelMeanAttention
from soloc.predictors.key_query import KeyQueryAttention, LinearAttention, SoftmaxAttention
from soloc.risk.best_temperature import best_of_one
from soloc.risk.best_weight import TRUTH
from soloc.risk.latent_error import error_given_keys
from soloc.risk.population import excess_risk
from soloc.tasks.exchangeable_latent import ExchangeableLatent
from soloc.tasks.noisy_recall import NoisyRecall
from soloc.tasks.single_location import SingleLocation

LAYER, DECAYED = "standard layer, Adam", "standard layer, AdamW"
RULES = {LAYER: "Adam", DECAYED: "AdamW"}
FAR = 1000  #: tokens to which the claim about the trained layer goes
MATRIX, RECALL = "latent matrix", "noisy recall"
CME, SOFTMAX, LINEAR = "kernel regression", "softmax", "linear"


@dataclass(frozen=True)
class Config:
    """Everything is trained at `L`; weights of the catalogue by their best temperature there."""

    parts: tuple[str, ...] = (
        *(entry.label for entry in WEIGHTS.values() if entry.exact),
        *RULES,
        MATRIX,
        RECALL,
    )
    lengths: tuple[int, ...] = (2, 5, 10, 30, 100, 1000, 10_000)
    L: int = 10
    d: int = 64
    steps: int = 1500
    rate: float = 3e-3
    seeds: int = 4
    tokens: int = 300_000  #: of latent sequences drawn at every length, or 10,000 sequences
    settings: int = 17  #: tried of every number of a latent mechanism
    seed: int = 0


@one_blas_thread
def run(config: Config) -> pd.DataFrame:
    """One row per predictor and length: risk as trained at L, and with what is best there."""
    return pd.concat([_part(config, part) for part in config.parts], ignore_index=True)


def _part(config: Config, part: str) -> pd.DataFrame:
    labels = {entry.label: entry for entry in WEIGHTS.values() if entry.exact}
    if part in labels:
        rows = _weight(config, labels[part])
    elif part in RULES:
        rows = _layer(config, part)
    elif part in (MATRIX, RECALL):
        rows = _latent(config, part)
    else:
        known = "; ".join((*labels, *RULES, MATRIX, RECALL))
        raise ValueError(f"`parts` must be among {known}, got {part!r}.")
    return rows.assign(part=part)


def _weight(config: Config, entry: Entry) -> pd.DataFrame:
    """A weight at the true key and value, exactly."""
    strong, home = float(SingleLocation(d=config.d).m), SingleLocation(d=config.d, L=config.L)
    trained = best_of_one(
        lambda lam: np.asarray(excess_risk(home, entry.at(lam, config.L), TRUTH)),
        1e-3,
        min(entry.highest_lam, entry.highest_score / strong),
        points=9,
    ).lam
    rows = []
    for L in config.lengths:
        task = SingleLocation(d=config.d, L=L)
        used = float(share_of_null(task, float(excess_risk(task, entry.at(trained, L), TRUTH))))
        rows.append({"name": entry.label, "run": 0, "L": L, "used": used, "trained": trained})
    return pd.DataFrame(rows)


def _layer(config: Config, part: str) -> pd.DataFrame:
    from soloc.networks import StandardAttention, exact_risk, train

    task = SingleLocation(d=config.d, L=config.L)
    found = train(
        lambda key: StandardAttention(config.d, key),
        task,
        optimiser(RULES[part], config.rate, config.steps, falling=part == DECAYED),
        steps=config.steps,
        key=derived_key(config.seed, part),
        seeds=config.seeds,
        every=config.steps,
    )
    rows = []
    for L in config.lengths:
        other = replace(task, L=L)
        for number in range(config.seeds):
            risk = exact_risk(found.network(number), other, found.truth(number))
            share = float(share_of_null(other, risk))
            rows.append({"name": part, "run": number, "L": L, "used": share})
    return pd.DataFrame(rows)


class Mechanism(NamedTuple):
    """An attention with one number, the values tried for it, and the one that is Bayes."""

    at: Callable[[float], KeyQueryAttention]
    low: float
    high: float
    bayes: float = float("nan")


def _mechanisms(task: Any) -> dict[str, Mechanism]:
    if isinstance(task, NoisyRecall):
        return {
            SOFTMAX: Mechanism(SoftmaxAttention, 0.1 * task.tau, 10.0 * task.tau, task.tau),
            LINEAR: Mechanism(lambda gamma: LinearAttention(gamma=gamma), 0.1, 100.0),
        }
    kernel = FeatureKernel(Harmonics())
    return {
        CME: Mechanism(
            lambda r: KernelMeanAttention(kernel, r), 0.1 * task.ridge, 10.0 * task.ridge,
            task.ridge,
        ),
        SOFTMAX: Mechanism(SoftmaxAttention, 0.02, 2.0),
        LINEAR: Mechanism(lambda gamma: LinearAttention(Harmonics(), gamma), 0.3, 30.0),
    }  # fmt: skip


def _latent(config: Config, part: str) -> pd.DataFrame:
    """A mechanism whose number is best at L tokens, at other lengths, beside what is best there."""
    task: Any = ExchangeableLatent() if part == MATRIX else NoisyRecall(tau=0.05)
    rows = []
    for name, mechanism in _mechanisms(task).items():
        grid = np.geomspace(mechanism.low, mechanism.high, config.settings)
        curves = {L: _errors(config, part, task, L, mechanism, grid) for L in config.lengths}
        chosen = int(np.argmin(curves[config.L]))
        for L, curve in curves.items():
            rows.append(
                {"name": name, "run": 0, "L": L, "used": curve[chosen], "best": curve.min(),
                 "trained": grid[chosen], "bayes": mechanism.bayes}
            )  # fmt: skip
    return pd.DataFrame(rows)


def _errors(
    config: Config, part: str, task: Any, L: int, mechanism: Mechanism, grid: np.ndarray
) -> np.ndarray:
    """Mean error at every value of the grid, latent (or values) integrated out: the same keys."""
    n = max(20, min(10_000, config.tokens // L))
    total = np.zeros(len(grid))
    for number, size in pieces(n, L):
        key = derived_key(config.seed, part, L, number)
        if part == MATRIX:
            rng = generator(key)
            keys, query = task.key_law.draw(rng, size, L), task.key_law.draw(rng, size)
        else:
            drawn = replace(task, L=L).sample((), key, size)
            keys, query = drawn.keys, drawn.query
        for i, value in enumerate(grid):
            weights = mechanism.at(float(value)).weights(keys, query)
            if part == MATRIX:
                errors = error_given_keys(task, keys, query, weights)
            else:  # E over the values of (sum_l w_l v_l - v_J)^2
                errors = 1.0 - 2.0 * weights[np.arange(size), drawn.latent] + (weights**2).sum(-1)
            total[i] += errors.sum()
    return total / n


def _at(table: pd.DataFrame, part: str, name: str | None = None) -> pd.DataFrame:
    rows = table[(table.part == part) & (table.name == (name or part))]
    return rows.groupby("L")[["used", "best"]].mean()


def _regret(rows: pd.DataFrame) -> float:
    """Largest ratio over lengths of the risk as trained and at its best."""
    return float((rows.used / rows.best).max())


def findings(table: pd.DataFrame) -> str:
    """What the table shows."""
    longest = int(table.L.max())
    soft, erf = (_at(table, part).used[longest] for part in ("softmax", "erf"))
    runs = table[(table.part == LAYER) & (longest == table.L)].used
    decayed = _at(table, DECAYED).used
    diluted = (
        f" (AdamW, whose |k| is small, {decayed[longest]:.0%}: many weak tokens outweigh the one)"
        if len(decayed)
        else ""
    )
    kernel = _regret(_at(table, MATRIX, CME))
    fixed = _regret(_at(table, MATRIX, SOFTMAX))
    recall = _regret(_at(table, RECALL, SOFTMAX))
    return (
        f"A sharp normalised weight keeps what it learned at L = 10: at {longest:,} tokens softmax"
        f" loses {soft:.1%} of the null's excess and a standard layer trained by Adam"
        f" {runs.min():.0%} to {runs.max():.0%}{diluted}; erf, which adds every token up, has"
        f" {erf:.3g} times the excess of answering 0. In the latent tasks the Bayes mechanism is"
        f" invariant to the input size:"
        f" with its number chosen at 10 tokens kernel regression is never worse than"
        f" {kernel:.3f} times its best, softmax in recall {recall:.3f} times; softmax on the latent"
        f" matrix, which is not Bayes there, is up to {fixed:.1f} times worse than its best."
    )


def certificates(table: pd.DataFrame) -> list[Certificate]:
    """The layer goes along with softmax, sums do not, and Bayes mechanisms are invariant."""
    longest = int(table.L.max())
    erf = _at(table, "erf").used
    layer = table[(table.part == LAYER) & (table.L <= FAR)]
    return [
        at_most(
            "A standard layer that Adam trained can be used at a hundred times its length",
            f"largest exact excess over runs and lengths up to {FAR:,}, as a share of the null's",
            float(layer.used.max()),
            0.1,
        ),
        Certificate(
            "Weights that do not sum to one cannot",
            f"excess of erf, trained at L = 10, at {longest:,} tokens over that of answering 0",
            "> 1",
            f"{erf[longest]:.3g}",
            bool(erf[longest] > 1.0),
        ),
        at_most(
            "Kernel regression on the latent matrix is invariant to the input size",
            "risk with the ridge chosen at L = 10 over the best, largest over lengths",
            _regret(_at(table, MATRIX, CME)),
            1.03,
        ),
        at_most(
            "So is softmax in noisy recall",
            "risk with the temperature chosen at L = 10 over the best, largest over lengths",
            _regret(_at(table, RECALL, SOFTMAX)),
            1.03,
        ),
        Certificate(
            "Softmax on the latent matrix is not",
            "risk with the temperature chosen at L = 10 over the best, largest over lengths",
            "> 1.5",
            f"{_regret(_at(table, MATRIX, SOFTMAX)):.2f}",
            _regret(_at(table, MATRIX, SOFTMAX)) > 1.5,
        ),
    ]


EXPERIMENT = Experiment(
    name="practice_lengths",
    question="Trained at one length, does it work at another?",
    config=Config(),
    quick=Config(
        parts=("softmax", "erf", LAYER, MATRIX, RECALL), lengths=(2, 10, 100, 1000), steps=300,
        rate=1e-2,
        seeds=2, tokens=50_000, settings=9,
    ),
    run=run,
    findings=findings,
    certificates=certificates,
    axes=("parts",),
    seconds=5.0,
    needs=NEEDS,
    extra=EXTRA,
)  # fmt: skip
