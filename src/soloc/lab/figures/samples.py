"""Risk against n/d as a Plotly figure, and where the chosen learner stands on it."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from soloc.figures.palette import BLUE, GREEN, MUTED, ORANGE, RED
from soloc.lab.panel import drawn

TRAINED = "softmax, least squares"
LINES = {
    "linear": (MUTED, "dot"),
    TRAINED: (ORANGE, "dash"),
    "Bayes": (BLUE, "solid"),
    "Bayes, from the truth": (BLUE, "dash"),
    "known location": (GREEN, "dashdot"),
}
_TICKS = [0.25, 0.5, 1, 2, 4, 8, 16, 32, 64]


def samples_figure(table: pd.DataFrame, apart: Sequence[float]) -> dict[str, Any]:
    """Lines of theory, squares of one data set; open ones at the ratios where starts end apart."""
    data = []
    for name, (colour, dash) in LINES.items():
        rows = table[(table.curve == name) & (table.kind == "theory")]
        if len(rows) and name == TRAINED:  # a gap in the line
            gaps = pd.DataFrame({"samples_per_dimension": apart, "risk": np.nan})
            rows = pd.concat([rows, gaps], ignore_index=True) if len(gaps) else rows
        rows = rows.sort_values("samples_per_dimension")
        if len(rows):
            data.append(
                {
                    "type": "scatter",
                    "mode": "lines",
                    "name": name,
                    "x": drawn(rows.samples_per_dimension),
                    "y": drawn(rows.risk),
                    "line": {"color": colour, "width": 2, "dash": dash},
                    "hovertemplate": f"{name}<br>n/d %{{x}}<br>risk %{{y:.4g}}<extra></extra>",
                }
            )
    tested = table[table.kind == "simulation"]
    if len(tested):
        open_ = tested.samples_per_dimension.isin(apart)
        data.append(
            {
                "type": "scatter",
                "mode": "markers",
                "name": "the same, L-BFGS on one data set",
                "x": drawn(tested.samples_per_dimension),
                "y": drawn(tested.risk),
                "marker": {
                    "color": ORANGE,
                    "size": 8,
                    "symbol": ["square-open" if one else "square" for one in open_],
                },
                "hovertemplate": "L-BFGS, d = 80<br>n/d %{x}<br>risk %{y:.4g}<extra></extra>",
            }
        )
    layout = {
        "margin": {"l": 52, "r": 12, "t": 10, "b": 44},
        "hovermode": "closest",
        "legend": {"orientation": "h", "x": 0, "y": -0.2, "yanchor": "top"},
        "xaxis": {
            "type": "log",
            "tickvals": _TICKS,
            "ticktext": [f"{tick:g}" for tick in _TICKS],
            "title": {"text": "samples per dimension n/d", "standoff": 6},
        },
        "yaxis": {"title": {"text": "risk (replica-symmetric)"}, "rangemode": "tozero"},
    }
    return {"data": data, "layout": layout}


def learner_traces(ratio: float, risk: float, noise: float) -> list[dict[str, Any]]:
    """The chosen n/d, from the noise to the null risk, and the learner on its curve."""
    return [
        {
            "type": "scatter",
            "mode": "lines",
            "x": [ratio, ratio],
            "y": drawn([noise**2, 1.0 + noise**2]),
            "line": {"color": RED, "width": 1, "dash": "dot"},
            "showlegend": False,
            "hoverinfo": "skip",
        },
        {
            "type": "scatter",
            "mode": "markers",
            "name": "the learner below",
            "x": [ratio],
            "y": drawn([risk]),
            "marker": {"color": RED, "size": 11, "symbol": "diamond"},
            "hovertemplate": "the learner<br>n/d %{x}<br>risk %{y:.4g}<extra></extra>",
        },
    ]
