"""Training of several heads as a Plotly figure: risks, and room for two matrices of alignments.

The matrices are those of one run at one moment: the page draws them, from the table.
"""

from typing import Any

import pandas as pd

from soloc.figures.palette import GREEN, RED
from soloc.lab.figures.curves import RUN_COLORS
from soloc.lab.panel import drawn

_STATE_COLORS = (RED, GREEN)
# where the risk, the keys and the values stand: (left, right, bottom, top)
_BESIDE = ((0.0, 0.5, 0.0, 1.0), (0.6, 0.78, 0.0, 1.0), (0.82, 1.0, 0.0, 1.0))
_BELOW = ((0.0, 1.0, 0.5, 1.0), (0.08, 0.5, 0.0, 0.36), (0.58, 1.0, 0.0, 0.36))


def heads_figure(
    table: pd.DataFrame | None,
    states: dict[str, float],
    size: tuple[int, int],
    steps: int,
    columns: int,
) -> dict[str, Any]:
    """Risk of every run against the step beside that of known states; `table` None has no runs.

    `size` are the numbers of heads and of kinds.
    """
    heads, kinds = size
    risk, keys, values = _BESIDE if columns == 2 else _BELOW
    layout: dict[str, Any] = {
        "hovermode": "closest",
        "margin": {"l": 56, "r": 10, "t": 30, "b": 44},
        "xaxis": {
            "domain": risk[:2],
            "anchor": "y",
            "title": {"text": "step", "standoff": 4},
            "zeroline": False,
            "nticks": 5,
            "exponentformat": "SI",
        },
        "yaxis": {
            "domain": risk[2:],
            "anchor": "x",
            "type": "log",
            "dtick": "D2",
            "tickformat": "~g",
            "zeroline": False,
            "title": {"text": "risk"},
        },
        "legend": {
            "x": risk[1],
            "xanchor": "right",
            "y": risk[3],
            "yanchor": "top",
        },
        "annotations": [
            _heading("keys, k<sub>h</sub> · k*<sub>g</sub>", keys),
            _heading("values, v<sub>h</sub> · v*<sub>g</sub>", values),
        ],
    }
    for mark, place in (("2", keys), ("3", values)):
        layout[f"xaxis{mark}"] = _matrix_axis("kind", kinds, place[:2], f"y{mark}")
        layout[f"yaxis{mark}"] = _matrix_axis("head", heads, place[2:], f"x{mark}") | {
            "autorange": "reversed",
            "showticklabels": mark == "2",
        }
    data: list[dict[str, Any]] = [
        {
            "type": "scatter",
            "mode": "lines",
            "x": [0, steps],
            "y": drawn([value, value], 5),
            "name": name,
            "line": {"color": colour, "dash": "dash", "width": 1.6},
            "hovertemplate": f"{name}<br>risk %{{y:.4g}}<extra></extra>",
        }
        for (name, value), colour in zip(states.items(), _STATE_COLORS, strict=False)
    ]
    for run, rows in table.groupby("run") if table is not None else ():
        data.append(
            {
                "type": "scatter",
                "mode": "lines",
                "x": drawn(rows.step, 7),
                "y": drawn(rows.risk.where(rows.risk > 0.0), 5),
                "name": f"run {run}",
                "showlegend": False,
                "line": {"width": 1.6, "color": RUN_COLORS[int(run) % len(RUN_COLORS)]},
                "hovertemplate": f"run {run}, step %{{x}}<br>risk %{{y:.4g}}<extra></extra>",
            }
        )
    return {"data": data, "layout": layout}


def _heading(text: str, place: tuple[float, ...]) -> dict[str, Any]:
    return {
        "text": text,
        "xref": "paper",
        "yref": "paper",
        "x": 0.5 * (place[0] + place[1]),
        "y": place[3],
        "xanchor": "center",
        "yanchor": "bottom",
        "showarrow": False,
        "font": {"size": 12},
    }


def _matrix_axis(name: str, count: int, domain: tuple[float, ...], anchor: str) -> dict[str, Any]:
    return {
        "domain": domain,
        "anchor": anchor,
        "tickvals": list(range(count)),
        "ticktext": [f"{name} {i + 1}" for i in range(count)],
        "range": [-0.5, count - 0.5],
        "showgrid": False,
        "zeroline": False,
        "ticks": "",
    }
