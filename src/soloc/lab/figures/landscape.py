"""The landscape as a Plotly figure: a map of the risk, coloured by its logarithm, with level lines.

A small smoothed map under coarse level lines repaints in a quarter of the time of Plotly's filled
contours, and looks the same.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from soloc.lab.panel import drawn, packed

if TYPE_CHECKING:
    import pandas as pd

_LINES_GRID = 30  # cells along an axis of the level lines
# the colours tell apart risks above this, and within so many decades below the highest
_FLOOR, _DECADES = 1e-12, 4.0
#: cividis, dark where the risk is low: made for every common colour vision.
CIVIDIS = [
    [0.0, "#00224e"],
    [0.125, "#123570"],
    [0.25, "#3b496c"],
    [0.375, "#575d6d"],
    [0.5, "#707173"],
    [0.625, "#8a8678"],
    [0.75, "#a59c74"],
    [0.875, "#c3b369"],
    [1.0, "#fee838"],
]


def landscape_figure(axis: np.ndarray, risk: np.ndarray) -> dict[str, Any]:
    """Risk (rows by nu, columns by kappa) over the alignments."""
    height = np.log10(np.maximum(risk, _FLOOR))
    high = float(np.nanmax(height)) if np.isfinite(height).any() else 0.0
    low = max(float(np.nanmin(height)), high - _DECADES) if np.isfinite(height).any() else -1.0
    bottom, top = low, max(high, low + 1e-6)
    values, labels = _ticks(bottom, top)
    surface = {
        "type": "heatmap",
        "zsmooth": "fast",
        "name": "risk",
        "x": drawn(axis, 4),
        "y": drawn(axis, 4),
        "z": packed(height),
        "customdata": packed(risk),
        "zmin": bottom,
        "zmax": top,
        "colorscale": CIVIDIS,
        "colorbar": {
            "title": {"text": "risk", "side": "top"},
            "tickvals": values,
            "ticktext": labels,
            "thickness": 10,
            "outlinewidth": 0,
            "len": 0.98,
            "xpad": 6,
        },
        "hovertemplate": "κ %{x:.2f}, ν %{y:.2f}<br>risk %{customdata:.4g}<extra></extra>",
    }
    every = max(1, (len(axis) - 1) // _LINES_GRID)
    lines = {
        "type": "contour",
        "x": drawn(axis[::every], 4),
        "y": drawn(axis[::every], 4),
        "z": packed(height[::every, ::every]),
        "contours": {"coloring": "none", "start": bottom, "end": top, "size": (top - bottom) / 14},
        "line": {"width": 0.7, "color": "rgba(255,255,255,0.3)"},
        "showscale": False,
        "hoverinfo": "skip",
    }
    square = {"range": [-1, 1], "constrain": "domain", "zeroline": False}
    layout = {
        "xaxis": {"title": {"text": "κ = k·k*  (finds)"}, **square},
        "yaxis": {"title": {"text": "ν = v·v*  (reads)"}, "scaleanchor": "x", **square},
        "showlegend": False,
        "margin": {"l": 52, "r": 8, "t": 8, "b": 44},
    }
    return {"data": [surface, lines], "layout": layout}


def _ticks(low: float, high: float) -> tuple[list[float], list[str]]:
    """Round risks between two heights, about five of them."""
    decades = range(int(np.floor(low)), int(np.ceil(high)) + 1)
    for factors in ((1.0, 1.5, 2.0, 3.0, 5.0, 7.0), (1.0, 2.0, 5.0), (1.0, 3.0), (1.0,)):
        ticks = [factor * 10.0**decade for decade in decades for factor in factors]
        ticks = [tick for tick in ticks if low <= np.log10(tick) <= high]
        if len(ticks) <= 7:
            break
    else:
        ticks = ticks[:: len(ticks) // 6 + 1]
    if len(ticks) < 2:
        ticks = [10.0**low, 10.0**high]
    return [float(np.log10(tick)) for tick in ticks], [f"{tick:.3g}" for tick in ticks]


_CORNER = 0.5  # beyond, a label stands inside of the map


def _word(point: Any, first: bool) -> str:
    """What a critical point is called; those that lie on one place, or are many, are named once."""
    if point.name == "solution":
        return "solution" if point.kappa > 0 else "its mirror image"
    if point.name == "swapped":
        return "swapped minimum" if point.eta > 0 else ""
    return str(point.kind) if first else ""


def _beside(point: Any) -> str:
    up = "bottom" if point.nu > _CORNER else "top" if point.nu < -_CORNER else "bottom"
    side = "left" if point.kappa > _CORNER else "right" if point.kappa < -_CORNER else "center"
    return f"{up} {side}"


_SYMBOLS = {
    "minimum": "circle",
    "saddle": "x-thin",
    "maximum": "triangle-up",
    "degenerate": "diamond",
}


def critical_traces(found: "pd.DataFrame") -> list[dict[str, Any]]:
    """Markers at the critical points, one trace per kind: full where key and value are on the
    manifold, open elsewhere.
    """
    traces = []
    for kind, points in found.groupby("kind", sort=True):
        off = (points[["theta", "eta", "rho"]].abs().max(axis=1) > 1e-3).to_numpy()
        symbol = _SYMBOLS[str(kind)]
        traces.append(
            {
                "type": "scatter",
                "mode": "markers+text",
                "name": str(kind),
                "text": [_word(row, points.index[0] == row.Index) for row in points.itertuples()],
                "textposition": [_beside(row) for row in points.itertuples()],
                "textfont": {"color": "#ffffff", "size": 11},
                "cliponaxis": False,
                "x": drawn(points["kappa"], 4),
                "y": drawn(points["nu"], 4),
                "customdata": [
                    [
                        f"{row.theta:.2f}",
                        f"{row.eta:.2f}",
                        f"{row.rho:.2f}",
                        f"{row.risk:.4g}",
                        int(row.descending),
                    ]
                    for row in points.itertuples()
                ],
                "marker": {
                    "symbol": [
                        symbol if symbol == "x-thin" or not away else f"{symbol}-open"
                        for away in off
                    ],
                    "size": 9,
                    "color": "#ffffff",
                    "line": {"color": "#ffffff" if symbol == "x-thin" else "#101010", "width": 1.6},
                },
                "hovertemplate": (
                    f"{kind}: κ %{{x:.3f}}, ν %{{y:.3f}}<br>θ %{{customdata[0]}},"
                    " η %{customdata[1]}, ρ %{customdata[2]}"
                    "<br>risk %{customdata[3]}, falls in %{customdata[4]} directions<extra></extra>"
                ),
            }
        )
    return traces
