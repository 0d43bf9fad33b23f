"""How much data?: risk against n/d of the best learner and of three others."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from soloc.experiments.learning.trials import by_descent, draw
from soloc.lab.body import Body
from soloc.lab.figures.samples import TRAINED, samples_figure
from soloc.lab.learning import LEAST, MOST, TAB, RegimeControls
from soloc.lab.lines import imports_of
from soloc.lab.panel import Panel, full, number
from soloc.lab.view import Look, View
from soloc.lab.work.jobs import Job
from soloc.learning.baselines import known_location_curve, linear_curve
from soloc.learning.bayes import INFORMED, UNINFORMED, bayes_curve, tails
from soloc.learning.erm import LONGEST, erm_curve
from soloc.predictors.normalised import Softmax
from soloc.tasks.single_location import SingleLocation

SECONDS = 60.0
RATIOS = tuple(float(ratio) for ratio in np.geomspace(LEAST, MOST, 33))
TRAINED_RATIOS = (16.0, 8.0, 4.0, 2.0, 1.0)
BAYES, STUCK, KNOWN, LINEAR = "Bayes", "Bayes, from the truth", "known location", "linear"
TESTED = "softmax, L-BFGS"
_POINTS, _DIMENSION = 256, 80  # of the replica equations, and of the data set that checks them


class SamplesAsk(Body):
    """The regime of the curves."""

    regime: RegimeControls = RegimeControls()


class Trained(NamedTuple):
    """Least squares at one ratio: the replica result, and one data set from two starts."""

    ratio: float
    risk: float
    ridge: float
    tested: float
    agrees: bool


def samples_panel(ask: SamplesAsk) -> Panel:
    """Bayes, linear regression and the known location; the job adds trained attention."""
    found = panel_of(ask.regime, _curves(ask.regime), [])
    # the page starts the job instead of asking again
    return found.model_copy(update={"pending": None})


def samples_job(ask: SamplesAsk, job: Job) -> dict[str, Any]:
    """Panels to which trained attention is added, one ratio after the other."""
    regime = ask.regime
    curves = job.elsewhere(_curves, regime)
    found: list[Trained] = []
    for ratio in TRAINED_RATIOS if regime.tokens <= LONGEST else ():
        job.report(panel=panel_of(regime, curves, found).model_dump())
        found.append(job.elsewhere(_trained, regime, ratio))
    return {"panel": panel_of(regime, curves, found).model_dump()}


@lru_cache(maxsize=64)
def _curves(regime: RegimeControls) -> pd.DataFrame:
    """Curve, ratio and risk; Bayes from both starts where they differ."""
    task = regime.task()
    bayes = bayes_curve(task, RATIOS)
    parts = {
        BAYES: bayes[bayes.start == UNINFORMED],
        STUCK: bayes[bayes.start == INFORMED],
        KNOWN: known_location_curve(task, RATIOS),
        LINEAR: linear_curve(task, RATIOS),
    }
    columns = ["samples_per_dimension", "risk"]
    return pd.concat(
        [rows[columns].assign(curve=name) for name, rows in parts.items()], ignore_index=True
    )


@lru_cache(maxsize=256)
def _trained(regime: RegimeControls, ratio: float) -> Trained:
    row = erm_curve(regime.task(), Softmax(1.0), ratio, "best", points=_POINTS).iloc[0]
    task = SingleLocation(
        d=_DIMENSION, L=regime.tokens, gamma=1.0, eps=regime.noise, signal=regime.m
    )
    (tested,) = by_descent(task, Softmax(1.0), draw(task, ratio, 0), row.ridge_k, ("random",))
    return Trained(
        ratio, float(row.risk), float(row.ridge_k), tested.risk, tested.agrees and bool(row.settled)
    )


def panel_of(regime: RegimeControls, curves: pd.DataFrame, found: Sequence[Trained]) -> Panel:
    """What is known so far."""
    sure = [one for one in found if one.agrees]
    rows = [curves.assign(kind="theory")]
    for name, kind, values in (
        (TRAINED, "theory", [(one.ratio, one.risk) for one in sure]),
        (TESTED, "simulation", [(one.ratio, one.tested) for one in found]),
    ):
        made = pd.DataFrame(values, columns=["samples_per_dimension", "risk"], dtype=float)
        rows += [made.assign(curve=name, kind=kind)] if values else []
    table = pd.concat(rows, ignore_index=True)
    task = regime.task()
    left = len(TRAINED_RATIOS) - len(found) if regime.tokens <= LONGEST else 0
    return Panel(
        figure=samples_figure(table, [one.ratio for one in found if not one.agrees]),
        table={name: full(table[name]) for name in table},
        python=_python(regime),
        sentence=_sentence(regime, curves, found),
        numbers={
            "no data": number(1.0 + regime.noise**2),
            "all data": number(bayes_curve(task, np.inf).risk[0]),
            "tail × d/n": number(tails(task).risk),
        },
        pending=f"trained attention is computed at {left} more ratios" if left else None,
    )


def _sentence(regime: RegimeControls, curves: pd.DataFrame, found: Sequence[Trained]) -> str:
    text = (
        "How wrong the best learner is on new sequences after n sequences of d dimensions, as both"
        " grow (replica-symmetric theory; AMP reaches it), beside linear regression, attention"
        " trained by least squares at its best ridge, and a learner who is told the location."
    )
    if STUCK in set(curves.curve):
        hard = curves[curves.curve == STUCK].samples_per_dimension
        text += (
            f" Near n/d = {hard.min():.2g} there are two phases: starting from nothing AMP stays on"
            " the upper line, and the truth would stay on the lower one."
        )
    if regime.tokens > LONGEST:
        text += f" Trained attention is computed for at most {LONGEST} tokens."
    apart = [f"{one.ratio:g}" for one in found if not one.agrees]
    if apart:
        text += (
            f" At n/d = {', '.join(sorted(apart, key=float))} two starts of the training end apart,"
            " and no line is drawn."
        )
    return text


def _python(regime: RegimeControls) -> str:
    names = "bayes_curve, erm_curve, known_location_curve, linear_curve"
    trained = regime.tokens <= LONGEST
    return "\n".join(
        [
            "import numpy as np",
            *imports_of([SingleLocation, *([Softmax] if trained else [])]),
            f"from soloc.learning import {names if trained else names.replace(' erm_curve,', '')}",
            "",
            regime.task_line(),
            f"ratios = np.geomspace({LEAST}, {MOST:g}, {len(RATIOS)})",
            "bayes = bayes_curve(task, ratios)  # rows of the uninformed start come first",
            "known = known_location_curve(task, ratios)",
            "linear = linear_curve(task, ratios)",
            *(
                [
                    f"trained = erm_curve(task, Softmax(1.0), {list(TRAINED_RATIOS)}, 'best',"
                    f" points={_POINTS})"
                ]
                if trained
                else []
            ),
        ]
    )


VIEW = View(
    name="samples",
    tab=TAB,
    title="How many samples does it take?",
    summary="Risk against samples per dimension",
    draw=samples_panel,
    job=samples_job,
    seconds=SECONDS,
    slow=lambda ask: True,
    with_table=True,
    look=Look(height="430px", rest=250),
)
