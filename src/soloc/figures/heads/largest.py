"""Risks where the largest score decides, over length and alignment."""

import pandas as pd
from matplotlib.figure import Figure

from soloc.figures.style import MARKERS, MUTED, PALETTE, legend_below, log_lengths, panels, styled


@styled
def figure(table: pd.DataFrame) -> Figure:
    """Every weight over the length at the truth; over the alignment of the key at one length."""
    drawing, axes = panels(
        1, 2, width=9.5, height=3.9, titles=["At the truth", "A key that is not quite right"]
    )
    by_length, by_key = table[table.part == "length"], table[table.part == "alignment"]
    weights = list(dict.fromkeys(by_length.weight))
    for weight, colour, marker in zip(weights, PALETTE, MARKERS, strict=False):
        rows = by_length[by_length.weight == weight]
        axes[0].plot(rows.L, rows.risk, color=colour, marker=marker, label=weight)
        rows = by_key[by_key.weight == weight]
        axes[1].plot(rows.kappa, rows.risk, color=colour, marker=marker)
    best = by_length.drop_duplicates("L")
    axes[0].plot(best.L, best.linear, color=MUTED, linestyle="--", label="linear regression")
    log_lengths(axes[0], sorted(set(by_length.L.astype(int))))
    axes[1].axhline(1.0, color=MUTED, linewidth=0.8, linestyle=":")
    axes[1].set(xlabel="alignment of the key $k·k^*$")
    for axis in axes:
        axis.set(ylabel="risk above the noise", ylim=(0, None))
    legend_below(drawing, axes[0], 3)
    return drawing
