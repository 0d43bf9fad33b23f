"""Error against length for three tasks, as a Plotly figure: above each task a picture of it, lines
exact, points simulated, every line with its name at its end.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import pandas as pd

from soloc.lab.figures.latent_pictures import PICTURES
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
#: What each of them is, for whoever does not know the name.
WORDS = {
    "Bayes": "the best possible",
    "softmax": "attention",
    "CME": "kernel regression",
    "linear": "linear attention",
    "uniform": "plain average",
}
_GAP = 0.085
_APART = 0.09  # of the height of a plot, at least, between two names at the ends of lines


class _Place(NamedTuple):
    """Where a task stands: the plot, and the picture above it, in shares of the whole."""

    across: list[float]
    plot: list[float]
    picture: list[float]


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
            "y": -0.2 if columns > 1 else -0.07,
            "yanchor": "top",
        },
        "margin": {"l": 52, "r": 24, "t": 26, "b": 40},
        "hovermode": "closest",
        "annotations": [],
    }
    tasks = list(titles)
    named: set[str] = set()
    for number, task in enumerate(tasks):
        axes = _named(number)
        ends: dict[str, tuple[float, float]] = {}
        for mechanism in COLOURS:
            rows = curves[(curves.task == task) & (curves.mechanism == mechanism)]
            seen = (
                None
                if points is None
                else points[(points.task == task) & (points.mechanism == mechanism)]
            )
            # there softmax is Bayes
            is_bayes = mechanism == "softmax" and task == "SingleLocation"
            if seen is not None and len(seen):
                ends |= _end(mechanism, seen)
                data.append(_points(seen, mechanism, mechanism not in named) | axes)
                named.add(mechanism)
            if len(rows) and not is_bayes:
                ends |= _end(mechanism, rows)
                data.append(_curve(rows, mechanism, mechanism not in named) | axes)
                named.add(mechanism)
            if is_bayes:
                ends.pop(mechanism, None)
        place = _place(number, len(tasks), columns)
        layout |= _axes(number, len(tasks), columns, place)
        layout["annotations"] += [
            _title(place, titles[task]),
            *_names(ends, axes, _heights(data, axes)),
        ]
        data += _picture(task, len(tasks) + number, place, layout)
    return {"data": data, "layout": layout}


def _named(number: int) -> dict[str, str]:
    """The axes of that number, as Plotly calls them."""
    mark = "" if number == 0 else str(number + 1)
    return {"xaxis": f"x{mark}", "yaxis": f"y{mark}"}


def _end(mechanism: str, rows: pd.DataFrame) -> dict[str, tuple[float, float]]:
    """Where a line ends, in powers of ten; nowhere if there is no error left."""
    last = rows.loc[rows.L.idxmax()]
    return {mechanism: (math.log10(last.L), math.log10(last.error))} if last.error > 0 else {}


def _heights(data: Sequence[dict[str, Any]], axes: dict[str, str]) -> float:
    """How many powers of ten a plot spans."""
    here = [trace["y"] for trace in data if trace.get("yaxis") == axes["yaxis"]]
    errors = [error for line in here for error in line if error]
    return math.log10(max(errors) / min(errors)) if errors else 1.0


def _names(
    ends: dict[str, tuple[float, float]], axes: dict[str, str], span: float
) -> list[dict[str, Any]]:
    """Names right of the ends of lines, lifted where they would cover one another."""
    made, lowest = [], -math.inf
    for name, (x, y) in sorted(ends.items(), key=lambda item: item[1][1]):
        lowest = max(y, lowest + _APART * span)  # of all, wherever they end: there is room
        text = f'<span style="color:{COLOURS[name]}">●</span> {name}'
        at = {"xref": axes["xaxis"], "yref": axes["yaxis"], "x": x, "y": lowest}
        side = {"xanchor": "left", "yanchor": "middle", "xshift": 3, "showarrow": False}
        made.append({"text": text, **at, **side})
    return made


def _picture(task: str, number: int, place: _Place, layout: dict[str, Any]) -> list[dict[str, Any]]:
    """The picture of a task on axes of its own, with its words beside it."""
    left, right = place.across
    middle = left + 0.5 * (right - left)
    axes = _named(number)
    x, y = (axes[name].replace(name[0], name) for name in ("xaxis", "yaxis"))
    fixed = {"visible": False, "fixedrange": True}
    layout[x] = {"domain": [left, middle], "anchor": axes["yaxis"], "range": [-0.05, 1.05], **fixed}
    layout[y] = {"domain": place.picture, "anchor": axes["xaxis"], "range": [0.0, 1.0], **fixed}
    words = {"xref": "paper", "yref": "paper", "x": middle + 0.01, "y": sum(place.picture) / 2}
    side = {"xanchor": "left", "yanchor": "middle", "align": "left", "showarrow": False}
    layout["annotations"].append({"text": PICTURES[task].words, **words, **side})
    return [trace | axes for trace in PICTURES[task].traces]


def _curve(rows: pd.DataFrame, mechanism: str, named: bool) -> dict[str, Any]:
    kind = rows.kind.iloc[0]
    said = "exact" if kind == "exact" else "limit for many tokens"
    return {
        "type": "scatter",
        "mode": "lines",
        "name": f"{mechanism}: {WORDS[mechanism]}",
        "legendgroup": mechanism,
        "showlegend": named,
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
        "name": f"{mechanism}: {WORDS[mechanism]}",
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


def _place(number: int, count: int, columns: int) -> _Place:
    if columns == 1:
        height = (1 - 0.09 * (count - 1)) / count
        top = 1 - number * (height + 0.09)
        across, bottom = [0.0, 1.0], max(0.0, top - height)
    else:
        width = (1 - _GAP * (count - 1)) / count
        left = number * (width + _GAP)
        across, bottom, top = [left, min(1.0, left + width)], 0.0, 1.0
    height = top - bottom
    return _Place(across, [bottom, bottom + 0.74 * height], [bottom + 0.8 * height, top])


def _axes(number: int, count: int, columns: int, place: _Place) -> dict[str, Any]:
    mark = "" if number == 0 else str(number + 1)
    powers = {"type": "log", "dtick": 1, "exponentformat": "power"}
    x = {**powers, "domain": place.across, "anchor": f"y{mark}"}
    y = {**powers, "domain": place.plot, "anchor": f"x{mark}"}
    if columns > 1 or number == count - 1:
        x["title"] = {"text": "length L"}
    if columns == 1 or number == 0:
        y["title"] = {"text": "squared error"}
    return {f"xaxis{mark}": x, f"yaxis{mark}": y}


def _title(place: _Place, text: str) -> dict[str, Any]:
    return {
        "text": f"<b>{text}</b>",
        "x": place.across[0],
        "y": place.picture[1],
        "xref": "paper",
        "yref": "paper",
        "xanchor": "left",
        "yanchor": "bottom",
        "showarrow": False,
    }
