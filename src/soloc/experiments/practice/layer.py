"""Does the standard layer learn the same solution? Trained on samples, scored exactly."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from soloc.experiments.certificates import Certificate, at_most
from soloc.experiments.experiment import Experiment
from soloc.experiments.practice.recipes import EXTRA, NEEDS, SOLVED, optimiser, share_of_null
from soloc.maths.randomness import derived_key
from soloc.predictors.normalised import Softmax
from soloc.risk.best_temperature import best_of_one
from soloc.risk.best_weight import TRUTH
from soloc.risk.overlaps import Overlaps
from soloc.risk.population import population_risk
from soloc.tasks.single_location import SingleLocation

MAIN, PLAIN, LANDSCAPE = "Gaussian, AdamW", "Gaussian, Adam", "landscape"
HEADS = "four heads"
ALIGNED = 0.95


@dataclass(frozen=True)
class Setting:
    """A layer and the task it is trained on; signal sqrt(d/2), gamma^2 = 1/2, no noise.

    The risk of one head is exact, that of several the mean over the sequences of the last record.
    """

    init: str = "gaussian"
    temperature: bool = False
    rule: str = "AdamW"
    d: int = 64
    L: int = 10
    heads: int = 1
    repeated: bool = False  #: as often as the claims need

    @property
    def task(self) -> SingleLocation:
        return SingleLocation(d=self.d, L=self.L)


SETTINGS = {
    MAIN: Setting(repeated=True),
    PLAIN: Setting(rule="Adam", repeated=True),
    "Xavier": Setting("xavier"),
    "small": Setting("small"),
    "Gaussian, own temperature": Setting(temperature=True),
    "Xavier, own temperature": Setting("xavier", temperature=True),
    "small, own temperature": Setting("small", temperature=True),
    "d = 16": Setting(d=16),
    "d = 32": Setting(d=32),
    "d = 128": Setting(d=128),
    "d = 32, L = 3": Setting(d=32, L=3),
    "d = 32, L = 30": Setting(d=32, L=30),
    HEADS: Setting(heads=4),
}


@dataclass(frozen=True)
class Config:
    """Adam at a constant rate, AdamW along a cosine; the exact landscape at `lams`."""

    parts: tuple[str, ...] = (*SETTINGS, LANDSCAPE)
    steps: int = 1500
    batch: int = 64
    rate: float = 3e-3
    seeds: int = 10  #: of the settings that claims rest on
    other_seeds: int = 4
    lams: tuple[float, ...] = (1.0, 1.5, 2.5, 5.0, 10.0)
    kappas: tuple[float, ...] = (0.7, 0.75, 0.8, 0.85, 0.9, 0.925, 0.95, 0.975, 0.99, 1.0)
    seed: int = 0


def run(config: Config) -> pd.DataFrame:
    """One row per part and run (or point of the landscape): excess, alignments, ranks."""
    return pd.concat([_part(config, part) for part in config.parts], ignore_index=True)


def _part(config: Config, part: str) -> pd.DataFrame:
    if part == LANDSCAPE:
        return _landscape(config)
    if part not in SETTINGS:
        raise ValueError(f"`parts` must be among {'; '.join((*SETTINGS, LANDSCAPE))}, got {part}.")
    from soloc.networks import StandardAttention, exact_risk, train

    setting = SETTINGS[part]
    task = setting.task
    how: Any = {
        "init": setting.init, "temperature": setting.temperature, "heads": setting.heads,
    }  # fmt: skip
    found = train(
        lambda key: StandardAttention(setting.d, key, **how),
        task,
        optimiser(setting.rule, config.rate, config.steps, falling=setting.rule == "AdamW"),
        steps=config.steps,
        key=derived_key(config.seed, part),
        seeds=config.seeds if setting.repeated else config.other_seeds,
        batch=config.batch,
        every=config.steps,
    )
    begun = StandardAttention(setting.d, derived_key(config.seed, part, "rank"), **how)
    last = found.last()
    rows = last[["run", "mass", "key_alignment", "value_alignment"]].assign(part=part)
    rows = rows.assign(d=setting.d, L=setting.L, rule=setting.rule, init=setting.init)
    rows = rows.assign(rank_before=stable_rank(begun), value_rank_before=_spread(begun.V[0]))
    layers = [found.network(number) for number in rows.run]
    if setting.heads == 1:
        risks = [exact_risk(layer, task, found.truth(i)) for i, layer in enumerate(layers)]
    else:  # on the sequences of the last record
        risks = last.risk
    pairs = [(layer, _leading(layer, found.truth(i).k)) for i, layer in enumerate(layers)]
    return rows.assign(
        share=share_of_null(task, risks),
        floor=_floor(task),
        lam=[float(np.linalg.norm(layer.effective[0][h])) for layer, h in pairs],
        swapped=[_cosine(x.effective[0][h], found.truth(i).v) for i, (x, h) in enumerate(pairs)],
        rank=[stable_rank(layer, h) for layer, h in pairs],
        value_rank=[_spread(layer.V[h]) for layer, h in pairs],
    )


def _leading(layer: Any, k: Any) -> int:
    """The head whose key is most aligned with the true one."""
    return int(np.argmax([_cosine(key, k) for key in layer.effective[0]]))


def _cosine(one: Any, other: Any) -> float:
    """|cos| of the angle between two vectors."""
    return float(abs(one @ other) / (np.linalg.norm(one) * np.linalg.norm(other)))


def _floor(task: SingleLocation) -> float:
    """The share that softmax at the truth still has, at its best |k|."""
    at_best = best_of_one(
        lambda lam: np.asarray(population_risk(task, Softmax(lam), TRUTH)), 0.3, 30.0, points=13
    )
    return float(share_of_null(task, at_best.value))


def stable_rank(layer: Any, head: int = 0) -> float:
    """|Q'K|_F^2 / |Q'K|^2 of a head: 1 for a matrix of rank one, at most p."""
    return _spread(np.asarray(layer.Q[head]).T @ np.asarray(layer.K[head]))


def _spread(matrix: Any) -> float:
    squares = np.linalg.svd(np.asarray(matrix, float), compute_uv=False) ** 2
    return float(squares.sum() / squares[0])


def _landscape(config: Config) -> pd.DataFrame:
    """The exact excess of a key off the truth, at several |k|, with the true value."""
    task = SETTINGS[MAIN].task
    lam, kappa = (x.ravel() for x in np.meshgrid(config.lams, config.kappas, indexing="ij"))
    risk = population_risk(task, Softmax(lam), Overlaps(kappa, np.ones_like(kappa)))
    share = share_of_null(task, risk)
    return pd.DataFrame({"part": LANDSCAPE, "lam": lam, "key_alignment": kappa, "share": share})


def trained(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of runs."""
    return table[table.part != LANDSCAPE]


def _flatness(table: pd.DataFrame) -> tuple[float, float, float]:
    """At the largest |k|: that |k|, and the exact shares at alignment .9 and 1."""
    rows = table[table.part == LANDSCAPE]
    at = rows[rows.lam == rows.lam.max()].set_index("key_alignment").share
    return float(rows.lam.max()), float(at[0.9]), float(at[1.0])


def findings(table: pd.DataFrame) -> str:
    """What the table shows."""
    runs = trained(table)
    main, plain = (runs[runs.part == part] for part in (MAIN, PLAIN))
    lam, off, on = _flatness(table)
    solved = int((runs.share <= SOLVED).sum())
    found = main[main.share <= SOLVED]
    return (
        f"Yes: {solved} of {len(runs)} layers with free Q, K, V, O end within 10 % of the null's"
        f" excess over Bayes{_short(runs)}, and what training adds to Q'K is close to rank one"
        f" (stable rank {found.rank_before.mean():.1f} before, {found['rank'].mean():.1f} after)."
        f" Adam alone stops with keys at {plain.key_alignment.min():.2f}-"
        f"{plain.key_alignment.max():.2f} of the truth because |k| grows to"
        f" {plain.lam.median():.1f}, where the landscape is flat: at |k| = {lam:g} going from .9 to"
        f" 1 is worth {off - on:.1e} of the null's excess. With weight decay and a cosine |k| stays"
        f" at {found.lam.median():.1f} and the keys of those that solve it end at"
        f" {found.key_alignment.min():.3f} or above.{_of_heads(runs[runs.part == HEADS])}"
    )


def _short(runs: pd.DataFrame) -> str:
    """Who does not, how many of them, and where they stay."""
    said = []
    for part, rows in runs.groupby("part", sort=False):
        missed = rows[rows.share > SOLVED]
        if len(missed):
            floor = rows.floor.iloc[0]
            why = ""
            if floor > 0.5 * SOLVED:
                why = f", where softmax at the truth has {floor:.2f}"
            elif missed.swapped.min() > ALIGNED:
                why = ", swapped: the key has found v*"
            said.append(f"{len(missed)} of {len(rows)} of {part} at {missed.share.mean():.2f}{why}")
    return f" (the others: {'; '.join(said)})" if said else ""


def _of_heads(rows: pd.DataFrame) -> str:
    if not len(rows):  # the quick run
        return ""
    return (
        f" With four heads one of them ends with its key at {rows.key_alignment.min():.2f} of the"
        f" truth or above; heads may share the value, of which the best has"
        f" {rows.value_alignment.min():.2f} to {rows.value_alignment.max():.2f}."
    )


def certificates(table: pd.DataFrame) -> list[Certificate]:
    """The layer solves the task, its key and value are the true ones, and the rest is flat."""
    runs = trained(table)
    main, plain = (runs[runs.part == part] for part in (MAIN, PLAIN))
    out = []
    for rows, name in ((main, MAIN), (plain, PLAIN)):
        solved = float((rows.share <= SOLVED).mean())
        out.append(
            Certificate(
                f"The standard layer finds the solution ({name})",
                "share of runs with an exact excess over Bayes of at most 10 % of the null's",
                ">= 90 %", f"{solved:.0%} of {len(rows)}", solved >= 0.9,
            )
        )  # fmt: skip
    for column, what in (("key_alignment", "key K'Qc"), ("value_alignment", "value V'o")):
        aligned = float((main[column] > ALIGNED).mean())
        out.append(
            Certificate(
                f"Its effective {what} is the true one ({MAIN})",
                f"share of runs aligned by more than {ALIGNED:g}", ">= 90 %",
                f"{aligned:.0%}, least {main[column].min():.3f}", aligned >= 0.9,
                "" if column == "value_alignment" else
                f"Adam without decay ends at {plain.key_alignment.min():.2f} to"
                f" {plain.key_alignment.max():.2f}: attention saturates first.",
            )
        )  # fmt: skip
    lam, off, on = _flatness(table)
    out.append(
        at_most(
            "Where attention is saturated the exact risk does not feel the key",
            f"share of the null's excess lost by an alignment of .9 instead of 1 at |k| = {lam:g}",
            off - on,
            1e-3,
        )
    )
    fallen = float((main["rank"] - main.rank_before).max())
    out.append(
        at_most(
            "Training makes Q'K closer to rank one",
            "largest change of the stable rank over runs",
            fallen,
            -0.5,
        )
    )
    return out


EXPERIMENT = Experiment(
    name="practice_layer",
    question="Does the standard layer learn the same solution?",
    config=Config(),
    quick=Config(parts=(MAIN, PLAIN, LANDSCAPE), steps=900, rate=5e-3, seeds=4),
    run=run,
    findings=findings,
    certificates=certificates,
    axes=("parts",),
    seconds=9.0,
    needs=NEEDS,
    extra=EXTRA,
)
