"""How often each head looks at the decisive word, and agrees with the fitted attention."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from soloc.figures.style import BLUE, INK, MUTED, ON_DARK, ON_LIGHT, RED, SEQUENTIAL, panels, styled


@styled
def figure(table: pd.DataFrame) -> Figure:
    """Left: a map of layers and heads. Right: rate against agreement, the chosen head named."""
    drawing, axes = panels(1, 2, width=10.0, height=3.9, width_ratios=(1.35, 1))
    grid = table.pivot(index="layer", columns="head", values="rate")
    axes[0].imshow(grid, cmap=SEQUENTIAL, vmin=0, vmax=1, aspect="auto")
    for i, row in enumerate(grid.to_numpy()):
        for j, value in enumerate(row):
            colour = ON_DARK if value > 0.55 else ON_LIGHT
            axes[0].text(j, i, f"{100 * value:.0f}", ha="center", va="center", size=8, color=colour)
    axes[0].set_xticks(np.arange(grid.shape[1]), grid.columns)
    axes[0].set_yticks(np.arange(grid.shape[0]), grid.index)
    axes[0].grid(visible=False)
    axes[0].set(
        xlabel="head", ylabel="layer", title="Looks most at the decisive word (% of new sentences)"
    )
    best = table.loc[table.chosen_by.idxmax()]
    axes[1].scatter(table.rate, table.agreement, s=14, color=BLUE, linewidths=0)
    axes[1].scatter([best["rate"]], [best["agreement"]], s=46, color=RED, linewidths=0, zorder=3)
    axes[1].annotate(
        f"layer {best['layer']:.0f}, head {best['head']:.0f}",
        (best["rate"], best["agreement"]),
        xytext=(-8, 0),
        textcoords="offset points",
        ha="right",
        va="center",
        size=8,
        color=INK,
    )
    axes[1].axvline(best["fitted_rate"], color=MUTED, linewidth=1.0, linestyle="--")
    axes[1].text(
        best["fitted_rate"] - 0.01, 0.02, "fitted attention", ha="right", color=MUTED, size=8
    )
    axes[1].axvline(best["chance"], color=MUTED, linewidth=0.9)
    axes[1].text(best["chance"] + 0.01, 0.95, "chance", ha="left", color=MUTED, size=8)
    axes[1].set(
        xlim=(0, 1.02),
        ylim=(0, 1.02),
        xlabel="points at the decisive word",
        ylabel="agrees with the fitted attention",
    )
    axes[1].set_title("Heads against the fitted attention")
    return drawing
