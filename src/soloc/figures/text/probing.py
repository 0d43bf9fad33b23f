"""Accuracy of a probe of the first token along the layers, and how its direction turns."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from soloc.figures.style import (
    DASHES,
    MARKERS,
    MUTED,
    ON_DARK,
    ON_LIGHT,
    PALETTE,
    SEQUENTIAL,
    legend_below,
    panels,
    styled,
)


@styled
def figure(table: pd.DataFrame) -> Figure:
    """Left: one line per split. Right: cosine between the directions of two layers."""
    drawing, axes = panels(1, 2, width=9.5, height=4.1)
    lines = table[table.split != "cosine"]
    for (split, group), colour, dash, marker in zip(
        lines.groupby("split", sort=False), PALETTE, DASHES, MARKERS, strict=False
    ):
        axes[0].plot(
            group.layer, group.accuracy, color=colour, linestyle=dash, marker=marker, label=split
        )
    axes[0].axhline(0.5, color=MUTED, linewidth=0.9)
    axes[0].text(lines.layer.max(), 0.49, "chance", ha="right", va="top", color=MUTED, size=8)
    axes[0].set(
        xlabel="layer", ylabel="accuracy", ylim=(0.42, 1.03), title="Probe of the first token"
    )
    pairs = table[table.split == "cosine"]
    cosine = pairs.pivot(index="layer", columns="other", values="cosine").to_numpy()[1:, 1:]
    size = np.abs(cosine)
    axes[1].imshow(size, cmap=SEQUENTIAL, vmin=0, vmax=1)
    for i in range(len(cosine)):
        for j in range(len(cosine)):
            colour = ON_DARK if size[i, j] > 0.55 else ON_LIGHT
            axes[1].text(
                j, i, f"{cosine[i, j]:.2f}", ha="center", va="center", size=8, color=colour
            )
    ticks = np.arange(len(cosine))
    axes[1].set_xticks(ticks, ticks + 1)
    axes[1].set_yticks(ticks, ticks + 1)
    axes[1].grid(visible=False)
    axes[1].set(xlabel="layer", ylabel="layer", title="Cosine between directions")
    legend_below(drawing, axes[0], columns=5)
    return drawing
