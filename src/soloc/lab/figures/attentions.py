"""Weights at their best temperature as a Plotly figure: one line per weight, further left is
better.
"""

import math
from collections.abc import Sequence
from typing import Any

from soloc.lab.figures.glyphs import GAP, WIDTH, glyph
from soloc.risk.best_weight import AtBest

_DECADES = 8.0  # of the axis; smaller excesses are drawn at its end, their value beside the row
_EXACT, _SIMULATED, _WAITING = "#0072b2", "#d55e00", "#8a8f98"
_LINES = {
    "Bayes": ("#009e73", "solid"),
    "linear regression": ("#cc79a7", "dash"),
    "null": ("#8a8f98", "dot"),
}


def attentions_figure(
    rows: Sequence[AtBest], references: dict[str, float], waiting: Sequence[str]
) -> dict[str, Any]:
    """`references` are log excesses of Bayes, linear regression and null; `waiting` are weights
    still being computed.
    """
    order = [row.weight for row in sorted(rows, key=drawn_at)] + list(waiting)
    tens = [drawn_at(row) for row in rows] + [log / math.log(10) for log in references.values()]
    top = max(tens) + 0.25
    # beyond so many decades nothing differs any more
    lowest = min(max(top - _DECADES, min(tens) - 0.3), top - 1.0)
    exact = [row for row in rows if not row.sequences]
    drawn = [row for row in rows if row.sequences]
    data = [_line(name, log / math.log(10), lowest, order) for name, log in references.items()]
    if exact:
        data.append(_dots("exact", exact, lowest, _EXACT))
    if drawn:
        data.append(_dots("simulated", drawn, lowest, _SIMULATED))
    layout = {
        "xaxis": {
            "title": {"text": "excess risk R − ε²"},
            "type": "log",
            "range": [lowest - 0.03 * (top - lowest), top],
            "exponentformat": "power",
            "dtick": _tick(top - lowest),
            "zeroline": False,
        },
        "yaxis": {
            "type": "category",
            "categoryorder": "array",
            "categoryarray": order[::-1],
            "range": [-0.6, len(order) - 0.4],
            "automargin": True,
            "ticklabelstandoff": WIDTH + 2 * GAP,
        },
        "legend": {"orientation": "h", "x": 0, "xanchor": "left", "y": 1.01, "yanchor": "bottom"},
        "margin": {"l": 8, "r": 84, "t": 8, "b": 44},
        "hovermode": "closest",
        "shapes": [
            *(shape for row in rows for shape in glyph(row.weight, _colour(row))),
            *(shape for name in waiting for shape in glyph(name, _WAITING)),
        ],
        "annotations": [
            *(_at_end(row.weight, _value(row)) for row in rows),
            *(_at_end(name, "computing …") for name in waiting),
        ],
    }
    return {"data": data, "layout": layout}


def _colour(row: AtBest) -> str:
    return _SIMULATED if row.sequences else _EXACT


def _at_end(name: str, text: str) -> dict[str, Any]:
    """Words at the right end of a row."""
    beside = {"xref": "paper", "x": 1.0, "xanchor": "left", "yref": "y", "y": name}
    return {"text": f" {text}", "showarrow": False, **beside}


def _value(row: AtBest) -> str:
    return f"< {row.below:.1e}" if row.below is not None else _short(drawn_at(row))


def drawn_at(row: AtBest) -> float:
    """log10 of the excess; of its bound where a simulation saw no miss."""
    return math.log10(row.below) if row.below is not None else row.log_excess / math.log(10)


def written(row: AtBest) -> str:
    """The excess in words, however small."""
    if row.below is not None:
        return f"below {row.below:.1e}: no miss in {row.sequences:,} sequences"
    error = f" ± {row.error:.1g}" if row.sequences else ""
    return power(row.log_excess) + error


def power(log: float) -> str:
    """exp(log) to four digits, however small."""
    if log == -math.inf:
        return "0"
    tens = log / math.log(10)
    return f"{10.0**tens:.4g}" if tens > -300 else f"10^{tens:.6g}"


def _tick(span: float) -> int | str:
    """Ticks at powers of ten, about five of them; at 1, 2 and 5 where there are few powers."""
    return "D2" if span < 2.5 else max(1, round(span / 5))


def _line(name: str, tens: float, lowest: float, order: Sequence[str]) -> dict[str, Any]:
    """A vertical line through all weights, at the end of the axis when it lies beyond."""
    colour, dash = _LINES[name]
    at, beyond = 10.0 ** max(tens, lowest), "  ←" if tens < lowest else ""
    text = power(tens * math.log(10))
    return {
        "type": "scatter",
        "mode": "lines",
        "name": f"{name} {_short(tens)}{beyond}",
        "x": [at] * len(order),
        "y": list(order),
        "line": {"color": colour, "dash": dash, "width": 2},
        "hovertemplate": f"{name}<br>excess {text}<extra></extra>",
    }


def _short(tens: float) -> str:
    if tens == -math.inf:
        return "0"
    return f"{10.0**tens:.3g}" if tens > -300 else f"10^{tens:.3g}"


def _dots(name: str, rows: Sequence[AtBest], lowest: float, colour: str) -> dict[str, Any]:
    inside = [drawn_at(row) >= lowest and row.below is None for row in rows]
    at = [10.0 ** max(drawn_at(row), lowest) for row in rows]
    trace: dict[str, Any] = {
        "type": "scatter",
        "mode": "markers",
        "name": name,
        "x": at,
        "y": [row.weight for row in rows],
        "marker": {
            "color": colour,
            "size": 10,
            "symbol": ["circle" if shown else "triangle-left" for shown in inside],
        },
        "customdata": [[written(row), f"{row.lam:.4g}"] for row in rows],
        "hovertemplate": (
            "%{y}<br>excess %{customdata[0]}<br>best λ %{customdata[1]}<extra></extra>"
        ),
    }
    if name == "simulated":
        trace["error_x"] = {
            "type": "data",
            "array": [
                2 * row.error if shown else 0.0 for row, shown in zip(rows, inside, strict=True)
            ],
            "color": colour,
            "thickness": 1.5,
            "width": 4,
        }
    return trace
