"""The curves: risk, excess over Bayes, alignments and more along the paths of training."""

from dataclasses import replace
from functools import lru_cache
from typing import Any

import jax
import numpy as np
import pandas as pd

from soloc.dynamics.landscape import name_of
from soloc.dynamics.path import Path
from soloc.dynamics.population_path import population_path
from soloc.dynamics.sgd_path import sgd_path
from soloc.lab.body import controls_of
from soloc.lab.figures.curves import curves_figure, path_traces
from soloc.lab.panel import Panel, full, number
from soloc.lab.presets import presets
from soloc.lab.training import MOST_RUNS, RECORDS, TAB, LongPathsAsk, PathsAsk, QuickPathsAsk, Start
from soloc.lab.view import Look, View
from soloc.lab.work.jobs import Job
from soloc.risk.baselines import bayes_risk
from soloc.risk.overlaps import NAMES, Overlaps
from soloc.tasks.single_location import SingleLocation

_ENDS = {
    "solution": "at ±(k*, v*)",
    "swapped": "at the swapped minimum k = ±v*",
    "other": "elsewhere",
}


def curves_panel(ask: QuickPathsAsk) -> Panel:
    """Projected gradient descent on the exact population risk, one path per start."""
    return panel_of(ask, path_of(ask))


def path_of(ask: QuickPathsAsk) -> Path:
    """The paths themselves."""
    setting, training = ask.setting, ask.training
    start, runs = training.start(setting.d), len(training.starts) or training.runs
    # always as many runs: one compilation serves them all
    padded = Overlaps(*(np.resize(getattr(start, name), MOST_RUNS) for name in NAMES))
    path = population_path(setting.task(), setting.attention(), padded, **training.how(setting))
    kept = {name: values[:, :runs] for name, values in path.columns.items()}
    return replace(path, columns=kept, shape=(runs,)).thinned(RECORDS)


def paths_job(ask: LongPathsAsk, job: Job) -> dict[str, Any]:
    """The same for stochastic descent, and for weights whose slopes are integrals, with progress on
    the way.
    """
    setting, training = ask.setting, ask.training
    start, how = training.start(setting.d), training.how(setting)
    how["progress"] = lambda now: job.report(step=now.step, steps=now.steps)
    job.report(step=0, steps=training.steps)
    if training.batch:
        key = jax.random.key(training.seed)
        path = sgd_path(
            setting.task(), setting.attention(), start, key, batch_size=training.batch, **how
        )
    else:
        path = population_path(setting.task(), setting.attention(), start, **how)
    return {"panel": panel_of(ask, path).model_dump()}


def panel_of(ask: PathsAsk, path: Path) -> Panel:
    """What a finished path shows, population descent or stochastic."""
    bayes = _bayes(ask.setting.task())
    table = replace(path, bayes=None).table()
    if "risk" in table:
        table["excess"] = table["risk"] - bayes
    last = table.groupby("run").last()
    columns = [
        name
        for name in ("kappa", "nu", "theta", "eta", "rho", "risk", "excess", "distance", "lam")
        if name in table
    ]
    return Panel(
        figure=curves_figure(table, ask.columns, ask.training.is_thinned(ask.setting)),
        table={name: full(table[name].to_numpy()) for name in ("run", "step", *columns)},
        python="\n".join(
            [
                *ask.training.imports(ask.setting),
                "",
                *ask.setting.lines(),
                *ask.training.lines(ask.setting),
            ]
        ),
        sentence=_sentence(last, int(table["step"].max())),
        numbers={
            "median |κ|": number(last["kappa"].abs().median()),
            "median |ν|": number(last["nu"].abs().median()),
            "median risk": number(last["risk"].median()) if "risk" in last else None,
            "median excess over Bayes": (
                number(last["excess"].median()) if "excess" in last else None
            ),
            "Bayes risk": number(bayes),
        },
        overlays={"landscape": path_traces(table)},
    )


@lru_cache(4096)
def _bayes(task: SingleLocation) -> float:
    return float(bayes_risk(task))


def _sentence(last: pd.DataFrame, steps: int) -> str:
    ends = [name_of(row) for row in last[list(NAMES)].to_numpy()]
    kinds, counts = np.unique(ends, return_counts=True)
    ordered = sorted(zip(kinds, counts, strict=True), key=lambda pair: -pair[1])
    if len(ordered) == 1:
        end = (
            f"{'the run is' if len(last) == 1 else f'all {len(last)} runs are'}"
            f" {_ENDS[ordered[0][0]]}"
        )
    else:
        parts = [
            f"{count} {'is' if count == 1 else 'are'} {_ENDS[kind]}" for kind, count in ordered
        ]
        end = f"of {len(last)} runs {' and '.join(parts)}"
    return (
        "Every curve is one run of gradient descent, in the colour of its path; move along a curve"
        f" to see where the run is. After {steps:,} steps {end}."
    )


def _facts() -> dict[str, Any]:
    return {
        "presets": presets(),
        "overlaps": list(NAMES),
        "start": [control.model_dump() for control in controls_of(Start)],
        "most_runs": MOST_RUNS,
    }


VIEW = View(
    name="curves",
    tab=TAB,
    title="Training",
    summary="Training paths from several starts",
    draw=curves_panel,
    job=paths_job,
    seconds=120.0,
    slow=lambda ask: True,
    path="/api/paths",
    with_table=True,
    look=Look(
        height="420px",
        narrow_height="820px",
        rest=200,  # while a slider moves, the landscape goes first
    ),
    facts=_facts,
)
