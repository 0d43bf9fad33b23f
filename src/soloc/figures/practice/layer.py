"""Standard layers over settings, and where they stand in the exact landscape."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from soloc.figures.style import BLUE, MUTED, ORANGE, PALETTE, logarithmic, panels, styled

_LEAST = 1e-6  # of a share, for the logarithm


@styled
def figure(table: pd.DataFrame) -> Figure:
    """Excess and alignments of every run by setting; excess against the alignment of the key."""
    drawing, axes = panels(
        1, 3, width=12.0, height=4.2,
        titles=["Exact excess of every run", "Alignment with the truth", "The exact landscape"],
    )  # fmt: skip
    runs, exact = table[table.part != "landscape"], table[table.part == "landscape"]
    parts = list(dict.fromkeys(runs.part))
    place = runs.part.map({part: -i for i, part in enumerate(parts)})
    jitter = 0.12 * (runs.run - runs.run.mean()) / max(1.0, runs.run.max())
    axes[0].plot(runs.share.clip(lower=_LEAST), place + jitter, "o", color=BLUE)
    axes[0].plot(
        runs.floor.clip(lower=_LEAST), place, "|", color=ORANGE, markersize=14,
        label="softmax at the truth, best |k|",
    )  # fmt: skip
    axes[0].legend(loc="lower left")
    axes[0].axvline(0.1, color=MUTED, linestyle="--", linewidth=0.8)
    axes[0].set(xlabel="excess over Bayes / that of answering 0")
    logarithmic(axes[0], "x")
    axes[1].plot(runs.key_alignment, place + jitter, "o", color=BLUE, label="effective key")
    axes[1].plot(runs.value_alignment, place + jitter, "s", color=ORANGE, label="effective value")
    axes[1].axvline(0.95, color=MUTED, linestyle="--", linewidth=0.8)
    axes[1].set(xlabel="cosine with the truth", xlim=(min(0.8, runs.key_alignment.min()), 1.01))
    axes[1].legend(loc="lower left")
    for axis, labels in zip(axes[:2], (parts, [""] * len(parts)), strict=True):
        axis.set_yticks([-i for i in range(len(parts))], labels)
        axis.set_ylim(-len(parts) - 0.9, 0.6)  # the legend stands below
    for colour, (lam, rows) in zip(PALETTE, exact.groupby("lam"), strict=False):
        axes[2].plot(rows.key_alignment, rows.share, color=colour, label=f"|k| = {lam:g}")
    ours = runs[(runs.d == 64) & (runs.L == 10)]
    sizes = 12.0 + 4.0 * np.sqrt(ours.lam)
    axes[2].scatter(
        ours.key_alignment, ours.share.clip(lower=_LEAST), sizes, color=MUTED, alpha=0.6,
        label="runs, d = 64",
    )  # fmt: skip
    axes[2].set(xlabel="alignment of the key", ylabel="excess / that of answering 0")
    logarithmic(axes[2], "y")
    axes[2].legend(loc="lower left")
    return drawing
