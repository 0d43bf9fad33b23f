"""What is the problem? One sequence as it comes, as attention sees it, and what seeing it buys."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from soloc.experiments.certificates import Certificate, at_most
from soloc.experiments.experiment import Experiment
from soloc.maths.randomness import derived_key
from soloc.predictors.normalised import Softmax
from soloc.predictors.pointwise import Erf
from soloc.risk.baselines import bayes_risk, linear_risk, null_risk
from soloc.risk.best_temperature import best_temperature
from soloc.risk.overlaps import Overlaps
from soloc.risk.population import population_risk
from soloc.tasks.single_location import SingleLocation, Truth

TRUTH = Overlaps(1.0, 1.0)


@dataclass(frozen=True)
class Config:
    """One small sequence, and lengths at which predictors are compared."""

    d: int = 24
    L: int = 12
    signal: float = 4.0
    lengths: tuple[int, ...] = (2, 5, 10, 20, 50, 100, 200, 500, 1000)
    seed: int = 3


def run(config: Config) -> pd.DataFrame:
    """Coordinates of the tokens, their weights, and risks by length, part after part."""
    return pd.concat([_sequence(config), _risks(config)], ignore_index=True)


def _sequence(config: Config) -> pd.DataFrame:
    """One row per token and coordinate, and one per token with what attention makes of it."""
    task = SingleLocation(d=config.d, L=config.L, gamma=1.0, signal=config.signal)
    truth = Truth(*map(np.asarray, task.truth(derived_key(config.seed, "problem truth"))))
    sample = task.sample(truth, derived_key(config.seed, "problem sequence"), 1)
    tokens, decisive = sample.tokens[0], np.arange(config.L) == sample.location[0]
    token, coordinate = np.indices(tokens.shape)
    seen = {"token": token.ravel(), "coordinate": coordinate.ravel(), "value": tokens.ravel()}
    attention = {
        "token": np.arange(config.L),
        "score": tokens @ truth.k,
        "value": tokens @ truth.v,
        "weight": task.posterior(truth, sample.tokens)[0],
        "decisive": decisive,
        "answer": float(sample.answers[0]),
    }
    return pd.concat(
        [pd.DataFrame(seen).assign(part="tokens"), pd.DataFrame(attention).assign(part="attention")]
    )


def _risks(config: Config) -> pd.DataFrame:
    """One row per length and predictor; erf at its best temperature for each length."""
    L = np.asarray(config.lengths, float)
    task = SingleLocation(d=config.d, L=L, gamma=1.0, signal=config.signal)
    risks = {
        "no answer": null_risk(task),
        "linear regression": linear_risk(task),
        "erf attention": best_temperature(
            lambda lam: population_risk(task, Erf(lam), TRUTH), 1e-3, 10.0
        ).value,
        "softmax attention": population_risk(task, Softmax(config.signal), TRUTH),
        "Bayes": bayes_risk(task),
    }
    rows = [
        pd.DataFrame({"L": L, "predictor": name, "risk": np.broadcast_to(risk, L.shape)})
        for name, risk in risks.items()
    ]
    return pd.concat(rows).assign(part="risk")


def _at_longest(table: pd.DataFrame) -> pd.Series:
    longest = table.L.max()
    return table[longest == table.L].set_index("predictor").risk


def findings(table: pd.DataFrame) -> str:
    """The problem in three sentences."""
    tokens, risk = table[table.part == "attention"], _at_longest(table)
    decisive = tokens[tokens.decisive.astype(bool)].iloc[0]
    said = float((tokens.weight * tokens.value).sum())
    linear, softmax = (
        1.0 - risk[name] / risk["no answer"] for name in ("linear regression", "softmax attention")
    )
    return (
        f"One token of the sequence decides the answer and nobody says which: here token"
        f" {decisive.token + 1:.0f} of {len(tokens)}, and no coordinate gives it away. Attention"
        f" scores every token along one direction, puts {decisive.weight:.0%} of its weight on that"
        f" one and answers {said:.2f} where the truth is {decisive.answer:.2f}. Linear regression"
        f" must treat all places alike: at L = {table.L.max():,.0f} it explains {linear:.1%} of"
        f" the answer, softmax attention {softmax:.0%}, which is all that can be explained."
    )


def certificates(table: pd.DataFrame) -> list[Certificate]:
    """Softmax attention at the truth is Bayes here, and linear regression is near no answer."""
    risk = table[table.part == "risk"].pivot(index="L", columns="predictor", values="risk")
    return [
        at_most(
            "Softmax attention with λ equal to the signal is the Bayes predictor when γ = 1",
            "largest difference of the exact risks over all lengths",
            float((risk["softmax attention"] - risk["Bayes"]).abs().max()),
            1e-9,
        )
    ]


EXPERIMENT = Experiment(
    name="problem",
    question="What is the problem, and what does attention do about it?",
    config=Config(),
    quick=Config(),
    run=run,
    findings=findings,
    certificates=certificates,
    seconds=3.0,
)
