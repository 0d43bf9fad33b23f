"""What the figures of learning curves share: lines of theory, dots of algorithms, one label."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from soloc.figures.style import MUTED, logarithmic

RATIO = "samples per dimension $n/d$"
REPLICA = (
    "Lines: replica-symmetric theory, $n, d \\to \\infty$;"
    " dots: algorithms at finite $d$, ± one error"
)


def line(
    axis: Axes, rows: pd.DataFrame, column: str, colour: str, dash: object, label: str
) -> None:
    """A theoretical curve, with a gap where the starts of its simulation end apart."""
    rows = rows.sort_values("samples_per_dimension")
    sure = rows[column].where(rows.agrees.astype(bool))
    if sure.notna().any():
        axis.plot(rows.samples_per_dimension, sure, color=colour, linestyle=dash, label=label)


def dots(
    axis: Axes, rows: pd.DataFrame, column: str, error: str, colour: str, marker: str, label: str
) -> None:
    """Means over data sets; hollow where two starts end apart."""
    for agrees, part in rows.groupby(rows.agrees.astype(bool), sort=False):
        axis.errorbar(
            part.samples_per_dimension,
            part[column],
            part[error],
            color=colour,
            marker=marker,
            markersize=5,
            markerfacecolor=colour if agrees else "none",
            linestyle="none",
            linewidth=1.0,
            capsize=2,
            label=label if agrees else f"{label}, starts end apart",
        )


def finish(figure: Figure, axes: list[Axes]) -> None:
    """Logarithmic n/d and the note that these are replica results."""
    for axis in axes:
        logarithmic(axis, "x")
        axis.set_xlabel(RATIO)
    figure.suptitle(REPLICA, size=8, color=MUTED)
