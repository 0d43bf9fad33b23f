"""What do three tasks have in common? Each infers a latent; the exact weights differ."""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from soloc.experiments.certificates import Certificate, at_most, band
from soloc.experiments.experiment import Experiment
from soloc.experiments.latent.batches import mean_and_error, one_blas_thread, pieces
from soloc.maths.harmonics import Coordinates, Harmonics
from soloc.maths.randomness import derived_key
from soloc.predictors.kernel_mean import FeatureKernel, KernelMeanAttention
from soloc.predictors.key_query import (
    BayesAttention,
    KeyQueryAttention,
    LinearAttention,
    SoftmaxAttention,
    UniformAttention,
)
from soloc.tasks.exchangeable_latent import ExchangeableLatent
from soloc.tasks.noisy_recall import NoisyRecall
from soloc.tasks.protocol import Attended, attend
from soloc.tasks.single_location import SingleLocation, Truth


@dataclass(frozen=True)
class Config:
    """`tokens` bounds the sequences drawn at a length; every task has its own dimension."""

    seed: int = 0
    lengths: tuple[int, ...] = (4, 16, 64, 256, 1024)
    sequences: int = 2000
    tokens: int = 500_000
    latent_sigma: float = 0.5
    latent_temperature: float = 0.2
    recall_d: int = 8
    recall_tau: float = 0.1
    location_d: int = 16
    location_eps: float = 0.1


QUICK = Config(lengths=(4, 16, 64, 256), sequences=800, tokens=120_000)


class Entry(NamedTuple):
    """A task with what the unifying table says of it and the mechanisms that meet it."""

    task: Attended
    truth: tuple[Any, ...]  # of NumPy arrays: a new length costs no compilation
    latent: str
    exact: str  # the mechanism whose weights are exactly Bayes
    mechanisms: dict[str, KeyQueryAttention]


def entries(config: Config) -> dict[str, Entry]:
    """The three tasks, each with the settings of a mechanism that suit it best."""
    latent = ExchangeableLatent(sigma=config.latent_sigma)
    recall = NoisyRecall(config.recall_d, config.recall_tau)
    located = SingleLocation(d=config.location_d, gamma=1.0, eps=config.location_eps)
    axes = Truth(*np.eye(config.location_d)[:2])
    whitened = LinearAttention(Harmonics(), 1 / Harmonics().second_moment)
    plain = FeatureKernel(Coordinates())

    def meet(
        task: Any, softmax: float, cme: KernelMeanAttention, linear: LinearAttention
    ) -> dict[str, KeyQueryAttention]:
        return {
            "Bayes": BayesAttention(task),
            "softmax": SoftmaxAttention(softmax),
            "CME": cme,
            "linear": linear,
            "uniform": UniformAttention(),
        }

    return {
        "ExchangeableLatent": Entry(
            latent,
            (),
            "matrix z: how a value follows from its key",
            "CME",
            meet(
                latent,
                config.latent_temperature,
                KernelMeanAttention(FeatureKernel(Harmonics()), latent.ridge),
                whitened,
            ),
        ),
        "NoisyRecall": Entry(
            recall,
            (),
            "position J0: whose key was blurred",
            "softmax",
            meet(
                recall,
                recall.tau,
                KernelMeanAttention(plain, 1.0),
                LinearAttention(gamma=config.recall_d),
            ),
        ),
        "SingleLocation": Entry(
            located,
            axes,
            "position J0: which token is the signal",
            "softmax",
            meet(located, 1 / float(located.m), KernelMeanAttention(plain, 1.0), LinearAttention()),
        ),
    }


@one_blas_thread
def run(config: Config) -> pd.DataFrame:
    """One row per length, task and mechanism: risk, excess over Bayes, distance of the weights."""
    rows = []
    for L in config.lengths:
        for name, entry in entries(config).items():
            task: Any = replace(entry.task, L=L)  # type: ignore[type-var]
            n = min(config.sequences, config.tokens // L)
            errors: dict[str, list[np.ndarray]] = {mechanism: [] for mechanism in entry.mechanisms}
            distance = dict.fromkeys(entry.mechanisms, 0.0)
            variance = 0.0
            for number, size in pieces(n, L):
                drawn = task.sample(entry.truth, derived_key(config.seed, name, L, number), size)
                answers = drawn.answers.reshape(size, -1)
                keys, values, query = task.view(entry.truth, drawn.tokens)
                variance += float(np.sum(task.bayes_variance(entry.truth, drawn.tokens))) / n
                bayes = task.bayes_weights(keys, query)
                for mechanism, predictor in entry.mechanisms.items():
                    weights = predictor.weights(keys, query)
                    errors[mechanism].append(np.mean((attend(weights, values) - answers) ** 2, -1))
                    distance[mechanism] = max(
                        distance[mechanism], float(np.max(np.abs(weights - bayes)))
                    )
            best = np.concatenate(errors["Bayes"])
            for mechanism in entry.mechanisms:
                error = np.concatenate(errors[mechanism])
                excess, spread = mean_and_error(error - best)
                facts = (entry.latent, entry.task.exchangeable, entry.exact)
                risk, risk_error = mean_and_error(error)
                rows.append(
                    (
                        name,
                        mechanism,
                        L,
                        risk,
                        risk_error,
                        excess,
                        spread,
                        distance[mechanism],
                        variance,
                        *facts,
                    )
                )
    columns = [
        "task",
        "mechanism",
        "L",
        "risk",
        "standard_error",
        "excess",
        "excess_error",
        "off_bayes",
        "posterior_variance",
    ]
    return pd.DataFrame(rows, columns=[*columns, "latent", "exchangeable", "exact"])


def overview(table: pd.DataFrame) -> pd.DataFrame:
    """The unifying table, a row per task: latent, exchangeability, weights, move of the risk."""
    rows = []
    for name, group in table[table["mechanism"] == "Bayes"].groupby("task", sort=False):
        ends = group.sort_values("L").iloc[[0, -1]]
        first, last = ends["posterior_variance"]
        short, long = ends["L"]
        verb = "falls" if last < first else "rises"
        moves = f"{verb}: {first:.3f} at L = {short}, {last:.3f} at L = {long}"
        facts = group.iloc[0]
        rows.append((name, facts["latent"], facts["exchangeable"], facts["exact"], moves))
    return pd.DataFrame(
        rows, columns=["task", "latent", "exchangeable", "exactly Bayes", "Bayes risk"]
    )


def _exact_rows(table: pd.DataFrame) -> pd.DataFrame:
    return table[table["mechanism"] == table["exact"]]


def findings(table: pd.DataFrame) -> str:
    facts = overview(table).set_index("task")
    off = _exact_rows(table)["off_bayes"].max()
    said = "; ".join(
        f"{name} is {row['exchangeable']}ly exchangeable and its risk {row['Bayes risk']}"
        for name, row in facts.iterrows()
    )
    return (
        "In all three tasks attention infers a latent, and one mechanism has exactly the Bayes"
        " weights: kernel regression where the latent is a matrix, softmax where it is a position"
        f" (largest difference {off:.0e}). {said[0].upper()}{said[1:]}."
    )


def certificates(table: pd.DataFrame) -> list[Certificate]:
    exact = _exact_rows(table)
    out = []
    for name, rows in exact.groupby("task", sort=False):
        mechanism = rows["exact"].iloc[0]
        out.append(
            at_most(
                f"{name}: {mechanism} is Bayes",
                "largest |weight - Bayes weight|",
                rows["off_bayes"].max(),
                1e-10,
            )
        )
        out.append(
            at_most(
                f"{name}: the risk of {mechanism} is the Bayes risk",
                "largest |excess| over L",
                rows["excess"].abs().max(),
                1e-10,
            )
        )
    z = (table["excess"] / table["excess_error"].where(table["off_bayes"] > 1e-9)).min()
    out.append(
        band(
            "no attention beats Bayes",
            "least z of the excess over tasks, mechanisms and lengths",
            z,
            -4.0,
            np.inf,
        )
    )
    bayes = table[table["mechanism"] == "Bayes"]
    calibration = (
        ((bayes["risk"] - bayes["posterior_variance"]) / bayes["standard_error"]).abs().max()
    )
    out.append(
        band(
            "the Bayes risk is the mean posterior variance",
            "largest |z| over tasks and lengths",
            calibration,
            0.0,
            4.5,
        )
    )
    for name, rows in bayes.groupby("task", sort=False):
        moved = np.diff(rows.sort_values("L")["posterior_variance"])
        falls = rows["exchangeable"].iloc[0] == "infinite"
        kept = bool(np.all(moved < 0) if falls else np.all(moved > 0))
        measured = overview(rows)["Bayes risk"].iloc[0]
        out.append(
            Certificate(
                f"{name}: risk {'falls' if falls else 'rises'} with L, its tokens being "
                f"{rows['exchangeable'].iloc[0]}ly exchangeable",
                "sign of every step of the mean posterior variance",
                "falls" if falls else "rises",
                measured,
                kept,
            )
        )
    return out


EXPERIMENT = Experiment(
    name="latent_tasks",
    question="What do three tasks solved by attention have in common?",
    config=Config(),
    quick=QUICK,
    run=run,
    findings=findings,
    certificates=certificates,
    axes=("lengths",),
)
