"""Shares of runs that succeed and the steps they need, by optimiser and schedule."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from soloc.figures.style import BLUE, ORANGE, legend_below, logarithmic, panels, styled


@styled
def figure(table: pd.DataFrame) -> Figure:
    """A bar per optimiser and schedule; every run that succeeds as a dot at its step."""
    drawing, axes = panels(
        1, 2, width=10.5, height=4.2,
        titles=["Share of random starts that succeed", "Steps until then"],
    )  # fmt: skip
    ways = list(dict.fromkeys(table.way))
    for shift, colour, schedule in ((0.2, BLUE, "constant"), (-0.2, ORANGE, "cosine")):
        rows = table[table.schedule == schedule]
        solved = (rows.missed <= 0.1).groupby(rows.way).mean().reindex(ways)
        runs = rows.groupby("way").size().reindex(ways)
        place = shift - np.arange(len(ways))
        axes[0].barh(
            place, solved, 0.36, xerr=np.sqrt(solved * (1 - solved) / runs), color=colour,
            label=f"{schedule} rate",
        )  # fmt: skip
        at = rows.way.map({way: shift - i for i, way in enumerate(ways)})
        axes[1].plot(rows.solved_at, at, "o", color=colour, alpha=0.5)
    axes[0].set(xlim=(0, 1.05), xlabel="share of runs that miss at most 10 %")
    axes[1].set(xlabel="step")
    logarithmic(axes[1], "x")
    for axis, labels in zip(axes, (ways, [""] * len(ways)), strict=True):
        axis.set_yticks([-i for i in range(len(ways))], labels)
        axis.set_ylim(-len(ways) + 0.4, 0.6)
    legend_below(drawing, axes[0], 2)
    return drawing
