"""Error in order and shuffled, for readers with and without a positional encoding."""

import pandas as pd
from matplotlib.figure import Figure

from soloc.figures.style import MARKERS, PALETTE, log_lengths, panels, styled


@styled
def figure(table: pd.DataFrame) -> Figure:
    """One panel per order; lines are exact laws."""
    orders = list(table["shown"].unique())
    drawing, axes = panels(
        1,
        len(orders),
        width=4.4 * len(orders),
        height=3.9,
        titles=[f"tokens {name}" for name in orders],
    )
    for axis, name in zip(axes, orders, strict=True):
        for at, (reader, rows) in enumerate(
            table[table["shown"] == name].groupby("reader", sort=False)
        ):
            axis.plot(rows["L"], rows["law"], color=PALETTE[at], linewidth=1.2)
            axis.plot(
                rows["L"],
                rows["error"],
                MARKERS[at],
                color=PALETTE[at],
                markersize=9 - 1.7 * at,
                label=reader,
            )
        axis.set_yscale("log")
        axis.set_ylim(4e-3, 3)
        log_lengths(axis, sorted(table["L"].unique()))
    axes[0].set_ylabel("squared error of the signal at the asked place")
    axes[0].legend(
        title="markers: measured; lines: exact",
        fontsize=8,
        title_fontsize=8,
        loc="upper right",
        bbox_to_anchor=(1.0, 0.8),
    )
    return drawing
