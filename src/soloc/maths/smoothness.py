"""Where a function of one number jumps or bends: the place, found by halving.

A smooth function is soon a polynomial on smaller and smaller panels; one that jumps or bends in a
panel never is on the half that holds the place.
"""

from collections.abc import Callable, Sequence

import numpy as np

_ORDER = 12
_FIRST, _DOUBLINGS = 0.737, 12  # first panels around 0 and the seams, twice as long ever after
_HALVINGS = 20
_SUSPECT, _ROUGH = 1e-6, 1e-9  # how far from a polynomial, first and after halving
_FLOOR = 1e-3  # values are compared with the largest closer to 0, too: a tail may be rounding
_AT_ONCE = 64  # panels that are followed


def rough_place(
    function: Callable[[np.ndarray], np.ndarray], seams: Sequence[float]
) -> float | None:
    """A place other than the seams at which the function is not smooth, the one closest to 0.

    It is looked for within 1,500 of 0 and of every seam. None when there is none.
    """
    steps = _FIRST * 2.0 ** np.arange(_DOUBLINGS)
    around = [[seam - steps, seam + steps] for seam in (0.0, *seams)]
    edges = np.unique(np.concatenate([np.ravel(around), seams]))
    panels = np.stack([edges[:-1], edges[1:]], axis=1)
    panels = panels[_from_zero_out(panels)]
    away, size = _far_from_a_polynomial(function, panels)
    floor = _FLOOR * np.maximum.accumulate(size)
    suspect = away > _SUSPECT * np.maximum(size, floor)
    panels, floor = panels[suspect], floor[suspect]
    for _ in range(_HALVINGS):
        if not len(panels):
            return None
        middle = panels.mean(axis=1)
        left, right = np.stack([panels[:, 0], middle]), np.stack([middle, panels[:, 1]])
        panels, floor = np.hstack([left, right]).T, np.tile(floor, 2)
        away, size = _far_from_a_polynomial(function, panels)
        rough = away > _ROUGH * np.maximum(size, floor)
        panels, floor = panels[rough], floor[rough]
        nearest = _from_zero_out(panels)[:_AT_ONCE]
        panels, floor = panels[nearest], floor[nearest]
    return float(panels[0].mean()) if len(panels) else None


def _from_zero_out(panels: np.ndarray) -> np.ndarray:
    return np.argsort(np.abs(panels).min(axis=1), kind="stable")


_NODES = np.polynomial.legendre.leggauss(_ORDER)[0]
_INSIDE = 1.0 - 1e-7  # a seam belongs to one side
#: nodes of both halves and, since a place may be beyond them, the ends
_BETWEEN = np.concatenate([0.5 * (_NODES - 1.0), 0.5 * (_NODES + 1.0), [-_INSIDE, _INSIDE]])
_POLYNOMIAL = np.linalg.solve(
    np.polynomial.legendre.legvander(_NODES, _ORDER - 1).T,
    np.polynomial.legendre.legvander(_BETWEEN, _ORDER - 1).T,
).T


def _far_from_a_polynomial(
    function: Callable[[np.ndarray], np.ndarray], panels: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Largest distance from the polynomial through the nodes of each panel, and largest value.

    Both are 0 where the function is not finite.
    """
    middle, half = panels.mean(axis=1)[:, None], 0.5 * np.diff(panels, axis=1)
    x = middle + half * np.concatenate([_NODES, _BETWEEN])
    with np.errstate(all="ignore"):
        y = np.asarray(function(x), float)
        y = np.where(np.isfinite(y).all(axis=1, keepdims=True), y, 0.0)
        away = np.abs(y[:, :_ORDER] @ _POLYNOMIAL.T - y[:, _ORDER:]).max(axis=1)
    return np.where(np.isfinite(away), away, 0.0), np.abs(y).max(axis=1)
