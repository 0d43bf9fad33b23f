"""Attention mass on the decisive token and the rate of correct localisation, along training."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from soloc.figures.style import (
    DASHES,
    INK,
    MUTED,
    PALETTE,
    legend_below,
    median_band,
    panels,
    styled,
)


@styled
def figure(table: pd.DataFrame) -> Figure:
    """Medians over runs in bands of 10 to 90 %; then mass against alignment."""
    drawing, axes = panels(1, 3, width=10.5, height=3.9)
    chance = 1.0 / table.L.iloc[0]
    for axis, column, title in (
        (axes[0], "mass", "Attention mass on $J_0$"),
        (axes[1], "rate", "$J_0$ has the largest weight"),
    ):
        for (name, group), colour, dash in zip(
            table.groupby("setting", sort=False), PALETTE, DASHES, strict=False
        ):
            label = name.replace("lam", r"$\lambda$")
            over_runs = group.groupby("share_of_training")[column]
            median_band(axis, over_runs, colour, linestyle=dash, label=label)
        axis.axhline(chance, color=MUTED, linewidth=0.9)
        axis.text(0.995, chance - 0.015, "chance", ha="right", va="top", color=MUTED, size=8)
        axis.set(xlabel="share of training", ylim=(-0.02, 1.03), title=title)
    axes[0].set_ylabel(r"$E\,[\,|w_{J_0}|\,/\,\sum_l |w_l|\,]$")
    axes[1].set_ylabel("probability")
    _against_alignment(axes[2], table)
    legend_below(drawing, axes[0])
    return drawing


def _against_alignment(axis: Axes, table: pd.DataFrame) -> None:
    for (_, group), colour in zip(table.groupby("setting", sort=False), PALETTE, strict=False):
        sample = group[group.run < 6]
        axis.scatter(sample.kappa.abs(), sample.mass, s=4, color=colour, linewidths=0)
    order = table.assign(size=table.kappa.abs()).sort_values("size")
    axis.plot(order["size"], order.rate, color=INK, linewidth=1.2)
    axis.text(0.34, 0.93, "largest weight on $J_0$", size=8, color=INK)
    axis.set(
        xlabel=r"alignment $|\kappa|$",
        ylabel="mass on $J_0$ (dots), rate (line)",
        ylim=(-0.02, 1.03),
    )
    axis.set_title("Pointing is easier than weighing")
