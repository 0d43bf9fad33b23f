"""How networks are trained here, by name, and when a run counts as solved.

optax is imported by whoever trains: without the extra the chapter is left out, not broken.
"""

from typing import Any

import numpy as np
import pandas as pd

from soloc.risk.baselines import bayes_risk
from soloc.tasks.single_location import SingleLocation

NEEDS = ("equinox", "optax")
EXTRA = "networks"
SOLVED = 0.1  #: share of the null's excess over Bayes below which a run has found the solution
DECAY = 0.3  #: of the weights, by AdamW


def cosine(rate: float, steps: int) -> Any:
    """From `rate` to 0 along half a cosine, as a schedule of soloc and of optax."""
    return lambda t: 0.5 * rate * (1.0 + np.cos(np.pi * np.asarray(t) / steps))


def optimiser(rule: str, rate: float, steps: int, falling: bool) -> Any:
    """SGD, momentum, Adam or AdamW, at a constant rate or along a cosine."""
    import optax

    speed: Any = optax.cosine_decay_schedule(rate, steps) if falling else rate
    rules = {
        "SGD": lambda: optax.sgd(speed),
        "momentum": lambda: optax.sgd(speed, momentum=0.9),
        "Adam": lambda: optax.adam(speed),
        "AdamW": lambda: optax.adamw(speed, weight_decay=DECAY),
    }
    return rules[rule]()


def share_of_null(task: SingleLocation, risk: Any) -> np.ndarray:
    """Excess over the Bayes risk, where answering 0 has 1."""
    best = float(bayes_risk(task))
    return (np.asarray(risk, float) - best) / (float(task.null_risk()) - best)


def first_below(steps: Any, values: Any, bar: float) -> float:
    """The step at which a recorded value first passes below a bar, between records by a line.

    NaN when it never does.
    """
    steps, values = np.asarray(steps, float), np.asarray(values, float)
    under = np.flatnonzero(values < bar)
    if not len(under):
        return float("nan")
    at = under[0]
    if at == 0:
        return float(steps[0])
    part = (values[at - 1] - bar) / (values[at - 1] - values[at])
    return float(steps[at - 1] + part * (steps[at] - steps[at - 1]))


def by_run(table: pd.DataFrame, column: str) -> dict[int, pd.DataFrame]:
    """The records of every run, without those that lack the column."""
    return {int(run): rows.dropna(subset=[column]) for run, rows in table.groupby("run")}
