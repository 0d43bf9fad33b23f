"""Sequences needed against the length, by learner, and the ratio of two of them."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from soloc.figures.style import (
    GREEN,
    MARKERS,
    MUTED,
    PALETTE,
    legend_below,
    log_lengths,
    logarithmic,
    panels,
    styled,
)


@styled
def figure(table: pd.DataFrame) -> Figure:
    """Every run with the geometric mean; fully connected over attention with its error."""
    drawing, axes = panels(
        1, 2, width=9.5, height=3.9,
        titles=["Sequences until half of the null risk", "Fully connected over attention"],
    )  # fmt: skip
    lengths = sorted(set(table.L))
    means = {}
    finite = table[np.isfinite(table.needed.fillna(0.0))]
    learners = list(dict.fromkeys(finite.learner))
    for colour, marker, learner in zip(PALETTE, MARKERS, learners, strict=False):
        rows = finite[finite.learner == learner]
        logs = np.log(rows.needed.fillna(rows.seen)).groupby(rows.L)
        means[learner] = logs.mean(), logs.std(ddof=1) / np.sqrt(logs.size())
        axes[0].plot(rows.L, rows.needed, marker, color=colour, alpha=0.35)
        axes[0].plot(
            lengths, np.exp(means[learner][0]), color=colour, marker=marker, label=learner,
            linestyle=":" if logs.size().max() == 1 else "-",
        )  # fmt: skip
    axes[0].plot([], [], color=MUTED, label="linear regression: never")
    axes[0].set(ylabel="sequences")
    logarithmic(axes[0], "y")
    ours, theirs = means["standard attention"], means["fully connected"]
    ratio, error = np.exp(theirs[0] - ours[0]), np.hypot(ours[1], theirs[1])
    axes[1].errorbar(lengths, ratio, ratio * error, color=GREEN, marker="o", capsize=3)
    axes[1].axhline(1.0, color=MUTED, linewidth=0.8, linestyle=":")
    axes[1].set(ylabel="ratio of sequences needed")
    logarithmic(axes[1], "y")
    for axis in axes:
        log_lengths(axis, lengths)
    legend_below(drawing, axes[0], 4)
    return drawing
