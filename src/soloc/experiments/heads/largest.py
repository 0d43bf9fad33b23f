"""Argmax retrieval: where component-wise weights lose."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from soloc.experiments.certificates import Certificate
from soloc.experiments.experiment import Experiment
from soloc.predictors.normalised import HardMax, Softmax
from soloc.predictors.pointwise import Erf, Linear
from soloc.risk.best_temperature import best_of_one
from soloc.risk.largest_score import hit_of_pointwise, squared_pointwise
from soloc.risk.overlaps import Overlaps
from soloc.risk.population import excess_risk
from soloc.tasks.lengths import LengthLaw
from soloc.tasks.max_location import MaxLocation

SOFTMAX, HARD, ERF, LINEAR = (
    "softmax, λ = 30",
    "hard maximum",
    "erf, free scale",
    "linear, free scale",
)
_TRUTH = Overlaps(1.0, 1.0)
_SHARP = 30.0


@dataclass(frozen=True)
class Config:
    """J = argmax of the true scores; weights at the truth, and at the alignments kappa."""

    lengths: tuple[int, ...] = (2, 5, 10, 30, 100, 1000)
    alignments: tuple[float, ...] = (0.5, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)
    length: int = 10
    shortest: int = 5
    longest: int = 15
    d: int = 400


def run(config: Config) -> pd.DataFrame:
    """Rows `length` (at the truth), `random` (a random length) and `alignment` (nu = 1)."""
    rows = []
    for L in config.lengths:
        task = MaxLocation(d=config.d, L=L)
        base = {"part": "length", "L": L, "linear": task.linear_risk(), "null": task.null_risk()}
        for name, risk in _risks(task, L).items():
            rows.append(base | {"weight": name, "risk": risk})
    values = tuple(range(config.shortest, config.longest + 1))
    law = LengthLaw(values, (1.0 / len(values),) * len(values))
    random = MaxLocation(d=config.d, lengths=law)
    base = {"part": "random", "L": round(np.mean(values)), "linear": random.linear_risk()}
    base |= {"null": random.null_risk()}
    for name, weight in ((SOFTMAX, Softmax(_SHARP)), (HARD, HardMax())):
        rows.append(base | {"weight": name, "risk": float(excess_risk(random, weight, _TRUTH))})
    for name, kind in ((ERF, Erf), (LINEAR, Linear)):
        rows.append(base | {"weight": name, "risk": _scaled(kind, values)})
    task = MaxLocation(d=config.d, L=config.length)
    for kappa in config.alignments:
        for name, weight in ((SOFTMAX, Softmax(_SHARP)), (HARD, HardMax())):
            risk = float(excess_risk(task, weight, Overlaps(kappa, 1.0)))
            row = {"part": "alignment", "L": config.length, "kappa": kappa, "weight": name}
            rows.append(row | {"risk": risk, "null": 1.0})
        row = {"part": "alignment", "L": config.length, "kappa": kappa, "weight": ERF}
        rows.append(row | {"risk": _scaled(Erf, (config.length,), kappa), "null": 1.0})
    return pd.DataFrame(rows)


def _risks(task: MaxLocation, L: int) -> dict[str, float]:
    return {
        SOFTMAX: float(excess_risk(task, Softmax(_SHARP), _TRUTH)),
        HARD: float(excess_risk(task, HardMax(), _TRUTH)),
        ERF: _scaled(Erf, (L,)),
        LINEAR: _scaled(Linear, (L,)),
    }


def _scaled(kind: type, lengths: tuple[int, ...], kappa: float = 1.0) -> float:
    """1 - E[p_J]^2 / E[sum p^2] at the best lam: the output scaled as well as can be."""
    if kind is Linear:  # the scale is its temperature
        return _moments(kind, 1.0, lengths, kappa)

    def risk(lam: np.ndarray) -> np.ndarray:
        return np.vectorize(lambda x: _moments(kind, x, lengths, kappa))(lam)

    return float(best_of_one(risk, 0.01, 30.0, points=13).value)


def _moments(kind: type, lam: float, lengths: tuple[int, ...], kappa: float) -> float:
    hit = np.mean([hit_of_pointwise(kind(lam), kappa, L) for L in lengths])
    square = np.mean([squared_pointwise(kind(lam), L) for L in lengths])
    return float(1.0 - hit**2 / square)


def _at(table: pd.DataFrame, weight: str) -> pd.Series:
    rows = table[(table.part == "length") & (table.weight == weight)]
    return rows.set_index("L").risk.sort_index()


def findings(table: pd.DataFrame) -> str:
    """What the table shows."""
    erf, soft = _at(table, ERF), _at(table, SOFTMAX)
    random = table[table.part == "random"].set_index("weight").risk
    return (
        "Where the largest score decides, a component-wise weight cannot compare tokens: erf,"
        f" scaled as well as can be, leaves between {erf.min():.2f} and {erf.max():.3f} of the"
        f" variance (L = {erf.index[0]:.0f} to {erf.index[-1]:,.0f}), softmax at lam = 30 between"
        f" {soft.min():.3f} and {soft.max():.3f}. With a random length the same holds"
        f" ({random[ERF]:.2f} against {random[SOFTMAX]:.3f}); only the hard maximum leaves nothing."
    )


def certificates(table: pd.DataFrame) -> list[Certificate]:
    """The hard maximum is exact, softmax close, and component-wise weights far from both."""
    erf, soft, hard = (_at(table, name) for name in (ERF, SOFTMAX, HARD))
    lowest = min(erf.min(), _at(table, LINEAR).min())
    return [
        Certificate(
            "The hard maximum at the truth leaves no risk",
            "largest exact risk over all lengths",
            "0 to 1e-12",
            f"{hard.max():.1e}",
            bool(hard.max() < 1e-12),
        ),
        Certificate(
            "Component-wise weights lose",
            "smallest risk of erf and of linear attention at their best scale, over all lengths",
            "above .6, and for the longest above .9",
            f"{lowest:.3f}, {erf.iloc[-1]:.3f}",
            bool(lowest > 0.6 and erf.iloc[-1] > 0.9),
        ),
        Certificate(
            "Softmax stays close to the maximum at a fixed temperature",
            "largest risk of softmax at lam = 30 over all lengths",
            "below .2",
            f"{soft.max():.3f}",
            bool(soft.max() < 0.2),
        ),
    ]


EXPERIMENT = Experiment(
    name="argmax_retrieval",
    question="Argmax retrieval: where do component-wise weights lose?",
    config=Config(),
    quick=Config(lengths=(2, 10, 100), alignments=(0.5, 0.9, 1.0), shortest=9, longest=11),
    run=run,
    findings=findings,
    certificates=certificates,
    seconds=4.0,
)
