"""Critical points of the landscape, marked with their type: slower than a slider, so they fill in
behind it.
"""

from typing import Any

import numpy as np
import pandas as pd
from pydantic import Field, model_validator

from soloc.dynamics.landscape import landscape
from soloc.lab.body import Body
from soloc.lab.controls import Controls
from soloc.lab.figures.landscape import critical_traces
from soloc.lab.lines import imports_of
from soloc.lab.panel import Panel, full
from soloc.lab.training import TAB
from soloc.lab.view import Look, View
from soloc.risk.overlaps import NAMES
from soloc.tasks.single_location import SingleLocation

STARTS = 24


class CriticalAsk(Body):
    """The setting whose critical points are wanted."""

    setting: Controls = Field(default=Controls())

    @model_validator(mode="after")
    def _has_closed_slopes(self) -> "CriticalAsk":
        if not self.setting.entry.closed_slopes:
            raise ValueError(
                "`weight` must have slopes that are closed forms, as erf, for critical points, got"
                f" {self.setting.weight}."
            )
        return self


def critical_panel(ask: CriticalAsk) -> Panel:
    """Zeros of the gradient on the product of spheres, found by a damped Newton method from many
    points.
    """
    try:
        found = landscape(ask.setting.task(), ask.setting.attention(), starts=STARTS)
    except np.linalg.LinAlgError:
        raise ValueError(
            "`lam` must be small enough for the landscape not to be flat to rounding, got"
            f" {ask.setting.lam}; take a smaller lam."
        ) from None
    kinds = found["kind"].value_counts()
    count = ", ".join(f"{number} {_plural(kind, number)}" for kind, number in kinds.items())
    columns = [*NAMES, "risk", "name", "kind", "descending", "rate"]
    traces = critical_traces(found)
    table: dict[str, list[Any]] = {name: full(found[name].to_numpy()) for name in columns}
    return Panel(
        figure={"data": traces, "layout": {}},
        table=table,
        python="\n".join(
            [
                *imports_of([ask.setting.entry.kind, SingleLocation]),
                "from soloc.dynamics.landscape import landscape",
                "",
                *ask.setting.lines(),
                f"landscape(task, attention, starts={STARTS})",
            ]
        ),
        sentence=(
            f"At a critical point the gradient vanishes: found were {count}, in all five overlaps. "
            "Each is marked at its kappa and nu, whatever its other overlaps."
        ),
        numbers={f"{_plural(kind, 2)}": int(number) for kind, number in kinds.items()}
        | {"lowest risk": _lowest(found)},
        overlays={"landscape": traces},
    )


def _plural(kind: str, number: int) -> str:
    if number == 1:
        return kind
    return {
        "minimum": "minima",
        "maximum": "maxima",
        "saddle": "saddles",
        "degenerate": "degenerate points",
    }[kind]


def _lowest(found: pd.DataFrame) -> float:
    return float(found["risk"].min())


VIEW = View(
    name="critical",
    tab=TAB,
    title="Critical points",
    summary="Critical points of the population risk",
    draw=critical_panel,
    slow=lambda ask: True,
    look=Look(hidden=True, rest=600),
)
