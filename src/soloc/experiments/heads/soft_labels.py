"""Soft labels: the answer is the mixture that softmax would give, not one draw from it."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import softmax

from soloc.experiments.certificates import Certificate
from soloc.experiments.experiment import Experiment
from soloc.maths.randomness import derived_key, generator
from soloc.predictors.normalised import HardMax, Softmax
from soloc.predictors.pointwise import Erf
from soloc.risk.baselines import bayes_risk
from soloc.risk.largest_score import share_of_pointwise, squared_pointwise, squared_softmax
from soloc.risk.overlaps import Overlaps
from soloc.risk.population import excess_risk
from soloc.tasks.max_location import MaxLocation

SOFT, HARD, ERF, OTHER = "softmax, λ = β", "hard maximum", "erf, free scale", "softmax, λ = 2β"
_TRUTH = Overlaps(1.0, 1.0)


@dataclass(frozen=True)
class Config:
    """Graded and drawn labels at the sharpness beta; softmax at another lam is simulated."""

    betas: tuple[float, ...] = (0.3, 1.0, 2.0, 3.0, 5.0, 10.0)
    L: int = 10
    d: int = 20
    samples: int = 20_000
    seed: int = 0


def run(config: Config) -> pd.DataFrame:
    """One row per sharpness, label and weight; `error` where the risk is simulated."""
    rows = []
    for beta in config.betas:
        for graded in (True, False):
            task = MaxLocation(d=config.d, L=config.L, beta=beta, graded=graded)
            value, error = _simulated(config, beta, graded)
            exact = {
                SOFT: float(excess_risk(task, Softmax(beta), _TRUTH)),
                HARD: float(excess_risk(task, HardMax(), _TRUTH)),
                ERF: _scaled(beta, config.L, graded),
            }
            base = {"beta": beta, "label": "graded" if graded else "drawn"}
            base |= {"null": float(task.null_risk()), "linear": float(task.linear_risk())}
            base |= {"bayes": float(np.asarray(bayes_risk(task)))}
            rows += [base | {"weight": w, "risk": r, "error": 0.0} for w, r in exact.items()]
            rows.append(base | {"weight": OTHER, "risk": value, "error": error})
    return pd.DataFrame(rows)


def _scaled(beta: float, L: int, graded: bool) -> float:
    """Erf at the best of a few temperatures, its output scaled as well as can be."""
    own = squared_softmax(beta, L) if graded else 1.0
    gains = [
        share_of_pointwise(Erf(lam), 1.0, L, beta) ** 2 / squared_pointwise(Erf(lam), L)
        for lam in np.geomspace(0.05, 3.0, 9)
    ]
    return float(own - max(gains))


def _simulated(config: Config, beta: float, graded: bool) -> tuple[float, float]:
    """Risk and error of softmax at lam = 2 beta; the values, Gaussian, are integrated."""
    rng = generator(derived_key(config.seed, "soft_labels", beta))
    chi = rng.normal(size=(config.samples, config.L))
    shares, p = softmax(beta * chi, axis=1), softmax(2.0 * beta * chi, axis=1)
    own = np.sum(shares**2, axis=1) if graded else 1.0
    risk = own - 2.0 * np.sum(p * shares, axis=1) + np.sum(p * p, axis=1)
    return float(risk.mean()), float(risk.std() / np.sqrt(config.samples))


def findings(table: pd.DataFrame) -> str:
    """What the table shows."""
    graded = table[table.label == "graded"]
    drawn = table[(table.label == "drawn") & (table.weight == SOFT)].set_index("beta")
    hard = graded[graded.weight == HARD].set_index("beta").risk
    low, high = hard.index.min(), hard.index.max()
    return (
        "Graded labels leave nothing to chance: softmax at lam = beta answers them without error,"
        f" while one draw leaves {drawn.risk[low]:.2f} of its variance at beta = {low:g} and"
        f" {drawn.risk[high]:.2f} at {high:g}. A hard choice costs {hard[low]:.2f} and"
        f" {hard[high]:.2f} where the answer is a mixture: soft weights are needed most where"
        " labels are soft."
    )


def certificates(table: pd.DataFrame) -> list[Certificate]:
    """Softmax at lam = beta is Bayes for both labels, and another temperature is not."""
    soft = table[table.weight == SOFT]
    gap = float((soft.risk - soft.bayes).abs().max())
    other = table[table.weight == OTHER]
    z = (other.risk - other.bayes) / other.error
    return [
        Certificate(
            "Softmax at lam = beta is Bayes, for graded and for drawn labels",
            "largest difference of the exact risks over all sharpnesses",
            "below 1e-9",
            f"{gap:.1e}",
            gap < 1e-9,
        ),
        Certificate(
            "Twice that temperature is not",
            "simulated risk of softmax at lam = 2 beta above Bayes, in standard errors",
            "above 4 for graded labels",
            f"smallest {z[other.label == 'graded'].min():.1f}",
            bool(z[other.label == "graded"].min() > 4.0),
        ),
    ]


EXPERIMENT = Experiment(
    name="soft_labels",
    question="Soft labels: what if the answer is the mixture itself?",
    config=Config(),
    quick=Config(betas=(1.0, 3.0), samples=4_000),
    run=run,
    findings=findings,
    certificates=certificates,
    axes=("betas",),
    seconds=2.0,
)
