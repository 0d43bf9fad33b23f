"""Accuracy of retrieval against distance, and against the number of tokens."""

import pandas as pd
from matplotlib.figure import Figure

from soloc.figures.style import MARKERS, PALETTE, legend_below, logarithmic, panels, styled


@styled
def figure(table: pd.DataFrame) -> Figure:
    """A line per mechanism in both panels."""
    longest = int(table.L.max())
    drawing, axes = panels(
        1, 2, width=9.5, height=3.9, sharey=True,
        titles=[f"Among {longest:,} tokens, by distance", "By the number of tokens"],
    )  # fmt: skip
    for axis, part, across in zip(axes, ("distance", "length"), ("band", "L"), strict=True):
        rows = table[table.part == part]
        for colour, marker, (name, each) in zip(
            PALETTE, MARKERS, rows.groupby("mechanism", sort=False), strict=False
        ):
            each = each.sort_values(across)
            axis.errorbar(
                each[across], each.accuracy, each.error, color=colour, marker=marker, label=name,
                capsize=2, alpha=0.85,
            )  # fmt: skip
        axis.set(ylim=(-0.03, 1.05))
        logarithmic(axis, "x")
    axes[0].set(xlabel="tokens between the query and the key asked for", ylabel="accuracy")
    axes[1].set(xlabel="number of tokens $L$")
    legend_below(drawing, axes[0], 4)
    return drawing
