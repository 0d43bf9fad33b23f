"""Risks of soft and hard weights against the sharpness of graded and of drawn labels."""

import pandas as pd
from matplotlib.figure import Figure

from soloc.figures.style import (
    MARKERS,
    MUTED,
    PALETTE,
    legend_below,
    logarithmic,
    panels,
    styled,
)


@styled
def figure(table: pd.DataFrame) -> Figure:
    """One panel for each kind of label."""
    labels = ("graded", "drawn")
    titles = ["Graded: the answer is the mixture", "Drawn: the answer is one token"]
    drawing, axes = panels(1, 2, width=9.5, height=3.9, titles=titles, sharey=True)
    for axis, label in zip(axes, labels, strict=True):
        rows = table[table.label == label]
        weights = list(dict.fromkeys(rows.weight))
        for weight, colour, marker in zip(weights, PALETTE, MARKERS, strict=False):
            part = rows[rows.weight == weight].sort_values("beta")
            axis.errorbar(
                part.beta, part.risk, part.error, color=colour, marker=marker, label=weight
            )
        floor = rows.drop_duplicates("beta").sort_values("beta")
        axis.plot(floor.beta, floor.null, color=MUTED, linestyle="--", label="answering 0")
        axis.set(xlabel="sharpness of the labels β", ylim=(0.0, 1.25))
        logarithmic(axis, "x")
    axes[0].set_ylabel("risk above the noise")
    legend_below(drawing, axes[0], 5)
    return drawing
