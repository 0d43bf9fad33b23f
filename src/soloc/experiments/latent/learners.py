"""Attention learned from labels: tied, untied, and a kernel mean with a learned ridge."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from soloc.experiments.latent.batches import pieces
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


class Moments(NamedTuple):
    """What the learners see of each sequence: gram K'K, moment h = V'K/L, query, target."""

    gram: np.ndarray
    moment: np.ndarray
    query: np.ndarray
    target: np.ndarray


def _task(config: Config, L: int) -> ExchangeableLatent:
    features = Harmonics(config.d, (1.0, 0.0))
    keys = SphereKeys(config.d)
    return ExchangeableLatent(features, keys, sigma=config.sigma, noisy_answer=True, L=L)


def draw(config: Config, L: int) -> Moments:
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


def tied(config: Config, L: int, n: int, seen: Moments) -> tuple[float, ...]:
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


def untied(config: Config, L: int, n: int) -> tuple[float, ...]:
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


def kernel_mean(config: Config, L: int, n: int, seen: Moments) -> tuple[float, ...]:
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
