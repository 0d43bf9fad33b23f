"""What must be remembered of a sequence? The posterior: enough, and a running sum."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from soloc.experiments.certificates import Certificate, at_most, band
from soloc.experiments.experiment import Experiment
from soloc.experiments.latent.batches import mean_and_error, one_blas_thread
from soloc.maths.harmonics import Harmonics
from soloc.maths.randomness import derived_key, generator
from soloc.predictors.kernel_mean import KernelMeanAttention
from soloc.risk.latent_error import error_given_keys
from soloc.tasks.exchangeable_latent import CHUNK, ExchangeableLatent, KeyValues

WHOLE = 2048  # tokens up to which a sequence is also compared with what keeps every token


@dataclass(frozen=True)
class Config:
    """Lengths above WHOLE are streamed; `kernel_sequences` also go through the kernel."""

    seed: int = 0
    lengths: tuple[int, ...] = (4, 16, 64, 256, 1024, 1_000_000, 10_000_000)
    sequences: int = 300
    kernel_sequences: int = 6
    sigma: float = 0.5


QUICK = Config(lengths=(4, 16, 64, 256, 200_000), sequences=100, kernel_sequences=4)


@one_blas_thread
def run(config: Config) -> pd.DataFrame:
    """One row per length and kind of memory: numbers stored, error, distance from Bayes."""
    task = ExchangeableLatent(sigma=config.sigma)
    rows: list[tuple] = []
    for L in config.lengths:
        rng = generator(derived_key(config.seed, "representation", L))
        rows += _remembered(task, config, L, rng) if L <= WHOLE else [_streamed(task, L, rng)]
    columns = ["memory", "L", "numbers", "error", "standard_error", "off_bayes", "round_trip"]
    return pd.DataFrame(rows, columns=columns)


def _remembered(
    task: ExchangeableLatent, config: Config, L: int, rng: np.random.Generator
) -> list[tuple]:
    """Rows for sequences short enough to be held whole."""
    keys, query = (
        task.key_law.draw(rng, config.sequences, L),
        task.key_law.draw(rng, config.sequences),
    )
    phi, phi_q = task.features(keys), task.features(query)
    first = Harmonics(shares=(0.5, 0.0))
    mean_gram = L * Harmonics().second_moment + task.ridge
    weights = {
        "posterior T": task.bayes_weights(keys, query),
        "T, no Gram matrix": np.einsum("nlf,nf->nl", phi, phi_q / mean_gram),
        "degree 1 of T": (
            ExchangeableLatent(first, sigma=np.sqrt(task.sigma**2 + 0.5)).bayes_weights(keys, query)
        ),
    }
    D, dv = task.D, task.dv
    numbers = {
        "posterior T": D * (D + 1) // 2 + dv * D,
        "T, no Gram matrix": dv * D,
        "degree 1 of T": 6 + dv * 3,
    }
    off, round_trip = _agreement(task, config.kernel_sequences, L, rng)
    bayes = mean_and_error(error_given_keys(task, keys, query, weights["posterior T"]))
    rows: list[tuple] = [("every token", L, L * (task.key_law.d + dv), *bayes, off, np.nan)]
    for memory, w in weights.items():
        kept = memory == "posterior T"
        error = mean_and_error(error_given_keys(task, keys, query, w))
        rows.append(
            (
                memory,
                L,
                numbers[memory],
                *error,
                0.0 if kept else np.nan,
                round_trip if kept else np.nan,
            )
        )
    return rows


def _agreement(
    task: ExchangeableLatent, n: int, L: int, rng: np.random.Generator
) -> tuple[float, float]:
    """Largest distance of CME by Cholesky from the posterior mean, and of T from its own."""
    latent = task.latent(rng, n)
    keys, values = task.tokens(rng, latent, L)
    query = task.key_law.draw(rng, n)
    cme = KernelMeanAttention(lambda x, y: task.features(x) @ task.features(y).T, task.ridge)
    answers = np.einsum("nl,nlv->nv", cme.weights(keys, query), values)
    off = trip = 0.0
    for tokens, q, answer in zip(map(KeyValues, keys, values), query, answers, strict=True):
        seen = task.represent(tokens)
        posterior = task.infer(seen)
        off = max(off, float(np.max(np.abs(posterior.mean @ task.features(q) - answer))))
        back = task.representation_of(posterior)
        trip = max(
            trip, *(float(np.max(np.abs(a - b)) / L) for a, b in zip(seen, back, strict=True))
        )
    return off, trip


def _streamed(task: ExchangeableLatent, L: int, rng: np.random.Generator) -> tuple:
    """The row of one sequence that is never in memory: error over a uniform query."""
    latent = task.latent(rng, 1)
    posterior = task.infer(task.represent(_stream(task, latent, L, rng)))
    miss = (posterior.mean - latent[0]) ** 2
    D, dv = task.D, task.dv
    error = float(np.mean(miss @ Harmonics().second_moment))
    return ("streamed T", L, D * (D + 1) // 2 + dv * D, error, np.nan, np.nan, np.nan)


def _stream(
    task: ExchangeableLatent, latent: np.ndarray, L: int, rng: np.random.Generator
) -> Iterator[KeyValues]:
    """A sequence in pieces of CHUNK tokens."""
    for start in range(0, L, CHUNK):
        keys, values = task.tokens(rng, latent, min(CHUNK, L - start))
        yield KeyValues(keys[0], values[0])


def findings(table: pd.DataFrame) -> str:
    whole = table[table["L"] == table.loc[table["L"] <= WHOLE, "L"].max()].set_index("memory")
    long = table[table["memory"] == "streamed T"].iloc[-1]
    kept, part = whole.loc["posterior T"], whole.loc["degree 1 of T"]
    return (
        f"The {kept['numbers']:.0f} numbers of T answer as well as all"
        f" {whole.loc['every token', 'numbers']} numbers of {kept['L']:.0f} tokens (largest"
        f" difference {table['off_bayes'].max():.0e}), and without its Gram matrix the error is"
        f" {whole.loc['T, no Gram matrix', 'error'] / kept['error']:.1f} times, without degree 2"
        f" {part['error'] / kept['error']:.0f} times as large. T is a sum over tokens:"
        f" {long['L']:,} of them streamed in constant memory leave an error of {long['error']:.1e}"
        f" (sigma^2 D/L = {0.25 * 8 / long['L']:.1e})."
    )


def certificates(table: pd.DataFrame) -> list[Certificate]:
    out = [
        at_most(
            "CME attention with ridge sigma^2/lam is the Bayes mean at every L",
            "largest |CME by Cholesky - posterior mean|",
            table["off_bayes"].max(),
            1e-10,
        ),
        at_most(
            "T is minimal: the posterior determines it",
            "largest error per token of T -> posterior -> T",
            table["round_trip"].max(),
            1e-10,
        ),
    ]
    longest = table[table["L"] == table.loc[table["L"] <= WHOLE, "L"].max()].set_index("memory")[
        "error"
    ]
    for memory, least in (("T, no Gram matrix", 1.5), ("degree 1 of T", 10.0)):
        out.append(
            band(
                f"nothing of T can be dropped: {memory}",
                "error / Bayes error at the longest whole sequence",
                longest[memory] / longest["posterior T"],
                least,
                np.inf,
            )
        )
    streamed = table[table["memory"] == "streamed T"]
    ratio = float(np.mean(streamed["error"] * streamed["L"] / 2.0))
    out.append(
        band(
            "a stream that is never in memory whole is inferred at the Bayes rate",
            "error / (sigma^2 D/L), mean over streamed lengths",
            ratio,
            0.1,
            3.6,
        )
    )
    return out


EXPERIMENT = Experiment(
    name="latent_representation",
    question="What must be remembered of a sequence?",
    config=Config(),
    quick=QUICK,
    run=run,
    findings=findings,
    certificates=certificates,
    axes=("lengths",),
)
