"""Which attention?: all weights at their best temperature against Bayes, linear and null risks."""

import math
from collections.abc import Sequence
from dataclasses import MISSING, fields
from functools import lru_cache
from typing import Any

from soloc.lab.body import Body
from soloc.lab.controls import TaskControls
from soloc.lab.figures.attentions import attentions_figure, drawn_at, power
from soloc.lab.lines import imports_of
from soloc.lab.panel import Panel, number
from soloc.lab.view import Look, Tab, View
from soloc.lab.work.jobs import Job
from soloc.predictors.catalogue import WEIGHTS
from soloc.risk.baselines import linear_risk, log_bayes_excess
from soloc.risk.best_weight import AtBest, exact_at_best, kinds
from soloc.risk.overlaps import Overlaps
from soloc.risk.simulated_scores import LONGEST_DRAWN, best_simulated, simulated_at_best
from soloc.tasks.single_location import SingleLocation

SECONDS = 60.0  # of one job, which takes a few
TAB = Tab("attentions", "Which attention?")


class AttentionsAsk(Body):
    """The task for which all weights are compared."""

    setting: TaskControls = TaskControls()


def attentions_panel(ask: AttentionsAsk) -> Panel:
    """The weights that look at one score each, whose exact risks cost milliseconds; the job brings
    the others.
    """
    found = panel_of(ask.setting, list(_at_once(ask.setting).values()), None)
    # the page starts the job instead of asking again
    return found.model_copy(update={"pending": None})


def attentions_job(ask: AttentionsAsk, job: Job) -> dict[str, Any]:
    """Panels that fill in: first what is exact at once, then Bayes and the first of the slow
    ones (softmax), simulations, and the others.
    """
    setting, of_weights = ask.setting, kinds()
    first, *others = of_weights.slow
    rows = job.elsewhere(_at_once, setting)
    bayes: float | None = None

    def panel() -> dict[str, Any]:
        return job.elsewhere(_dumped, setting, list(rows.values()), bayes)

    def show() -> None:
        job.report(panel=panel())

    show()
    bayes = job.elsewhere(_bayes, setting.d, setting.L, setting.gamma)
    rows[first] = job.elsewhere(_exact, first, setting)
    show()
    for name in of_weights.simulated if setting.L <= LONGEST_DRAWN else ():
        best = job.elsewhere(best_simulated, name, setting.d, setting.L, setting.gamma)
        rows[name] = job.elsewhere(
            simulated_at_best, name, best, setting.d, setting.L, setting.gamma
        )
        show()
    for name in others:
        rows[name] = job.elsewhere(_exact, name, setting)
        show()
    return {"panel": panel()}


def _dumped(setting: TaskControls, rows: list[AtBest], bayes: float | None) -> dict[str, Any]:
    return panel_of(setting, rows, bayes).model_dump()


def _at_once(setting: TaskControls) -> dict[str, AtBest]:
    """The weights that look at one score each."""
    return {name: _exact(name, setting) for name in kinds().at_once}


def _exact(name: str, setting: TaskControls) -> AtBest:
    return exact_at_best(name, setting.d, setting.L, setting.gamma)


@lru_cache(maxsize=4096)
def _bayes(d: int, L: int, gamma: float) -> float:
    """log(Bayes risk - eps^2); -inf for a single token, which leaves nothing to guess."""
    return -math.inf if L == 1 else float(log_bayes_excess(SingleLocation(d=d, L=L, gamma=gamma)))


def panel_of(setting: TaskControls, rows: Sequence[AtBest], bayes: float | None) -> Panel:
    """What is known so far."""
    noise = setting.eps**2
    task = setting.task()
    references = {} if bayes is None else {"Bayes": bayes}
    linear = float(linear_risk(task)) - noise
    references |= {
        "linear regression": math.log(linear) if linear > 0 else -math.inf,
        "null": math.log(setting.gamma**2),
    }
    waiting = [
        entry.label
        for entry in WEIGHTS.values()
        if entry.label not in {row.weight for row in rows}
        and (entry.exact or setting.L <= LONGEST_DRAWN)
    ]
    rows = sorted(rows, key=drawn_at)
    return Panel(
        figure=attentions_figure(rows, references, waiting),
        table=_table(rows, setting),
        python=_python(setting, rows),
        sentence=_sentence(setting, rows, waiting),
        numbers={
            **{name: number(math.exp(log)) for name, log in references.items()},
            **{
                row.weight: number(row.excess) if row.below is None else f"< {row.below:.2g}"
                for row in rows
            },
        },
        pending=f"{len(waiting)} weights are being computed" if waiting or bayes is None else None,
    )


def _sentence(setting: TaskControls, rows: Sequence[AtBest], waiting: Sequence[str]) -> str:
    best = rows[0]
    first = (
        "Every dot is one way to turn scores into attention weights, at the temperature that suits"
        " it best and with k = k*, v = v*: the further left, the smaller its risk beyond the noise,"
        " and nothing lies left of Bayes."
    )
    so_far = " so far" if waiting else ""
    second = (
        f"Best{so_far} is {best.weight} (excess"
        f" {power(best.log_excess) if best.below is None else f'below {best.below:.1e}'})"
    )
    if setting.L > LONGEST_DRAWN:
        *most, last = kinds().simulated
        second += (
            f"; {', '.join(most)} and {last} have no exact risk and cannot be simulated"
            f" beyond {LONGEST_DRAWN:,} tokens"
        )
    elif any(row.below is not None for row in rows):
        second += (
            "; a triangle says that the excess lies further left: of simulated weights, which"
            " misread no sequence, only a bound is known"
        )
    return f"{first} {second}."


def _table(rows: Sequence[AtBest], setting: TaskControls) -> dict[str, list[Any]]:
    return {
        "weight": [row.weight for row in rows],
        "lam": [row.lam for row in rows],
        "excess": [number(row.excess) for row in rows],
        "log10_excess": [number(row.log_excess / math.log(10)) for row in rows],
        "standard_error": [row.error for row in rows],
        "risk": [number(row.excess + setting.eps**2) for row in rows],
        "sequences": [row.sequences for row in rows],
        "below": [row.below for row in rows],
    }


def _python(setting: TaskControls, rows: Sequence[AtBest]) -> str:
    exact = [row for row in rows if not row.sequences]
    drawn = [row for row in rows if row.sequences]
    small = any(row.log_excess < -700 for row in exact)
    risk = "log_excess_risk" if small else "excess_risk"
    of_weights = {type(row.attention) for row in rows}
    lines = [
        *imports_of(
            {*of_weights, Overlaps, SingleLocation},
            ["bayes_risk", risk, "linear_risk", "null_risk"],
        ),
        *(["from soloc.risk.simulated_scores import simulated_excess"] if drawn else []),
        "",
        setting.task_line(),
        "truth = Overlaps(kappa=1.0, nu=1.0)",
        (
            "bayes, linear, null = float(bayes_risk(task)), float(linear_risk(task)),"
            " float(null_risk(task))"
        ),
        "exact = [",
        *(f"    {constructor(row.attention)}," for row in exact),
        "]",
        (
            f"{'log_excess' if small else 'excess'} = [float({risk}(task, attention, truth)) for"
            " attention in exact]"
        ),
    ]
    if drawn:
        lines += ["simulated = [", *(f"    {constructor(row.attention)}," for row in drawn), "]"]
        lines += [
            "estimates = [simulated_excess(task, attention) for attention in simulated]  # value,"
            " error"
        ]
    return "\n".join(lines)


def constructor(attention: Any) -> str:
    """The Python expression that makes a weight."""
    given = []
    for field in fields(attention):
        value = getattr(attention, field.name)
        if field.name == "lam" or field.default is MISSING or value != field.default:
            given.append(f"{field.name}={value if isinstance(value, bool) else float(value)!r}")
    return f"{type(attention).__name__}({', '.join(given)})"


VIEW = View(
    name="attentions",
    tab=TAB,
    title="Which attention?",
    summary="Weights at their best temperature",
    draw=attentions_panel,
    job=attentions_job,
    seconds=SECONDS,
    slow=lambda ask: True,
    with_table=True,
    look=Look(height="560px", rest=250),
)
