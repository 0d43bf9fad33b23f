"""Do two heads share the work? A sum-and-difference code beats the truth pair by pair."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from soloc.dynamics.head_starts import heads_on_manifold, heads_on_sphere
from soloc.dynamics.landscape import wilson
from soloc.dynamics.population_path import population_path
from soloc.experiments.certificates import Certificate
from soloc.experiments.experiment import Experiment
from soloc.experiments.heads.codes import CODE, TRUTH, at_best_lam, state_of
from soloc.maths.randomness import derived_key
from soloc.predictors.heads import Heads
from soloc.predictors.pointwise import Erf
from soloc.risk.population import excess_risk
from soloc.tasks.several_locations import SeveralLocations

MANIFOLD, SPHERE = "manifold", "sphere"
REACHED = (
    0.130  # the risk below which a run on the manifold has found the code, at lam = .1, L = 10
)
OWN = 0.8  # |k_h.k*_g| and |v_h.v*_g| above which a head has kind g for its own
OFF = "off the manifold"


@dataclass(frozen=True)
class Config:
    """`starts` descents in each part "manifold 1", "sphere 1", ... of two heads on two kinds."""

    parts: tuple[str, ...] = ("values", "manifold 1", "manifold 2", "sphere 1", "sphere 2")
    starts: int = 100
    steps: int = 40_000
    sphere_steps: int = 12_000
    step_size: float = 4e-3
    lam: float = 0.1
    d: int = 400
    L: int = 10
    lengths: tuple[int, ...] = (10, 30, 100, 300, 1000)
    heads: tuple[int, ...] = (1, 2, 3, 4, 5, 6, 7, 8)
    temperatures: int = 60
    seed: int = 0


def run(config: Config) -> pd.DataFrame:
    """Rows `best` (by length and heads), `temperature` (by lam), `path` and `end` of descents."""
    parts = [_values(config) if part == "values" else _descent(config, part)
             for part in config.parts]  # fmt: skip
    return pd.concat(parts, ignore_index=True)


def _values(config: Config) -> pd.DataFrame:
    rows = []
    for H in config.heads:
        for L in (length for length in config.lengths if length >= H):
            task = SeveralLocations(d=config.d, L=L, kinds=H)
            for name in (TRUTH, CODE):
                best = at_best_lam(task, H, state_of(name, H, H))
                rows.append(("best", name, H, L, float(best.lam[0]), float(best.value[0])))
    lam = np.geomspace(0.015, 0.2, config.temperatures)
    task = SeveralLocations(d=config.d, L=config.L)
    for name in (TRUTH, CODE):
        values = excess_risk(task, Heads((Erf(1.0),) * 2, lam=lam), state_of(name, 2, 2))
        rows += [
            ("temperature", name, 2, config.L, *pair) for pair in zip(lam, values, strict=True)
        ]
    return pd.DataFrame(rows, columns=["part", "state", "H", "L", "lam", "risk"])


def _descent(config: Config, part: str) -> pd.DataFrame:
    """Quantiles of the risk along the way, and one row for the end of every run."""
    start, _, block = part.partition(" ")
    draw = heads_on_manifold if start == MANIFOLD else heads_on_sphere
    key = derived_key(config.seed, "heads_share", part)
    task = SeveralLocations(d=config.d, L=config.L)
    steps = config.steps if start == MANIFOLD else config.sphere_steps
    path = population_path(
        task, Heads((Erf(config.lam),) * 2), draw(config.d, 2, 2, config.starts, key),
        steps=steps, step_size=config.step_size,
    )  # fmt: skip
    low, middle, high = np.quantile(path.risk, (0.1, 0.5, 0.9), axis=1)
    along = pd.DataFrame(
        {"part": "path", "step": path.steps, "low": low, "risk": middle, "high": high}
    )
    last = path.last()
    end = last[["run", "step", "risk", "distance", "aligned_1", "aligned_2", "halved"]].assign(
        part="end", minimum=_minimum(last)
    )
    return pd.concat([along, end], ignore_index=True).assign(
        state=start, block=block, H=2, L=config.L, lam=config.lam
    )


def specialised(last: pd.DataFrame, heads: int, kinds: int) -> np.ndarray:
    """Which runs have for every kind a head of its own."""
    own = [
        [
            np.minimum(last[f"kappa_{h}{g}"].abs(), last[f"nu_{h}{g}"].abs()) > OWN
            for g in range(1, kinds + 1)
        ]
        for h in range(1, heads + 1)
    ]
    return np.asarray(np.all(np.any(own, axis=0), axis=0))


def _minimum(last: pd.DataFrame) -> np.ndarray:
    """What a run ended near: one head for each kind, a code, or neither."""
    on_manifold = np.where(specialised(last, 2, 2), TRUTH, CODE)
    return np.asarray(np.where(last.distance > 1e-3, OFF, on_manifold))


def _ends(table: pd.DataFrame, start: str) -> pd.DataFrame:
    return table[(table.part == "end") & (table.state == start)]


def _shares(ends: pd.DataFrame) -> str:
    counts = ends.minimum.value_counts()
    return ", ".join(f"{count / len(ends):.0%} {name}" for name, count in counts.items())


def _gap(table: pd.DataFrame) -> pd.DataFrame:
    """Truth and code side by side, by heads and length."""
    best = table[table.part == "best"]
    return best.pivot_table(index=["H", "L"], columns="state", values="risk")


def findings(table: pd.DataFrame) -> str:
    """What the table shows."""
    side = _gap(table)
    L = int(side.index.get_level_values("L").min())
    two = side.loc[(2, L)]
    said = (
        f"Two heads do not specialise: at L = {L} and its best temperature the sum-and-difference"
        f" code has risk {two[CODE]:.4f}, one head for each kind {two[TRUTH]:.4f}, because erf is"
        " concave and halving its argument costs less than half of its value."
    )
    if (table.part == "end").any():
        said += (
            " At lam = .1, where erf saturates, descent turns keys and values of the code by"
            " different angles."
        )
    for start in (MANIFOLD, SPHERE):
        ends = _ends(table, start)
        if len(ends):
            said += (
                f" From the {start} {len(ends)} descents end at a median risk of"
                f" {ends.risk.median():.4f} ({ends.risk.min():.4f} to {ends.risk.max():.4f});"
                f" {_shares(ends)}; steps were halved in {int((ends.halved > 0).sum())} runs."
            )
    return said


def certificates(table: pd.DataFrame) -> list[Certificate]:
    """The code wins at every length, descent finds it, and what lies off the manifold is better."""
    side = _gap(table)
    powers = side[side.index.get_level_values("H").isin((2, 4, 8))]
    ratio = powers[CODE] / powers[TRUTH]
    out = [
        Certificate(
            "The code has a lower risk than one head for each kind",
            "exact risks at their best lam, every length, H = 2, 4, 8",
            "ratio below 1 everywhere",
            f"{ratio.min():.3f} to {ratio.max():.4f} over {len(ratio)} settings",
            bool((ratio < 1.0).all()),
        )
    ]
    manifold = _ends(table, MANIFOLD)
    if len(manifold):
        found = int((manifold.risk < REACHED).sum())
        share = found / len(manifold)
        low = wilson(found, len(manifold))[1]
        out.append(
            Certificate(
                "Descent on the manifold finds the code",
                f"risk below {REACHED} after {int(manifold.step.max()):,} steps at lam = .1",
                "in at least 95 % of the starts",
                f"{share:.1%} of {len(manifold)} (at least {low:.1%} with 95 % confidence)",
                share >= 0.95,
            )
        )
    sphere = _ends(table, SPHERE)
    if len(sphere) and len(manifold):
        out.append(
            Certificate(
                "From the sphere two heads end off the manifold, below truth and code",
                "median distance to the manifold, and median risk against those on it",
                "distance above .1, risk below",
                f"distance {sphere.distance.median():.3f}, risk {sphere.risk.median():.4f} against"
                f" {manifold.risk.median():.4f}",
                bool(
                    sphere.distance.median() > 0.1 and sphere.risk.median() < manifold.risk.median()
                ),
                "the runs from the sphere have not all come to rest",
            )
        )
    return out


EXPERIMENT = Experiment(
    name="heads_share",
    question="Do two heads share the work?",
    config=Config(),
    quick=Config(
        parts=("values", "manifold 1"),
        starts=20,
        steps=20_000,
        lengths=(10, 100, 1000),
        heads=(1, 2, 4, 8),
        temperatures=25,
    ),
    run=run,
    findings=findings,
    certificates=certificates,
    axes=("parts",),
    seconds=15.0,
)
