"""Does learning attention from labels get harder with the length? The gap against n and L."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from soloc.experiments.certificates import Certificate, band, log_slope
from soloc.experiments.experiment import Experiment
from soloc.experiments.latent.batches import one_blas_thread, pieces
from soloc.maths.harmonics import Harmonics
from soloc.maths.randomness import derived_key, generator
from soloc.risk.linear_attention import Supervised
from soloc.tasks.exchangeable_latent import ExchangeableLatent
from soloc.tasks.key_laws import SphereKeys


@dataclass(frozen=True)
class Config:
    """`sequences` at every length, cut into training sets of each size, `partitions` times."""

    seed: int = 0
    lengths: tuple[int, ...] = (8, 64, 512)
    samples: tuple[int, ...] = (512, 1024, 2048)
    sequences: int = 24_576
    partitions: int = 10
    untied_length: int = 64
    untied_repeats: int = 6
    d: int = 4
    sigma: float = 0.5


QUICK = Config(lengths=(8, 64, 256), sequences=10_240, untied_repeats=2)


class Moments(NamedTuple):
    """What the learners see of each sequence: gram K'K, moment h = V'K/L, query, target."""

    gram: np.ndarray
    moment: np.ndarray
    query: np.ndarray
    target: np.ndarray


@one_blas_thread
def run(config: Config) -> pd.DataFrame:
    """One row per length, learner and training size: gap, excess, parameter error."""
    rows = []
    for L in config.lengths:
        seen = _draw(config, L)
        for n in config.samples:
            rows.append(("tied", L, n, *_tied(config, L, n, seen)))
            rows.append(("CME", L, n, *_kernel_mean(config, L, n, seen)))
        if config.untied_length == L:
            n = max(config.samples)
            rows.append(("untied", L, n, *_untied(config, L, n)))
    columns = [
        "learner",
        "L",
        "n",
        "optimal_risk",
        "gap",
        "standard_error",
        "relative_gap",
        "excess",
        "parameter_error",
    ]
    return pd.DataFrame(rows, columns=columns)


def _task(config: Config, L: int) -> ExchangeableLatent:
    features = Harmonics(config.d, (1.0, 0.0))
    keys = SphereKeys(config.d)
    return ExchangeableLatent(features, keys, sigma=config.sigma, noisy_answer=True, L=L)


def _draw(config: Config, L: int) -> Moments:
    """Moments of `sequences` labelled sequences, the tokens of a piece at a time."""
    parts = []
    for number, n in pieces(config.sequences, L):
        batch = _task(config, L).sample((), derived_key(config.seed, "supervised", L, number), n)
        keys = batch.keys.transpose(0, 2, 1)
        parts.append(
            Moments(
                keys @ batch.keys,
                (keys @ batch.values)[..., 0] / L,
                batch.query,
                batch.answers[:, 0],
            )
        )
    return Moments(*(np.concatenate(part) for part in zip(*parts, strict=True)))


def _summary(
    optimal_risk: float, gaps: Any, excesses: Any, errors: Any, sets: int
) -> tuple[float, ...]:
    """Means over training sets; the standard error counts `sets`, those that share no sequence."""
    gap = float(np.mean(gaps))
    spread = float(np.std(gaps, ddof=1) / np.sqrt(sets))
    return (
        optimal_risk,
        gap,
        spread,
        gap / optimal_risk,
        float(np.mean(excesses)),
        float(np.mean(np.abs(errors))),
    )


def _tied(config: Config, L: int, n: int, seen: Moments) -> tuple[float, ...]:
    """Least squares for one d x d matrix Gamma in y = h' Gamma q, on every training set."""
    law = Supervised(config.d, L, config.sigma)
    best = law.optimum * np.eye(config.d)
    features = (seen.moment[:, :, None] * seen.query[:, None, :]).reshape(config.sequences, -1)
    rng = generator(derived_key(config.seed, "partitions", L, n))
    sets = config.sequences // n
    gaps, excesses, errors = [], [], []
    for _ in range(config.partitions):
        rows = rng.permutation(config.sequences)[: sets * n]
        x, y = features[rows].reshape(sets, n, -1), seen.target[rows].reshape(sets, n, 1)
        across = x.transpose(0, 2, 1)
        learned = np.linalg.solve(across @ x, across @ y)
        excess = law.tied_excess(learned.reshape(sets, config.d, config.d))
        trained = np.mean((y - x @ best.reshape(-1, 1)) ** 2 - (y - x @ learned) ** 2, (1, 2))
        gaps.append(excess + trained)
        excesses.append(excess)
        errors.append(
            np.linalg.norm(learned[..., 0] - best.ravel(), axis=-1) / np.linalg.norm(best)
        )
    return _summary(law.optimal_risk, gaps, excesses, errors, sets)


def _untied(config: Config, L: int, n: int) -> tuple[float, ...]:
    """The control: a matrix for every position, least squares with L times as many parameters."""
    law = Supervised(config.d, L, config.sigma)
    best = np.tile(law.optimum / L * np.eye(config.d), (L, 1, 1))
    gaps, excesses, errors = [], [], []
    for repeat in range(config.untied_repeats):
        batch = _task(config, L).sample((), derived_key(config.seed, "untied", L, n, repeat), n)
        x = ((batch.values * batch.keys)[..., None] * batch.query[:, None, None, :]).reshape(n, -1)
        y = batch.answers[:, 0]
        learned = np.linalg.solve(x.T @ x, x.T @ y)
        excess = law.untied_excess(learned.reshape(best.shape))
        gaps.append(excess + np.mean((y - x @ best.ravel()) ** 2) - np.mean((y - x @ learned) ** 2))
        excesses.append(excess)
        errors.append(float(np.linalg.norm(learned - best.ravel()) / np.linalg.norm(best)))
    return _summary(law.optimal_risk, gaps, excesses, errors, len(gaps))


def _kernel_mean(config: Config, L: int, n: int, seen: Moments) -> tuple[float, ...]:
    """CME with a learned ridge r > 0 (prior over noise precision): one parameter, log r."""
    # here: a third of a second to import, which most never need
    from scipy.optimize import minimize_scalar

    values, vectors = np.linalg.eigh(seen.gram)
    values = np.maximum(values, 0.0)
    pull = np.einsum("nij,ni->nj", vectors, L * seen.moment) * np.einsum(
        "nij,ni->nj", vectors, seen.query
    )
    best = config.sigma**2

    def population(ridge: float) -> float:
        # given keys; queries uniform
        error = (ridge**2 + config.sigma**2 * values) / (values + ridge) ** 2
        return config.sigma**2 + float(np.mean(error))

    gaps, excesses, errors = [], [], []
    optimal = population(best)
    sets = config.sequences // n
    rng = generator(derived_key(config.seed, "partitions of CME", L, n))
    partitions = [rng.permutation(config.sequences)[: sets * n].reshape(sets, n) for _ in range(2)]
    for rows in np.concatenate(partitions):
        risk = _Empirical(values[rows], pull[rows], seen.target[rows])
        learned = float(np.exp(minimize_scalar(risk, bounds=(-9.0, 5.0), method="bounded").x))
        excess = population(learned) - optimal
        gaps.append(excess + risk(np.log(best)) - risk(np.log(learned)))
        excesses.append(excess)
        errors.append((learned - best) / best)
    return _summary(optimal, gaps, excesses, errors, sets)


class _Empirical(NamedTuple):
    """Training error of CME as a function of log r, in the eigenbasis of each K'K."""

    values: np.ndarray
    pull: np.ndarray
    target: np.ndarray

    def __call__(self, log_ridge: float) -> float:
        return float(
            np.mean((self.target - np.sum(self.pull / (self.values + np.exp(log_ridge)), -1)) ** 2)
        )


def _of(table: pd.DataFrame, learner: str) -> pd.DataFrame:
    return table[table["learner"] == learner]


def scaled_gaps(table: pd.DataFrame, learner: str = "tied") -> pd.Series:
    """n times the relative gap for every L, mean over n weighted by the number of training sets."""
    rows = _of(table, learner)
    return rows.groupby("L")["relative_gap"].sum() / (1 / rows["n"]).groupby(rows["L"]).sum()


def untied_ratio(table: pd.DataFrame) -> float:
    """Gap of the untied control over the tied gap at the same n and L."""
    untied = _of(table, "untied").iloc[0]
    tied = _of(table, "tied")
    return float(
        untied["gap"]
        / tied.loc[(tied["L"] == untied["L"]) & (tied["n"] == untied["n"]), "gap"].iloc[0]
    )


def _ratio_over_lengths(
    table: pd.DataFrame, learner: str, column: str, short: int, long: int
) -> float:
    """A column at length `long` over that at `short`: weighted geometric mean over n."""
    rows = _of(table, learner).set_index("n")
    ratio = rows.loc[rows["L"] == long, column] / rows.loc[rows["L"] == short, column]
    return float(np.exp(np.average(np.log(ratio), weights=1 / ratio.index.to_numpy())))


def findings(table: pd.DataFrame) -> str:
    scaled = scaled_gaps(table)
    short, long = scaled.index.min(), scaled.index.max()
    absolute = _ratio_over_lengths(table, "tied", "gap", short, long)
    return (
        f"The relative generalisation gap of tied attention is {scaled.mean():.0f}/n at every"
        f" length (max/min over L: {scaled.max() / scaled.min():.2f}), while the absolute gap at L"
        f" = {long} is {absolute:.2f} times the one at L = {short}. Without tying it is"
        f" {untied_ratio(table):.0f} times larger at n = {_of(table, 'untied')['n'].iloc[0]}; and"
        " kernel attention finds the risk but not its ridge, whose error grows"
        f" {_ratio_over_lengths(table, 'CME', 'parameter_error', 8, 64):.1f} times from L = 8"
        " to 64."
    )


def certificates(table: pd.DataFrame) -> list[Certificate]:
    scaled, tied = scaled_gaps(table), _of(table, "tied")
    slope = log_slope(
        *np.array([(n, rows["relative_gap"].mean()) for n, rows in tied.groupby("n")]).T
    )
    short, long = int(scaled.index.min()), int(scaled.index.max())
    fall = _ratio_over_lengths(table, "tied", "gap", short, long)
    law = {L: Supervised(4, L, 0.5).optimal_risk for L in (short, long)}
    growth = _ratio_over_lengths(table, "CME", "parameter_error", 8, 64)
    risk = _ratio_over_lengths(table, "CME", "relative_gap", 8, 64)
    largest = float(scaled_gaps(table, "CME").max())
    return [
        band(
            "the relative gap does not depend on L",
            "max/min over L of n x relative gap",
            scaled.max() / scaled.min(),
            1.0,
            1.3,
        ),
        band(
            "the relative gap falls as 1/n",
            "slope of log relative gap on log n",
            slope,
            -1.15,
            -0.85,
        ),
        band(
            "the absolute gap falls with L",
            f"gap at L = {long} / gap at L = {short}",
            fall,
            0.3,
            0.6,
            f"The absolute gap is not constant in L: it falls to {fall:.2f} of itself from L ="
            f" {short} to {long}, because R* falls ({law[short]:.3f} to {law[long]:.3f}); the"
            f" relative gap is (max/min {scaled.max() / scaled.min():.2f}).",
        ),
        band(
            "without tying the gap is about a hundred times larger",
            "untied / tied gap at n = 2048, L = 64",
            untied_ratio(table),
            70,
            150,
        ),
        band(
            "CME learns the risk",
            "largest n x relative gap over L (one parameter: about 2)",
            largest,
            0.5,
            6.0,
        ),
        band(
            "CME does not learn its precision as L grows",
            "mean error of the ridge, L = 64 / L = 8",
            growth,
            2.5,
            12.0,
            "Learning finds the risk, not the parameter: the error of the learned precision grows "
            f"{growth:.1f} times from L = 8 to 64, "
            f"the relative gap {risk:.2f} times.",
        ),
    ]


EXPERIMENT = Experiment(
    name="latent_supervised",
    question="Does learning attention from labelled sequences get harder with their length?",
    config=Config(),
    quick=QUICK,
    run=run,
    findings=findings,
    certificates=certificates,
    axes=("lengths",),
)
