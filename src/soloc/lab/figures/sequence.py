"""One sequence as a Plotly figure: attention above, posterior below, and the guesses on a line."""

from typing import Any

import numpy as np

from soloc.figures.palette import BLUE, GREEN, MUTED
from soloc.lab.panel import drawn
from soloc.risk.one_sequence import OneSequence

SHOWN = 64
# of them, the tokens with the most attention and, as many again, with the most posterior
_CHOSEN = 12
_DECISIVE = "#e69f00"


def shown_tokens(seen: OneSequence) -> np.ndarray:
    """At most 64 tokens in their order: the decisive one, those that attention and Bayes prefer,
    others evenly spaced.
    """
    length = len(seen.weights)
    if length <= SHOWN:
        return np.arange(length)
    preferred = [
        seen.location,
        *np.argsort(-np.abs(seen.weights))[:_CHOSEN],
        *np.argsort(-seen.posterior)[:_CHOSEN],
    ]
    chosen = dict.fromkeys(int(token) for token in preferred)
    for token in np.linspace(0, length - 1, SHOWN).astype(int):
        if len(chosen) == SHOWN:
            break
        chosen.setdefault(int(token))
    return np.sort(np.asarray(list(chosen)))


def sequence_figure(seen: OneSequence, tokens: np.ndarray) -> dict[str, Any]:
    """Bars for the shown tokens, the decisive one apart, and a line with answer and guesses."""
    here = tokens == seen.location
    places, labels = list(range(len(tokens))), [f"{token:,}" for token in tokens]
    data: list[dict[str, Any]] = []
    for axis, heights, name, color in (
        ("", seen.weights, "attention", BLUE),
        ("2", seen.posterior, "posterior", GREEN),
    ):
        data.append(
            {
                "type": "bar",
                "x": places,
                "y": drawn(heights[tokens], 5),
                "customdata": labels,
                "name": name,
                "xaxis": "x",
                "yaxis": f"y{axis}",
                "marker": {
                    "color": [_DECISIVE if decisive else color for decisive in here],
                    "line": {"width": 0},
                },
                "hovertemplate": f"token %{{customdata}}<br>{name} %{{y:.4g}}<extra></extra>",
            }
        )
    guesses = {
        "answer": (seen.answer, "diamond", _DECISIVE),
        "attention": (seen.prediction, "circle", BLUE),
    }
    guesses["Bayes"] = (seen.bayes, "square", GREEN)
    values = np.asarray([guess[0] for guess in guesses.values()])
    # zero belongs to the line, so that guesses near the answer look near
    ends = np.asarray([min(0.0, values.min()), max(0.0, values.max())])
    middle, half = ends.mean(), 0.6 * max(float(np.ptp(ends)), 1e-12)
    for row, (name, (value, symbol, color)) in enumerate(guesses.items()):
        data.append(
            {
                "type": "scatter",
                "mode": "markers+text",
                "x": drawn([value]),
                "y": [2 - row],
                "text": [f"{value:.3g}"],
                "textposition": "middle left" if value > middle else "middle right",
                "cliponaxis": False,
                "name": name,
                "xaxis": "x2",
                "yaxis": "y3",
                "marker": {"symbol": symbol, "size": 11, "color": color},
                "hovertemplate": f"{name} %{{x:.4g}}<extra></extra>",
            }
        )
    every = max(1, len(tokens) // 8)
    bars = {"zeroline": True, "nticks": 4, "tickformat": ".2~g"}
    layout = {
        "showlegend": False,
        "bargap": 0.25,
        "margin": {"l": 64, "r": 20, "t": 10, "b": 36},
        "xaxis": {
            "domain": [0, 1],
            "anchor": "y2",
            "tickvals": places[::every],
            "ticktext": labels[::every],
            "showgrid": False,
            "zeroline": False,
            "title": {"text": "token", "standoff": 4},
            "range": [-0.6, len(tokens) - 0.4],
        },
        "yaxis": {
            "domain": [0.70, 1],
            "anchor": "x",
            "title": {"text": "attention"},
            **_range(seen.weights[tokens]),
            **bars,
        },
        "yaxis2": {
            "domain": [0.36, 0.64],
            "anchor": "x",
            "title": {"text": "posterior"},
            "range": [0, 1.02],
            **bars,
        },
        "xaxis2": {
            "domain": [0, 1],
            "anchor": "y3",
            "zeroline": True,
            "range": [middle - half, middle + half],
            "title": {"text": "answer and guesses", "standoff": 4},
        },
        "yaxis3": {
            "domain": [0, 0.18],
            "anchor": "x2",
            "tickvals": [2, 1, 0],
            "ticktext": list(guesses),
            "range": [-0.7, 2.7],
        },
        "shapes": [
            {
                "type": "line",
                "xref": "x2",
                "yref": "y3 domain",
                "x0": seen.answer,
                "x1": seen.answer,
                "y0": 0,
                "y1": 1,
                "line": {"color": MUTED, "width": 1, "dash": "dot"},
            }
        ],
    }
    return {"data": data, "layout": layout}


def _range(weights: np.ndarray) -> dict[str, Any]:
    """An axis that stands still while weights of at most 1 are trained; others find their own."""
    if np.abs(weights).max() > 1.0:
        return {}
    return {"range": [-0.3 if weights.min() >= -0.3 else -1.05, 1.05]}
