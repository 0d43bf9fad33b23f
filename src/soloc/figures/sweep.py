"""Any two axes of a sweep: a map of colours, or a curve for every value of the second."""

from collections.abc import Sequence

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from soloc.figures.style import DASHES, MARKERS, SEQUENTIAL, logarithmic, panels

_CURVES = 8  # more than these are told apart by a scale of colours


def axes_of(table: pd.DataFrame, grid: Sequence[str]) -> list[str]:
    """Columns of the grid that take several values."""
    return [name for name in grid if name in table and table[name].nunique() > 1]


def figure(table: pd.DataFrame, x: str, y: str, value: str, as_map: bool) -> Figure:
    """`value` over the axes x and y, its mean where other axes have several values."""
    means = table.groupby([x, y], sort=True)[value].mean().unstack(y)
    figure, (axis,) = panels(1, 1, width=6.4, height=4.4)
    (_map if as_map else _curves)(axis, means, value)
    return figure


def _map(axis: Axes, means: pd.DataFrame, value: str) -> None:
    numbers = [_positions(index) for index in (means.index, means.columns)]
    mesh = axis.pcolormesh(*numbers, means.to_numpy().T, cmap=SEQUENTIAL, shading="nearest")
    mesh.set_rasterized(True)
    axis.grid(visible=False)
    axis.set(xlabel=str(means.index.name), ylabel=str(means.columns.name))
    axis.figure.colorbar(mesh, ax=axis, label=value)
    for name, index in (("x", means.index), ("y", means.columns)):
        if _is_logarithmic(index):
            logarithmic(axis, name)
        elif index.dtype.kind not in "iuf":
            getattr(axis, f"set_{name}ticks")(range(len(index)), [str(word) for word in index])


def _curves(axis: Axes, means: pd.DataFrame, value: str) -> None:
    many = len(means.columns) > _CURVES
    colours = matplotlib.colormaps[SEQUENTIAL](np.linspace(0.15, 1.0, len(means.columns)))
    for i, name in enumerate(means.columns):
        label = f"{name:g}" if isinstance(name, (int, float)) else str(name)
        look = {"color": colours[i]} if many else {"marker": MARKERS[i % 6], "ls": DASHES[i % 6]}
        axis.plot(_positions(means.index), means[name], label=label, **look)
    axis.set(xlabel=str(means.index.name), ylabel=value)
    axis.legend(title=str(means.columns.name), ncols=2 if many else 1)
    if _is_logarithmic(means.index):
        logarithmic(axis, "x")


def _positions(index: pd.Index) -> np.ndarray:
    """Where values are drawn: numbers where they are, words one after the other."""
    return index.to_numpy() if index.dtype.kind in "iuf" else np.arange(len(index))


def _is_logarithmic(index: pd.Index) -> bool:
    """Whether values that a person has spread evenly in the logarithm should be drawn so."""
    if index.dtype.kind not in "iuf" or len(index) < 3 or index.min() <= 0:
        return False
    steps, ratios = np.diff(index), np.diff(np.log(index))
    return bool(np.ptp(ratios) / ratios.mean() < np.ptp(steps) / steps.mean())
