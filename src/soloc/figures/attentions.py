"""Excess over Bayes of every weight: against the signal, against the length, and all at one
setting.
"""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from soloc.figures.style import (
    BLUE,
    DASHES,
    INK,
    MARKERS,
    MUTED,
    ORANGE,
    PALETTE,
    logarithmic,
    panels,
    styled,
)

FOREGROUND = ("softmax", "erf", "normalised ReLU", "1.5-entmax", "linear", "hard maximum")


@styled
def figure(table: pd.DataFrame) -> Figure:
    """Six weights are named in colour, the others drawn in grey; the panel on the right names them
    all.
    """
    drawing, axes = panels(1, 3, width=12.0, height=4.6, width_ratios=(1.0, 1.0, 1.15))
    _curves(axes[0], table[table.part == "signal"], "m2")
    axes[0].set(xlabel="squared signal strength $m^2$", title="Against the signal")
    _curves(axes[1], table[table.part == "length"], "L")
    logarithmic(axes[1], "x")
    axes[1].set(xlabel="length $L$", title="Against the length")
    for axis in axes[:2]:
        logarithmic(axis, "y")
        axis.set_ylabel(r"excess risk at the best $\lambda$, $R - \varepsilon^2$")
    axes[0].legend(loc="lower left")
    _all(axes[2], table)
    return drawing


def _curves(axis: Axes, rows: pd.DataFrame, x: str) -> None:
    rows = rows.assign(m2=rows.m**2)
    for _, group in rows[~rows.weight.isin(FOREGROUND)].groupby("weight", sort=False):
        axis.plot(group[x], group.excess, color=MUTED, linewidth=0.8)
    for name, colour, dash, marker in zip(FOREGROUND, PALETTE, DASHES, MARKERS, strict=False):
        group = rows[rows.weight == name]
        if len(group):
            axis.errorbar(
                group[x],
                group.excess,
                yerr=group.error,
                color=colour,
                linestyle=dash,
                marker=marker,
                label=name,
            )
    floors = rows.drop_duplicates(x).sort_values(x)
    axis.plot(
        floors[x], floors.bayes, color=INK, linestyle="", marker="x", markersize=6, label="Bayes"
    )
    axis.plot(
        floors[x], floors["null"], color=INK, linestyle=DASHES[3], linewidth=1.0, label="null"
    )


def _all(axis: Axes, table: pd.DataFrame) -> None:
    random = table[table.part == "random"]
    signal = random.m.iloc[0]
    fixed = table[(table.part == "length") & (table.m == signal)]
    near = min(fixed.L.unique(), key=lambda L: abs(L - 10.0))
    fixed = fixed[near == fixed.L].sort_values("excess")
    order = list(fixed.weight)
    place = {name: i for i, name in enumerate(order)}
    rows = random[random.weight.isin(order)]
    axis.plot(
        fixed.excess,
        [place[w] for w in fixed.weight],
        color=BLUE,
        marker="o",
        linestyle="",
        label=f"$L = {near:.0f}$",
    )
    axis.plot(rows.excess, [place[w] for w in rows.weight], color=ORANGE, marker="D", linestyle="", markersize=4,
              label="random length")  # fmt: skip
    for column, name in (("bayes", "Bayes"), ("linear", "linear\nregression"), ("null", "null")):
        value = fixed[column].iloc[0]
        axis.axvline(value, color=MUTED, linewidth=0.8)
        if name != "null":
            side = "left" if name == "Bayes" else "right"
            axis.text(
                value * (1.08 if side == "left" else 0.93),
                -0.9,
                name,
                color=MUTED,
                size=7.5,
                va="center",
                ha=side,
            )
    axis.set_yticks(np.arange(len(order)), order)
    axis.set_ylim(len(order) - 0.4, -1.6)
    logarithmic(axis, "x")
    axis.grid(axis="y", visible=False)
    axis.set(
        xlabel=r"excess risk at the best $\lambda$", title=f"All weights at signal $m = {signal:g}$"
    )
    axis.legend(loc="upper right", bbox_to_anchor=(0.98, 0.9))
