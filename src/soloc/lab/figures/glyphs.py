"""A small drawing of every weight, beside its row: the weight of a score, as a curve, or, where
all scores share one weight, what each of a few rising scores gets, as bars.
"""

from functools import lru_cache
from typing import Any

import jax
import numpy as np

from soloc.predictors.catalogue import by_label
from soloc.predictors.pointwise import Pointwise

WIDTH, HEIGHT = 24, 14  # pixels
GAP = 6  # between a glyph and the axis
_LEFT, _RIGHT = -WIDTH - GAP, -GAP
_SCORES = np.linspace(-2.0, 2.0, 17)  # of a curve
_RISING = np.linspace(-2.0, 2.0, 7)  # of bars
Stroke = list[tuple[float, float]]


@lru_cache(maxsize=256)
def weights_of(label: str) -> tuple[float, ...]:
    """What a weight of the catalogue gives to the scores of its glyph."""
    kind = by_label(label).kind
    weight = kind(1.0)
    if issubclass(kind, Pointwise):
        return tuple(np.asarray(weight.value(_SCORES), float).tolist())
    # as one program: every operation by itself would stay in memory as one
    return tuple(np.asarray(jax.jit(weight.__call__)(_RISING), float).tolist())


def glyph(label: str, colour: str) -> list[dict[str, Any]]:
    """Plotly shapes of the size of a letter, left of the axis, in the row of a weight: where a
    weight is 0, and the weights.
    """
    weights = np.array(weights_of(label))
    low, high = min(0.0, weights.min()), max(0.0, weights.max())
    up = HEIGHT * ((weights - low) / (high - low) - 0.5)
    zero = HEIGHT * (-low / (high - low) - 0.5)
    bars = len(weights) == len(_RISING)
    strokes = _bars(up, zero) if bars else [list(zip(_across(len(up)), up, strict=True))]
    return [
        _shape(label, [[(_LEFT, zero), (_RIGHT, zero)]], "#8a8f98", 0.75),
        _shape(label, strokes, colour, 2.4 if bars else 1.8),
    ]


def _across(points: int, inset: float = 0.0) -> np.ndarray:
    return np.linspace(_LEFT + inset, _RIGHT - inset, points)


def _bars(up: np.ndarray, zero: float) -> list[Stroke]:
    places = zip(_across(len(up), 1.5), up, strict=True)
    return [[(x, zero), (x, y)] for x, y in places if y > zero + 0.3]


def _shape(label: str, strokes: list[Stroke], colour: str, width: float) -> dict[str, Any]:
    """Strokes in pixels: across from the left end of the plot, up from the row of the weight."""
    path = "".join("M" + "L".join(f"{x:.1f},{y:.1f}" for x, y in stroke) for stroke in strokes)
    across = {"xref": "paper", "xsizemode": "pixel", "xanchor": 0}
    along = {"yref": "y", "ysizemode": "pixel", "yanchor": label}
    line = {"color": colour, "width": width}
    return {"type": "path", "path": path, "line": line, **across, **along}
