"""Is attention needed? Fresh sequences that networks see before they reach half the null risk."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from soloc.experiments.certificates import Certificate, log_slope
from soloc.experiments.experiment import Experiment
from soloc.experiments.practice.recipes import EXTRA, NEEDS, by_run, first_below, optimiser
from soloc.learning.bayes import samples_for
from soloc.maths.randomness import derived_key
from soloc.tasks.single_location import SingleLocation

ATTENTION, CONNECTED = "standard attention", "fully connected"
LINEAR, BAYES = "linear regression, all data", "Bayes, n and d large"
LEARNERS = (ATTENTION, CONNECTED, LINEAR, BAYES)


@dataclass(frozen=True)
class Config:
    """gamma = 1, so that norms say nothing. A fully-connected network may see ever more sequences:
    `connected_steps` L^3 + 200 batches of them.
    """

    learners: tuple[str, ...] = LEARNERS
    lengths: tuple[int, ...] = (4, 8, 16, 32)
    d: int = 8
    signal: float = 4.0
    eps: float = 0.3
    width: int = 128
    seeds: int = 4
    attention_seeds: int = 24
    attention_steps: int = 800
    connected_steps: float = 1.5
    seed: int = 0


def run(config: Config) -> pd.DataFrame:
    """One row per learner, length and run: sequences until half of the null risk."""
    rows = [_runs(config, name, L) for name in config.learners for L in config.lengths]
    return pd.concat(rows, ignore_index=True)


def _runs(config: Config, learner: str, L: int) -> pd.DataFrame:
    task = SingleLocation(d=config.d, L=L, gamma=1.0, eps=config.eps, signal=config.signal)
    half = 0.5 * float(task.null_risk())
    if learner == LINEAR:
        lowest = float(task.linear_risk())  # with any number of samples
        rows = pd.DataFrame({"run": [0], "needed": [np.inf], "seen": [np.inf], "lowest": [lowest]})
    elif learner == BAYES:
        needed = config.d * samples_for(task, half)
        rows = pd.DataFrame({"run": [0], "needed": [needed], "seen": [np.inf]})
    elif learner in (ATTENTION, CONNECTED):
        rows = _trained(config, learner, task, half)
    else:
        raise ValueError(f"`learners` must be among {'; '.join(LEARNERS)}, got {learner!r}.")
    return rows.assign(learner=learner, L=L, half=half)


def _trained(config: Config, learner: str, task: SingleLocation, half: float) -> pd.DataFrame:
    from soloc.networks import FullyConnected, StandardAttention, train

    attends = learner == ATTENTION
    batch, rate = (8, 3e-2) if attends else (64, 3e-3)
    steps = config.attention_steps if attends else int(config.connected_steps * task.L**3 + 200.0)

    def network(key: Any) -> Any:
        if attends:
            return StandardAttention(config.d, key)
        return FullyConnected(config.d, key, length=task.L, width=config.width)

    found = train(
        network,
        task,
        optimiser("Adam", rate, steps, falling=False),
        steps=steps,
        key=derived_key(config.seed, learner, task.L),
        seeds=config.attention_seeds if attends else config.seeds,
        batch=batch,
        goal=half,
        every=max(1, steps // (100 if attends else 50)),
    )
    records = by_run(found.table, "risk")
    return pd.DataFrame(
        {
            "run": list(records),
            "needed": [batch * first_below(r.step, r.risk, half) for r in records.values()],
            "seen": batch * steps,
            "lowest": [r.risk.min() for r in records.values()],
        }
    )


def samples(table: pd.DataFrame, learner: str) -> pd.DataFrame:
    """By length: geometric mean over the runs, its error in logarithms, and the share that got
    there; a run that did not counts with all it saw.
    """
    rows = table[table.learner == learner]
    logs = np.log(rows.needed.fillna(rows.seen))
    by_length = logs.groupby(rows.L)
    return pd.DataFrame(
        {
            "needed": np.exp(by_length.mean()),
            "error": by_length.std(ddof=1) / np.sqrt(by_length.size()),
            "reached": rows.needed.notna().groupby(rows.L).mean(),
        }
    )


def ratios(table: pd.DataFrame) -> pd.DataFrame:
    """By length: sequences of the fully-connected network over those of attention."""
    ours, theirs = samples(table, ATTENTION), samples(table, CONNECTED)
    ratio = theirs.needed / ours.needed
    return pd.DataFrame({"ratio": ratio, "error": ratio * np.hypot(ours.error, theirs.error)})


def findings(table: pd.DataFrame) -> str:
    """What the table shows, whichever way it falls."""
    found = ratios(table)
    said = ", ".join(f"{row.ratio:.0f} ± {row.error:.0f} at L = {L}" for L, row in found.iterrows())
    ours, theirs = (
        log_slope(rows.index, rows.needed)
        for rows in (samples(table, ATTENTION), samples(table, CONNECTED))
    )
    lowest = table[table.learner == LINEAR].lowest.min()
    short = "" if samples(table, CONNECTED).reached.min() == 1.0 else " (a lower bound at the end)"
    stuck = 1.0 - samples(table, ATTENTION).reached.min()
    verdict = (
        "more and more"
        if found.ratio.iloc[-1] > 2.0 * found.ratio.iloc[0]
        else "not by more and more"
    )
    return (
        f"A fully-connected network on the concatenated tokens needs {said} times the sequences of"
        f" attention{short}: its need grows as L^{theirs:.1f}, that of attention as L^{ours:.1f},"
        f" so attention is needed {verdict} as sequences get longer (up to {stuck:.0%} of its runs"
        f" get stuck and count with all they saw). Linear regression never gets"
        f" there, with all data in the world: its best risk is {lowest:.2f}, half of the null risk"
        f" {table.half.iloc[0]:.2f}."
    )


def certificates(table: pd.DataFrame) -> list[Certificate]:
    """The gap is there and grows, linear regression is out, nobody beats Bayes."""
    found = ratios(table)
    z = float((np.log(found.ratio) / (found.error / found.ratio)).min())
    first, last = found.iloc[0], found.iloc[-1]
    growth = float(np.log(last.ratio / first.ratio))
    growth_z = growth / float(np.hypot(first.error / first.ratio, last.error / last.ratio))
    linear = table[table.learner == LINEAR]
    bound = samples(table, BAYES).needed
    ours = samples(table, ATTENTION)
    margin = float((np.log(ours.needed / bound) + 3.0 * ours.error).min())
    reached = float(ours.reached.min())
    return [
        Certificate(
            "A fully-connected network needs more samples than attention",
            "least z of the logarithm of the ratio over lengths", ">= 4", f"{z:.1f}", z >= 4.0,
        ),
        Certificate(
            "And ever more so as sequences get longer",
            f"z of the growth of the ratio from L = {found.index[0]} to {found.index[-1]}",
            ">= 3", f"{growth_z:.1f} (a factor of {np.exp(growth):.1f})", growth_z >= 3.0,
        ),
        Certificate(
            "Linear regression never reaches half of the null risk",
            "least exact risk with infinitely many samples over half of the null risk",
            "> 1", f"{(linear.lowest / linear.half).min():.3f}",
            bool((linear.lowest > linear.half).all()),
        ),
        Certificate(
            "Most runs of attention get there", "least share of its runs over lengths", ">= 60 %",
            f"{reached:.0%}", reached >= 0.6,
        ),
        Certificate(
            "No network beats the Bayes learner",
            "least log of its samples over those of the Bayes learner, plus 3 errors", "> 0",
            f"{margin:.2f}", margin > 0.0,
            "The Bayes curve is that of large d; here d is small.",
        ),
    ]  # fmt: skip


EXPERIMENT = Experiment(
    name="practice_needed",
    question="Is attention needed, or would a fully-connected network do?",
    config=Config(),
    quick=Config(lengths=(4, 12), seeds=3),
    run=run,
    findings=findings,
    certificates=certificates,
    axes=("learners", "lengths"),
    seconds=8.0,
    needs=NEEDS,
    extra=EXTRA,
)
