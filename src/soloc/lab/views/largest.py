"""Which attention where the largest score decides?: weights at their best against Bayes."""

import math
from collections.abc import Sequence
from typing import Annotated, ClassVar

from pydantic import Field

from soloc.lab.body import Body, Group, Knob
from soloc.lab.controls import Length
from soloc.lab.figures.attentions import attentions_figure, drawn_at, power
from soloc.lab.lines import imports_of
from soloc.lab.panel import Panel, number
from soloc.lab.view import Look, View
from soloc.lab.views.attentions import TAB, constructor
from soloc.predictors.catalogue import WEIGHTS
from soloc.predictors.normalised import Softmax
from soloc.risk.best_weight import AtBest, largest_at_best
from soloc.risk.overlaps import Overlaps
from soloc.tasks.max_location import MaxLocation


class LengthControls(Body):
    """The length alone: every other number of the setting means nothing here."""

    group: ClassVar[Group] = Group("setting", "Setting")
    L: Length = 10


class LargestAsk(Body):
    """How long the sequence is, and how surely the largest score decides."""

    setting: LengthControls = LengthControls()
    beta: Annotated[float, Knob("sharpness β of the choice", log=True, place="panel")] = Field(
        default=5.0, ge=0.1, le=100, description="J ~ softmax(β X k*); large: the argmax"
    )

    def task(self) -> MaxLocation:
        """The task of this setting."""
        return MaxLocation(L=self.setting.L, beta=self.beta)


def largest_panel(ask: LargestAsk) -> Panel:
    """The weights whose risk is exact where the largest score decides."""
    found = (largest_at_best(entry.label, ask.setting.L, ask.beta) for entry in WEIGHTS.values())
    rows = sorted((row for row in found if row is not None), key=drawn_at)
    task = ask.task()
    linear = float(task.linear_risk())
    references = {
        "Bayes": next(row.log_excess for row in rows if isinstance(row.attention, Softmax)),
        "linear regression": math.log(linear) if linear > 0 else -math.inf,
        "null": 0.0,
    }
    return Panel(
        figure=attentions_figure(rows, references, []),
        table={
            "weight": [row.weight for row in rows],
            "lam": [row.lam for row in rows],
            "excess": [number(row.excess) for row in rows],
        },
        python=_python(ask, rows),
        sentence=_sentence(rows),
        numbers={
            **{name: number(math.exp(log)) for name, log in references.items()},
            **{row.weight: number(row.excess) for row in rows},
        },
    )


def _sentence(rows: Sequence[AtBest]) -> str:
    return (
        "No token is marked here: the one with the largest score along k* decides, the more surely"
        f" the larger β. Softmax at λ = β is Bayes (excess {power(rows[0].log_excess)}); weights"
        " that look at one score at a time cannot compare tokens. Exact risks at the best λ, with"
        " k = k* and v = v*; the weights that are missing have none here."
    )


def _python(ask: LargestAsk, rows: Sequence[AtBest]) -> str:
    kinds = {type(row.attention) for row in rows}
    return "\n".join(
        [
            *imports_of({*kinds, Overlaps, MaxLocation}, ["excess_risk"]),
            "",
            f"task = MaxLocation(L={ask.setting.L!r}, beta={ask.beta!r})",
            "truth = Overlaps(kappa=1.0, nu=1.0)",
            "weights = [",
            *(f"    {constructor(row.attention)}," for row in rows),
            "]",
            "excess = [float(excess_risk(task, weight, truth)) for weight in weights]",
            "linear, null = task.linear_risk(), task.null_risk()",
        ]
    )


VIEW = View(
    name="largest",
    tab=TAB,
    title="And where the largest score decides?",
    summary="Weights at their best temperature where the largest score decides",
    draw=largest_panel,
    slow=lambda ask: True,
    with_table=True,
    look=Look(height="430px", rest=250),
)
