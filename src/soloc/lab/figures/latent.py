"""Error against length for three tasks, as a Plotly figure: lines exact, points simulated."""

from typing import Any

import pandas as pd

from soloc.lab.panel import drawn

COLOURS = {
    "Bayes": "#009e73",
    "softmax": "#0072b2",
    "CME": "#e69f00",
    "linear": "#cc79a7",
    "uniform": "#8a8f98",
}
SYMBOLS = {
    "Bayes": "circle-open",
    "softmax": "circle",
    "CME": "diamond",
    "linear": "square",
    "uniform": "triangle-up",
}
_GAP = 0.06


def latent_figure(
    curves: pd.DataFrame, points: pd.DataFrame | None, titles: dict[str, str], columns: int
) -> dict[str, Any]:
    """One panel per task, side by side or (with one column) below each other."""
    data: list[dict[str, Any]] = []
    layout: dict[str, Any] = {
        "legend": {
            "orientation": "h",
            "x": 0,
            "xanchor": "left",
            "y": -0.2 if columns > 1 else -0.09,
            "yanchor": "top",
        },
        "margin": {"l": 52, "r": 10, "t": 30, "b": 40},
        "hovermode": "closest",
        "annotations": [],
    }
    tasks = list(titles)
    named: set[str] = set()
    for place, task in enumerate(tasks):
        axes = {"xaxis": f"x{place + 1}", "yaxis": f"y{place + 1}"}
        for mechanism in COLOURS:
            rows = curves[(curves.task == task) & (curves.mechanism == mechanism)]
            seen = (
                None
                if points is None
                else points[(points.task == task) & (points.mechanism == mechanism)]
            )
            # there softmax is Bayes
            if len(rows) and not (mechanism == "softmax" and task == "SingleLocation"):
                data.append(_curve(rows, mechanism) | axes)
            if seen is not None and len(seen):
                data.append(_points(seen, mechanism, mechanism not in named) | axes)
                named.add(mechanism)
        layout |= _axes(place, len(tasks), columns)
        layout["annotations"].append(_title(place, len(tasks), columns, titles[task]))
    return {"data": data, "layout": layout}


def _curve(rows: pd.DataFrame, mechanism: str) -> dict[str, Any]:
    kind = rows.kind.iloc[0]
    said = "exact" if kind == "exact" else "limit for many tokens"
    return {
        "type": "scatter",
        "mode": "lines",
        "name": mechanism,
        "legendgroup": mechanism,
        "showlegend": False,
        "x": drawn(rows.L),
        "y": drawn(rows.error),
        "line": {
            "color": COLOURS[mechanism],
            "width": 2,
            "dash": "solid" if kind == "exact" else "dash",
        },
        "hovertemplate": f"{mechanism}, {said}<br>L %{{x}}<br>error %{{y:.4g}}<extra></extra>",
    }


def _points(rows: pd.DataFrame, mechanism: str, named: bool) -> dict[str, Any]:
    colour = COLOURS[mechanism]
    return {
        "type": "scatter",
        "mode": "markers",
        "name": mechanism,
        "legendgroup": mechanism,
        "showlegend": named,
        "x": drawn(rows.L),
        "y": drawn(rows.error),
        "error_y": {
            "type": "data",
            "array": drawn(2 * rows.standard_error),
            "color": colour,
            "thickness": 1.2,
            "width": 3,
        },
        "marker": {
            "color": colour,
            "symbol": SYMBOLS[mechanism],
            "size": 12 if mechanism == "Bayes" else 7,
            "line": {"width": 2 if mechanism == "Bayes" else 0, "color": colour},
        },
        "hovertemplate": f"{mechanism}, simulated<br>L %{{x}}<br>error %{{y:.4g}}<extra></extra>",
    }


def _place(place: int, count: int, columns: int) -> tuple[list[float], list[float]]:
    if columns == 1:
        height = (1 - 0.09 * (count - 1)) / count
        top = 1 - place * (height + 0.09)
        return [0.0, 1.0], [max(0.0, top - height), top]
    width = (1 - _GAP * (count - 1)) / count
    left = place * (width + _GAP)
    return [left, min(1.0, left + width)], [0.0, 1.0]


def _axes(place: int, count: int, columns: int) -> dict[str, Any]:
    across, up = _place(place, count, columns)
    number = "" if place == 0 else str(place + 1)
    x = {
        "type": "log",
        "domain": across,
        "anchor": f"y{number}",
        "dtick": 1,
        "exponentformat": "power",
    }
    y = {"type": "log", "domain": up, "anchor": f"x{number}", "exponentformat": "power", "dtick": 1}
    if columns > 1 or place == count - 1:
        x["title"] = {"text": "length L"}
    if columns == 1 or place == 0:
        y["title"] = {"text": "squared error"}
    return {f"xaxis{number}": x, f"yaxis{number}": y}


def _title(place: int, count: int, columns: int, text: str) -> dict[str, Any]:
    across, up = _place(place, count, columns)
    return {
        "text": f"<b>{text}</b>",
        "x": across[0],
        "y": up[1],
        "xref": "paper",
        "yref": "paper",
        "xanchor": "left",
        "yanchor": "bottom",
        "showarrow": False,
    }
