"""Excess over Bayes of every weight: against signal, against length, and all at one setting."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from soloc.figures.style import (
    BLUE,
    DASHES,
    GREEN,
    INK,
    MARKERS,
    MUTED,
    ORANGE,
    PALETTE,
    logarithmic,
    panels,
    styled,
)

NAMED = 6  # weights in colour, from the best to the worst; one colour, dash and marker each


@styled
def figure(table: pd.DataFrame) -> Figure:
    """Some weights in colour, the others in grey; the panel on the right names them all."""
    ranked = _at_one_setting(table)
    places = np.linspace(0, len(ranked) - 1, min(NAMED, len(ranked))).round().astype(int)
    named = ranked.weight.iloc[places]
    drawing, axes = panels(1, 3, width=12.0, height=4.6, width_ratios=(1.0, 1.0, 1.15))
    _curves(axes[0], table[table.part == "signal"], "m2", named)
    axes[0].set(xlabel="squared signal strength $m^2$", title="Against the signal")
    _curves(axes[1], table[table.part == "length"], "L", named)
    logarithmic(axes[1], "x")
    axes[1].set(xlabel="length $L$", title="Against the length")
    for axis in axes[:2]:
        logarithmic(axis, "y")
        axis.set_ylabel(r"excess risk at the best $\lambda$, $R - \varepsilon^2$")
    axes[0].legend(loc="lower left")
    _all(axes[2], ranked, table[table.part == "random"], table[table.part == "largest"])
    return drawing


def _at_one_setting(table: pd.DataFrame) -> pd.DataFrame:
    """Every weight at the signal of the random length, L about 10, the best first."""
    signal = table[table.part == "random"].m.iloc[0]
    fixed = table[(table.part == "length") & (table.m == signal)]
    near = min(fixed.L.unique(), key=lambda L: abs(L - 10.0))
    return fixed[near == fixed.L].sort_values("excess")


def _curves(axis: Axes, rows: pd.DataFrame, x: str, named: pd.Series) -> None:
    rows = rows.assign(m2=rows.m**2)
    for _, group in rows[~rows.weight.isin(named)].groupby("weight", sort=False):
        axis.plot(group[x], group.excess, color=MUTED, linewidth=0.8)
    for name, colour, dash, marker in zip(named, PALETTE, DASHES, MARKERS, strict=False):
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


def _all(axis: Axes, fixed: pd.DataFrame, random: pd.DataFrame, largest: pd.DataFrame) -> None:
    signal, length = fixed.m.iloc[0], fixed.L.iloc[0]
    order = list(fixed.weight)
    place = {name: i for i, name in enumerate(order)}
    rows = random[random.weight.isin(order)]
    kinds = [(fixed, BLUE, "o", 6, f"$L = {length:.0f}$")]
    kinds.append((rows, ORANGE, "D", 4, "random length"))
    if len(largest):
        sharp = rf"largest score decides, $\beta = {largest.m.iloc[0]:g}$"
        kinds.append((largest, GREEN, "s", 4, sharp))
    for dots, colour, marker, size, label in kinds:
        axis.plot(
            dots.excess, [place[w] for w in dots.weight],
            color=colour, marker=marker, markersize=size, linestyle="", label=label,
        )  # fmt: skip
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
    axis.legend(loc="lower left", bbox_to_anchor=(0.04, 0.04))
