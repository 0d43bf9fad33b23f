"""A study of bags as Plotly figures: predictions of left-out bags, intervals, and the weights of
one bag's instances.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from soloc.lab.panel import drawn

_OURS, _POOL, _TRUTH = "#0072b2", "#8a8f98", "#d55e00"
_MOST_DOTS = 1500  # bags that are drawn
MOST_BARS = 64  # instances that are drawn
_MOST_WRITTEN = 160  # features of instances that are written as numbers


def numbers_figure(study: dict[str, Any], columns: int) -> dict[str, Any]:
    """Left-out predictions against labels, and intervals with the labels among them."""
    bags = {
        name: np.asarray(values, dtype=float)
        for name, values in study["bags"].items()
        if name not in ("bag", "decisive_name")
    }
    chosen = np.unique(np.linspace(0, len(bags["label"]) - 1, _MOST_DOTS).astype(int))
    names = np.asarray(study["bags"]["bag"], dtype=object)
    label = bags["label"][chosen]
    ends = [float(label.min()), float(label.max())]
    order = np.argsort(bags["prediction"])
    order = order[np.unique(np.linspace(0, len(order) - 1, _MOST_DOTS).astype(int))]
    rank = np.arange(len(order))
    first, second = {"xaxis": "x", "yaxis": "y"}, {"xaxis": "x2", "yaxis": "y2"}
    data = [
        {
            "type": "scatter",
            "mode": "lines",
            "x": ends,
            "y": ends,
            "showlegend": False,
            "hoverinfo": "skip",
            "line": {"color": _POOL, "dash": "dot", "width": 1},
            **first,
        },
        _dots(
            "mean-pool ridge",
            label,
            bags["mean_pool_prediction"][chosen],
            names[chosen],
            _POOL,
            "x-thin",
        )
        | first,
        _dots(
            "single location",
            label,
            bags["left_out_prediction"][chosen],
            names[chosen],
            _OURS,
            "circle",
        )
        | first,
        {
            "type": "scatter",
            "mode": "lines",
            "x": [*drawn(rank), *drawn(rank[::-1])],
            "y": [*drawn(bags["high"][order]), *drawn(bags["low"][order][::-1])],
            "fill": "toself",
            "fillcolor": "rgba(0,114,178,0.22)",
            "line": {"width": 0},
            "name": f"{100 * study['coverage']:.0f} % interval",
            "hoverinfo": "skip",
            **second,
        },
        {
            "type": "scatter",
            "mode": "markers",
            "x": drawn(rank),
            "y": drawn(bags["label"][order]),
            "name": "label",
            "text": names[order].tolist(),
            "marker": {"color": _TRUTH, "size": 4},
            "hovertemplate": "bag %{text}<br>label %{y:.4g}<extra></extra>",
            **second,
        },
    ]
    layout = _two(columns)
    layout["xaxis"]["title"], layout["yaxis"]["title"] = (
        {"text": "label"},
        {"text": "prediction when left out"},
    )
    layout["xaxis2"]["title"], layout["yaxis2"]["title"] = (
        {"text": "bags, by prediction"},
        {"text": "label and interval"},
    )
    return {"data": data, "layout": layout}


def classes_figure(study: dict[str, Any], columns: int) -> dict[str, Any]:
    """Which class was taken for which when left out, and the accuracies."""
    labels, predicted = (
        np.asarray(study["bags"][name], dtype=object).astype(str)
        for name in ("label", "left_out_prediction")
    )
    names = np.unique(labels)
    counts = np.array(
        [[int(np.sum((labels == true) & (predicted == said))) for said in names] for true in names]
    )
    keys = {
        "single location": "score",
        "mean-pool ridge": "mean_pool_score",
        "largest class": "constant_score",
    }
    scores = {name: study[key] for name, key in keys.items()}
    data = [
        {
            "type": "heatmap",
            "z": counts.tolist(),
            "x": names.tolist(),
            "y": names.tolist(),
            "text": counts.tolist(),
            "texttemplate": "%{text}",
            "colorscale": [[0, "rgba(0,114,178,0.06)"], [1, "rgba(0,114,178,0.75)"]],
            "showscale": False,
            "xgap": 2,
            "ygap": 2,
            "hovertemplate": "class %{y} taken for %{x}: %{z} bags<extra></extra>",
            "xaxis": "x",
            "yaxis": "y",
        },
        {
            "type": "bar",
            "x": list(scores),
            "y": list(scores.values()),
            "marker": {"color": [_OURS, _POOL, "#c9cfd6"]},
            "width": 0.55,
            "text": [f"{score:.3f}" for score in scores.values()],
            "textposition": "outside",
            "cliponaxis": False,
            "showlegend": False,
            "hovertemplate": "%{x}: %{y:.3f}<extra></extra>",
            "xaxis": "x2",
            "yaxis": "y2",
        },
    ]
    layout = _two(columns)
    layout["xaxis"] |= {
        "title": {"text": "predicted when left out"},
        "type": "category",
        "showgrid": False,
    }
    layout["yaxis"] |= {"title": {"text": "class"}, "type": "category", "showgrid": False}
    layout["yaxis2"] |= {"title": {"text": "accuracy when left out"}, "range": [0, 1.08]}
    return {"data": data, "layout": layout}


def bag_figure(
    names: Sequence[str],
    weights: np.ndarray,
    positions: np.ndarray,
    decisive: int,
    features: dict[str, np.ndarray],
) -> dict[str, Any]:
    """Attention weights of the instances of one bag, the decisive one in colour, above their
    features.
    """
    places = list(range(len(positions)))
    colours = [_TRUTH if at == decisive else _OURS for at in positions]
    data = [
        {
            "type": "bar",
            "x": places,
            "y": drawn(weights),
            "marker": {"color": colours},
            "customdata": [[name, int(at) + 1] for name, at in zip(names, positions, strict=True)],
            "hovertemplate": (
                "%{customdata[0]} (instance %{customdata[1]})<br>weight %{y:.4f}<extra></extra>"
            ),
        },
        _features(places, features),
    ]
    layout = {
        "xaxis": {
            "anchor": "y2",
            "tickvals": places,
            "ticktext": [_short(name) for name in names],
            "tickangle": -60 if len(names) > 8 else 0,
            "title": {"text": "instance"},
            "showgrid": False,
            "zeroline": False,
        },
        "yaxis": {"title": {"text": "weight"}, "range": [0, 1.05], "domain": [0.62, 1]},
        "yaxis2": {"domain": [0, 0.56], "autorange": "reversed", "showgrid": False},
        "margin": {"l": 52, "r": 8, "t": 8, "b": 44},
        "bargap": 0.25,
    }
    return {"data": data, "layout": layout}


def _features(places: Sequence[int], features: dict[str, np.ndarray]) -> dict[str, Any]:
    """A map of the features: each row in its own unit, from its smallest to its largest value."""
    values = np.asarray(list(features.values()), dtype=float).reshape(len(features), len(places))
    low = np.nanmin(values, axis=1, keepdims=True, initial=np.inf)
    spread = np.nanmax(values, axis=1, keepdims=True, initial=-np.inf) - low
    few = values.size <= _MOST_WRITTEN
    return {
        "type": "heatmap",
        "x": list(places),
        "y": list(features),
        "z": drawn((values - low) / np.where(spread > 0, spread, 1.0)),
        "customdata": drawn(values),
        "text": [[f"{value:.2g}" for value in row] for row in values] if few else None,
        "texttemplate": "%{text}" if few else None,
        "textfont": {"size": 10},
        "colorscale": [[0, "rgba(0,114,178,0.04)"], [1, "rgba(0,114,178,0.5)"]],
        "showscale": False,
        "xgap": 1,
        "ygap": 1,
        "xaxis": "x",
        "yaxis": "y2",
        "hovertemplate": "%{y} of this instance: %{customdata:.4g}<extra></extra>",
    }


def shown_instances(weights: np.ndarray) -> np.ndarray:
    """Positions that are drawn: all, or those of largest weight in their order."""
    if len(weights) <= MOST_BARS:
        return np.arange(len(weights))
    return np.sort(np.argsort(-weights, kind="stable")[:MOST_BARS])


def _short(name: str) -> str:
    return name if len(name) <= 12 else name[:11] + "…"


def _dots(
    name: str, x: np.ndarray, y: np.ndarray, bags: np.ndarray, colour: str, symbol: str
) -> dict[str, Any]:
    line = {"width": 1.2, "color": colour} if symbol == "x-thin" else {"width": 0}
    return {
        "type": "scatter",
        "mode": "markers",
        "name": name,
        "x": drawn(x),
        "y": drawn(y),
        "text": bags.tolist(),
        "marker": {"color": colour, "size": 6, "symbol": symbol, "line": line, "opacity": 0.85},
        "hovertemplate": f"bag %{{text}}<br>label %{{x:.4g}}<br>{name} %{{y:.4g}}<extra></extra>",
    }


def _two(columns: int) -> dict[str, Any]:
    """Two panels side by side, or below each other."""
    across = ([0.0, 0.45], [0.56, 1.0]) if columns > 1 else ([0.0, 1.0], [0.0, 1.0])
    up = ([0.0, 1.0], [0.0, 1.0]) if columns > 1 else ([0.58, 1.0], [0.0, 0.4])
    return {
        "xaxis": {"domain": across[0], "anchor": "y"},
        "yaxis": {"domain": up[0], "anchor": "x"},
        "xaxis2": {"domain": across[1], "anchor": "y2"},
        "yaxis2": {"domain": up[1], "anchor": "x2"},
        "legend": {"orientation": "h", "x": 0, "xanchor": "left", "y": 1.02, "yanchor": "bottom"},
        "margin": {"l": 52, "r": 10, "t": 8, "b": 44},
        "hovermode": "closest",
    }
