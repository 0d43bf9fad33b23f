"""Training paths as Plotly figures: small plots of what changes along them, and lines for the
landscape.
"""

from typing import Any

import numpy as np
import pandas as pd

from soloc.figures.palette import BLUE, GREEN, ORANGE, PINK, RED, SKY
from soloc.lab.panel import drawn

#: One colour per run; two more than the house palette, still told apart by lightness.
RUN_COLORS = (BLUE, ORANGE, GREEN, RED, SKY, PINK, "#b8a100", "#8c8c8c")
_PLOTS = {
    "risk": ("risk", "log"),
    "excess": ("excess over Bayes", "log"),
    "kappa": ("κ = k·k*", "linear"),
    "nu": ("ν = v·v*", "linear"),
    "distance": ("distance to the manifold", "linear"),
    "lam": ("λ", "linear"),
}
_GAP_X, _GAP_Y = 0.13, 0.10


def curves_figure(table: pd.DataFrame, columns: int, logarithmic: bool) -> dict[str, Any]:
    """Small plots, one per quantity that moves, that share their steps; `table` is that of a path.
    On a logarithmic axis step 0 has no place.
    """
    names = [name for name in _PLOTS if _moves(table, name)]
    rows = -(-len(names) // columns)
    data: list[dict[str, Any]] = []
    margin = {"l": 48, "r": 10, "t": 22, "b": 36}
    layout: dict[str, Any] = {
        "showlegend": False,
        "hovermode": "closest",
        "annotations": [],
        "margin": margin,
    }
    steps = drawn(table.loc[table["run"] == 0, "step"], 7)
    time = {"type": "log", "dtick": 1, "exponentformat": "power"} if logarithmic else {"nticks": 5}
    for place, name in enumerate(names):
        title, scale = _PLOTS[name]
        mark = "" if place == 0 else str(place + 1)
        left, right, bottom, top = _cell(place // columns, place % columns, rows, columns)
        lowest_row = place + columns >= len(names)
        layout[f"xaxis{mark}"] = {
            "domain": [left, right],
            "anchor": f"y{mark}",
            "showticklabels": lowest_row,
            "zeroline": False,
            "title": {"text": "step" if lowest_row else "", "standoff": 4},
            "matches": "x" if place else None,
            "exponentformat": "SI",
            **time,
        }
        layout[f"yaxis{mark}"] = {
            "domain": [bottom, top],
            "anchor": f"x{mark}",
            "type": scale,
            "zeroline": False,
            "nticks": 5,
            **({"tickformat": ".2~g"} if scale == "linear" else {"exponentformat": "power"}),
            **(
                {"range": [-1.05, 1.05]}
                if name in ("kappa", "nu")
                else {"rangemode": "tozero"}
                if scale == "linear"
                else {}
            ),
        }
        layout["annotations"].append(
            {
                "text": title,
                "xref": "paper",
                "yref": "paper",
                "x": left,
                "y": top,
                "xanchor": "left",
                "yanchor": "bottom",
                "showarrow": False,
                "font": {"size": 12},
            }
        )
        for run, rows_of_run in table.groupby("run"):
            data.append(
                {
                    "type": "scatter",
                    "mode": "lines",
                    "x": steps,
                    "y": _positive(rows_of_run[name], scale),
                    "name": f"run {run}",
                    "xaxis": f"x{mark}",
                    "yaxis": f"y{mark}",
                    "line": {"width": 1.6, "color": RUN_COLORS[int(run) % len(RUN_COLORS)]},
                    "hovertemplate": f"run {run}, step %{{x}}<br>{title} %{{y:.4g}}<extra></extra>",
                }
            )
    return {"data": data, "layout": layout}


def _moves(table: pd.DataFrame, name: str) -> bool:
    """Whether there is something to see: no constant, and no second drawing of the risk."""
    if name not in table or (name == "excess" and np.allclose(table[name], table["risk"], 1e-9)):
        return False
    return name == "risk" or not np.allclose(table[name], table[name].iloc[0], 1e-9, 1e-12)


def path_traces(table: pd.DataFrame) -> list[dict[str, Any]]:
    """One line per run over the landscape, in its colour."""
    return [
        {
            "type": "scatter",
            "mode": "lines",
            "x": drawn(rows["kappa"], 4),
            "y": drawn(rows["nu"], 4),
            "name": f"run {run}",
            "line": {"width": 2.4, "color": RUN_COLORS[int(run) % len(RUN_COLORS)]},
            "hoverinfo": "skip",
        }
        for run, rows in table.groupby("run")
    ]


def _positive(values: pd.Series, scale: str) -> list[Any]:
    return drawn(values.where(values > 0.0) if scale == "log" else values, 5)


def _cell(row: int, column: int, rows: int, columns: int) -> tuple[float, float, float, float]:
    width = (1.0 - _GAP_X * (columns - 1)) / columns
    gap = _GAP_Y * 3 / max(rows, 3)
    height = (1.0 - gap * (rows - 1)) / rows
    left, top = column * (width + _GAP_X), 1.0 - row * (height + gap)
    return left, left + width, top - height, top
