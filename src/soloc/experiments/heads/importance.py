"""Unequal importance: from which ratio on do two heads prefer one kind each?"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from soloc.experiments.certificates import Certificate
from soloc.experiments.experiment import Experiment
from soloc.experiments.heads.codes import mixed
from soloc.predictors.heads import Heads
from soloc.predictors.pointwise import Erf
from soloc.risk.gram import Gram
from soloc.risk.population import excess_risk
from soloc.tasks.several_locations import SeveralLocations


@dataclass(frozen=True)
class Config:
    """Two kinds of importance 1 and w, two heads at the angles a (keys) and b (values)."""

    weights: tuple[float, ...] = (1.0, 0.8, 0.6, 0.4, 0.2, 0.1)
    angles: int = 31
    temperatures: int = 25
    d: int = 400
    L: int = 10


def run(config: Config) -> pd.DataFrame:
    """One row per importance and pair of angles: the risk at the best lam.

    k_{1,2} = cos(a) k*_1 +- sin(a) k*_2 and v_{1,2} = c (cos(b) v*_1 +- sin(b) v*_2) at the best
    scale c. Beside them one head for each kind, v_1 = c v*_1 and v_2 = c w v*_2.
    """
    lam = np.geomspace(0.02, 0.3, config.temperatures)[:, None]
    angle = np.linspace(0.0, 0.5 * np.pi, config.angles)
    a, b = (part.ravel() for part in np.meshgrid(angle, angle, indexing="ij"))
    code = _signed(a, b)
    rows = []
    for w in config.weights:
        task = SeveralLocations(d=config.d, L=config.L, importance=(1.0, w))
        values = _best_scale(task, lam, code)
        at = values.argmin(axis=0)
        rows.append(
            pd.DataFrame(
                {"part": "code", "a": a, "b": b, "lam": lam[at, 0], "risk": values.min(axis=0)}
            ).assign(w=w)
        )
        values = _best_scale(task, lam[:, 0], mixed(np.eye(2), np.diag([1.0, w])))
        row = {"part": "own", "lam": lam[values.argmin(), 0], "risk": values.min(), "w": w}
        rows.append(pd.DataFrame([row | {"null": float(task.null_risk())}]))
    return pd.concat(rows, ignore_index=True)


def _signed(a: np.ndarray, b: np.ndarray) -> Gram:
    """The Gram matrices of all pairs of angles."""
    signs = np.asarray([1.0, -1.0])
    grams = [
        mixed(
            np.stack([np.full(2, np.cos(x)), signs * np.sin(x)], axis=1),
            np.stack([np.full(2, np.cos(y)), signs * np.sin(y)], axis=1),
        ).matrix
        for x, y in zip(a, b, strict=True)
    ]
    return Gram(np.stack(grams), kinds=2)


def _best_scale(task: SeveralLocations, lam: np.ndarray, code: Gram) -> np.ndarray:
    """The risk at the best common |v|: it is quadratic, null - 2 c |v| + p |v|^2."""
    null = float(task.null_risk())
    heads = Heads((Erf(1.0),) * 2, lam=lam)
    flip = np.ones(8)
    flip[2:4] = -1.0
    here = np.asarray(excess_risk(task, heads, code))
    there = np.asarray(excess_risk(task, heads, Gram(code.matrix * np.outer(flip, flip), kinds=2)))
    correlation, power = 0.25 * (there - here), 0.5 * (here + there) - null
    silent = power < 1e-9  # both heads say the same with opposite signs
    gain = np.maximum(correlation, 0.0) ** 2 / np.where(silent, 1.0, power)
    return np.asarray(null - np.where(silent, 0.0, gain))


def at_best(table: pd.DataFrame) -> pd.DataFrame:
    """By importance: the best angles and their risk, beside one head for each kind."""
    code = table[table.part == "code"]
    best = code.loc[code.groupby("w").risk.idxmin()].set_index("w")[["a", "b", "lam", "risk"]]
    own = table[table.part == "own"].set_index("w")
    return best.assign(own=own.risk, null=own.null).sort_index(ascending=False)


def findings(table: pd.DataFrame) -> str:
    """What the table shows."""
    best = at_best(table)
    first, last = best.iloc[0], best.iloc[-1]
    degrees = np.degrees(best[["a", "b"]])
    return (
        f"With equal importance the best code has risk {first.risk:.4f} against {first.own:.4f} for"
        f" one head for each kind; at importance {best.index[-1]:g} it is {last.risk:.4f} against"
        f" {last.own:.4f}. As the second kind matters less, the values of both heads turn to the"
        f" first ({degrees.b.iloc[0]:.0f} degrees at equal importance, {degrees.b.iloc[-1]:.0f} at"
        " the last) and the heads go on sharing. Here the output may be scaled, and that takes"
        f" most of the advantage ({1.0 - (best.risk / best.own).min():.1%} at most is left): what"
        " the code wins with unit vectors is mainly a larger gain."
    )


def certificates(table: pd.DataFrame) -> list[Certificate]:
    """The code is better at every importance, and its values turn to the kind that matters."""
    best = at_best(table)
    ratio = best.risk / best.own
    turned = best.b.to_numpy()
    return [
        Certificate(
            "Sharing beats one head for each kind at every importance",
            "exact risk of the best code over that of one head for each kind, each at its best lam",
            "below 1 everywhere",
            f"{ratio.min():.3f} to {ratio.max():.3f}",
            bool((ratio < 1.0).all()),
        ),
        Certificate(
            "The values turn to the kind that matters",
            "angle b of the best code, from equal importance to the least",
            "never grows, and ends below where it began",
            f"{np.degrees(turned[0]):.0f} to {np.degrees(turned[-1]):.0f} degrees",
            bool(np.all(np.diff(turned) <= 1e-9) and turned[-1] < turned[0]),
        ),
    ]


EXPERIMENT = Experiment(
    name="heads_importance",
    question="Unequal importance: do heads go on sharing?",
    config=Config(),
    quick=Config(weights=(1.0, 0.5, 0.1), angles=19, temperatures=13),
    run=run,
    findings=findings,
    certificates=certificates,
    axes=("weights",),
    seconds=2.0,
)
