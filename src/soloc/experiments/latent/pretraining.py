"""What does masked-token pretraining carry over? Transfer by conditioning, and few-shot."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from soloc.experiments.certificates import Certificate, at_most, band
from soloc.experiments.experiment import Experiment
from soloc.experiments.latent.batches import one_blas_thread
from soloc.maths.randomness import derived_key, generator
from soloc.risk.linear_attention import Masked
from soloc.tasks.gaussian_moments import gaussian_moments
from soloc.tasks.key_laws import GaussianKeys, weakly_spread

DIRECTIONS = 6  # d: three strong and three weak


@dataclass(frozen=True)
class Config:
    """Sigma = diag(1, 1, 1, 1/K, 1/K, 1/K); each run reads out `draws` labelled sets."""

    seed: int = 0
    conditions: tuple[int, ...] = (1, 10, 100)
    runs: int = 100
    draws: int = 6
    labels: tuple[int, ...] = (20, 50, 100)
    pretraining: int = 400
    L: int = 256
    dv: int = 4
    sigma: float = 0.5


QUICK = Config(runs=25)


@one_blas_thread
def run(config: Config) -> pd.DataFrame:
    """One row per K and run: excess before and after transfer, bound, floors, few-shot errors."""
    rows = []
    for K in config.conditions:
        key_law = weakly_spread(K)
        law = Masked(np.array(key_law.variances), config.L, config.sigma)
        # leading order in 1/L
        posterior = config.sigma**2 / (config.L * law.variances + config.sigma**2)
        for number in range(config.runs):
            rng = generator(derived_key(config.seed, "pretraining", K, number))
            learned = _pretrain(config, key_law, rng)
            form = law.excess_form(learned)
            ssl = float(law.variances @ np.diag(form))
            whitened = form * np.sqrt(np.outer(law.variances, law.variances))
            row = {
                "K": K,
                "run": number,
                "ssl_excess": ssl,
                "down_weak": float(np.mean(np.diag(form)[3:])),
                "down_worst_over_bound": float(np.max(np.diag(form) / (ssl / law.variances))),
                "any_direction_over_bound": float(np.linalg.eigvalsh(whitened)[-1] / ssl),
                "floor_weak": float(law.floor[-1]),
                "posterior_weak": float(posterior[-1]),
                "ssl_optimal_risk": law.optimal_risk,
            }
            rows.append(row | _few_shot(config, key_law, law, learned, rng))
    return pd.DataFrame(rows)


def _pretrain(config: Config, key_law: GaussianKeys, rng: np.random.Generator) -> np.ndarray:
    """Gamma by least squares: a masked token's value from the moment of the others."""
    n, d = config.pretraining, key_law.d
    latent, moment = gaussian_moments(rng, key_law, n, config.L, config.dv, config.sigma)
    masked = key_law.draw(rng, n)
    value = np.einsum("nvd,nd->nv", latent, masked) + config.sigma * rng.standard_normal(
        (n, config.dv)
    )
    x = (moment[..., None] * masked[:, None, None, :]).reshape(n * config.dv, d * d)
    return np.linalg.solve(x.T @ x, x.T @ value.ravel()).reshape(d, d)


def _few_shot(
    config: Config,
    key_law: GaussianKeys,
    law: Masked,
    learned: np.ndarray,
    rng: np.random.Generator,
) -> dict[str, float]:
    """Exact error of a free linear head (of least norm) on raw and pretrained features."""
    d = key_law.d
    errors: dict[str, float] = {
        f"{kind}_{m}": 0.0 for m in config.labels for kind in ("raw", "ssl")
    }
    for _ in range(config.draws):
        direction = np.r_[np.zeros(3), rng.standard_normal(d - 3)]
        direction /= np.linalg.norm(direction)
        latent, moment = gaussian_moments(
            rng, key_law, max(config.labels), config.L, config.dv, config.sigma
        )
        asked = latent[:, 0] @ direction
        for kind, gamma in (("raw", np.eye(d)), ("ssl", learned)):
            features = (moment @ gamma).reshape(len(moment), -1)
            for m in config.labels:
                head = np.linalg.lstsq(features[:m], asked[:m], rcond=None)[0].reshape(config.dv, d)
                errors[f"{kind}_{m}"] += law.readout_error(gamma, direction, head) / config.draws
    return errors


def _by_condition(table: pd.DataFrame) -> pd.DataFrame:
    """Means over runs for every K, with the ratios that the claims are about."""
    means = table.groupby("K").mean()
    means["transfer"] = (
        DIRECTIONS * means["down_weak"] / (means.index.to_numpy() * means["ssl_excess"])
    )
    for m in shots(table):
        means[f"ratio_{m}"] = means[f"ssl_{m}"] / means[f"raw_{m}"]
    return means


def shots(table: pd.DataFrame) -> list[int]:
    """Numbers of labels in the table."""
    return [
        int(column.removeprefix("raw_")) for column in table.columns if column.startswith("raw_")
    ]


def findings(table: pd.DataFrame) -> str:
    means = _by_condition(table)
    few, many = min(shots(table)), max(shots(table))
    last = means.index.max()
    held = int((table["any_direction_over_bound"] <= 1).sum())
    return (
        "Transfer to a weak direction costs K times the excess of pretraining and no more: d x"
        f" downstream / (K x pretraining) is {', '.join(f'{x:.2f}' for x in means['transfer'])} at"
        f" K = {', '.join(map(str, means.index))}, and the bound held in {held} of {len(table)}"
        " runs while the excess of pretraining itself changed"
        f" {means['ssl_excess'].max() / means['ssl_excess'].min():.1f}-fold as K grew {last}-fold."
        f" With {few} labels pretrained features have {means.loc[10, f'ratio_{few}']:.2f} of the"
        f" raw features' error at K = 10 and {means.loc[1, f'ratio_{few}']:.2f} at K = 1; with"
        f" {many} labels the ratio is {means.loc[10, f'ratio_{many}']:.3f}."
    )


def certificates(table: pd.DataFrame) -> list[Certificate]:
    means = _by_condition(table)
    few, many = min(shots(table)), max(shots(table))
    flat = float(means["ssl_excess"].max() / means["ssl_excess"].min())
    worst = float(table[["down_worst_over_bound", "any_direction_over_bound"]].to_numpy().max())
    equal = float((means[f"ratio_{many}"] - 1).abs().max())
    weak = means.loc[[means.index.min(), means.index.max()]]
    twice = (
        f"K acts twice: from K = {weak.index[0]} to {weak.index[1]} the excess of learning in a"
        f" weak direction grows from {weak['down_weak'].iloc[0]:.4f} to"
        f" {weak['down_weak'].iloc[1]:.4f}, and the floor of inference from"
        f" {weak['floor_weak'].iloc[0]:.3f} to {weak['floor_weak'].iloc[1]:.3f} (posterior variance"
        f" {weak['posterior_weak'].iloc[0]:.4f} to {weak['posterior_weak'].iloc[1]:.3f}); the ratio"
        " holds after the floor is subtracted."
    )
    out = [
        band(
            f"transfer to a weak direction costs K times the pretraining excess, K = {K}",
            "d x down_weak / (K x ssl)",
            ratio,
            0.75,
            1.3,
            twice,
        )
        for K, ratio in means["transfer"].items()
    ]
    return [
        *out,
        at_most(
            "downstream excess <= kappa_rel x pretraining excess, in every run and direction",
            "largest excess / bound over runs and directions",
            worst,
            1.0,
        ),
        band(
            "pretraining excess does not grow with K",
            "max/min over K of the mean pretraining excess",
            flat,
            1.0,
            2.0,
        ),
        band(
            f"few-shot: pretraining helps with {few} labels at K = 10",
            "error on pretrained / on raw features",
            means.loc[10, f"ratio_{few}"],
            0.5,
            0.7,
        ),
        band(
            f"few-shot: no benefit with {few} labels at K = 1",
            "error on pretrained / on raw features",
            means.loc[1, f"ratio_{few}"],
            0.9,
            1.1,
        ),
        at_most(
            f"few-shot: no benefit left with {many} labels at any K",
            "largest |ratio - 1| over K",
            equal,
            1e-6,
            f"A free linear head absorbs any invertible Gamma: with {many} labels pretrained and"
            f" raw features differ by {equal:.0e}.",
        ),
    ]


EXPERIMENT = Experiment(
    name="latent_pretraining",
    question="What does masked-token pretraining carry over to a downstream task?",
    config=Config(),
    quick=QUICK,
    run=run,
    findings=findings,
    certificates=certificates,
    axes=("conditions",),
)
