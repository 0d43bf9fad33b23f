"""Shares of runs that reach the solution, steps they need, practical starts, and the two minima."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import PercentFormatter

from soloc.figures.style import (
    BLUE,
    DASHES,
    GREEN,
    INK,
    MUTED,
    ORANGE,
    PALETTE,
    RED,
    logarithmic,
    panels,
    styled,
)

COLOURS = {"solution": BLUE, "swapped": RED, "other": MUTED}


@styled
def figure(table: pd.DataFrame) -> Figure:
    """Four panels: where runs end, how long they take, practical starts, risk of the two minima."""
    runs, minima = table[table.part == "run"], table[table.part == "minima"]
    drawing, axes = panels(2, 2, height=3.4)
    _ends(axes[0], runs)
    _steps(axes[1], runs)
    _practical(axes[2], runs[runs.setting == "practical"])
    _minima(axes[3], minima)
    return drawing


def _label(name: str, n: int) -> str:
    if name == "practical":
        return f"practical, $n = {n}$" if n else "no sample, $n = 0$"
    return name.replace("lam", r"$\lambda$")


def _ends(axis: Axes, runs: pd.DataFrame) -> None:
    groups = list(runs.groupby(["setting", "n"], sort=False))
    for place, (_, group) in enumerate(groups):
        left = 0.0
        for end, colour in COLOURS.items():
            share = float((group.end == end).mean())
            axis.barh(place, share, left=left, color=colour, height=0.7)
            if share > 0.03:
                axis.text(
                    left + 0.5 * share,
                    place,
                    f"{share:.0%}",
                    ha="center",
                    va="center",
                    size=7.5,
                    color="#fffffe",
                )
            left += share
    axis.set_yticks(range(len(groups)), [_label(name, n) for (name, n), _ in groups])
    axis.invert_yaxis()
    axis.set_xlim(0.0, 1.0)
    axis.xaxis.set_major_formatter(PercentFormatter(1.0))
    axis.grid(axis="y", visible=False)
    names = {
        "solution": r"$\pm(k^*, v^*)$",
        "swapped": r"swapped, $k = \pm v^*$",
        "other": "elsewhere",
    }
    handles = [Patch(color=colour, label=names[end]) for end, colour in COLOURS.items()]
    axis.legend(handles=handles, loc="upper center", bbox_to_anchor=(0.45, -0.1), ncols=3)
    axis.set_title("Where runs end")


def _steps(axis: Axes, runs: pd.DataFrame) -> None:
    chosen = runs[(runs.setting != "practical") | (runs.n == runs.n.max())]
    for ((name, n), group), colour, dash in zip(
        chosen.groupby(["setting", "n"], sort=False), PALETTE, DASHES, strict=False
    ):
        needed = np.sort(group.steps_needed.dropna().to_numpy())
        if len(needed):
            share = np.arange(1, len(needed) + 1) / len(group)
            axis.step(
                np.maximum(needed, 100.0),
                share,
                where="post",
                color=colour,
                linestyle=dash,
                label=_label(name, n),
            )
    axis.set(
        ylim=(-0.02, 1.05),
        xlabel=r"steps until $|\kappa|, |\nu| > 0.9$",
        ylabel="share of runs that got there",
    )
    logarithmic(axis, "x")
    axis.legend(loc="lower left", bbox_to_anchor=(0.12, 0.1))
    axis.set_title("How long it takes")


def _practical(axis: Axes, runs: pd.DataFrame) -> None:
    if len(runs):
        by_n = runs.groupby("n")
        place = np.arange(by_n.ngroups)
        for column, colour, marker, label in (
            ("solved", BLUE, "o", "reach the solution"),
            ("start_kappa", ORANGE, "s", r"$|\kappa|$ at the start"),
            ("start_nu", GREEN, "^", r"$|\nu|$ at the start"),
        ):
            value = runs.assign(solved=(runs.end == "solution").astype(float)).groupby("n")[column]
            height = value.mean() if column == "solved" else value.median()
            axis.plot(place, height, color=colour, marker=marker, label=label)
        for i, steps in enumerate(by_n.steps_needed.median()):
            axis.annotate(
                f"{steps:,.0f} steps", (place[i], -0.1), ha="center", size=7.5, color=MUTED
            )
        axis.margins(x=0.12)
        axis.set_xticks(place, [str(n) for n in by_n.groups])
        axis.set_ylim(-0.15, 1.05)
        axis.legend(loc="lower right", bbox_to_anchor=(1.0, 0.12))
        axis.set_title(f"Practical starts ($d = {runs.d.iloc[0]}$)")
    axis.set(xlabel="samples behind the start, $n$")


def _minima(axis: Axes, minima: pd.DataFrame) -> None:
    axis.plot(minima.lam, minima.truth, color=BLUE, label=r"truth, $k = k^*$, $v = v^*$")
    axis.plot(
        minima.lam, minima.excess, color=RED, linestyle=DASHES[1], label=r"swapped, $k = v^*$"
    )
    logarithmic(axis, "xy")
    for lam, name in ((1.0 / 13.0, "end of the schedule"), (0.1, "fixed")):
        axis.axvline(lam, color=MUTED, linewidth=0.8)
        side = "right" if lam < 0.09 else "left"
        axis.text(
            lam * (0.96 if side == "right" else 1.04),
            0.97,
            name,
            transform=axis.get_xaxis_transform(),
            ha=side,
            va="top",
            size=7.5,
            color=INK,
        )
    axis.set(xlabel=r"inverse temperature $\lambda$", ylabel=r"excess risk, $R - \varepsilon^2$")
    axis.legend(loc="lower right")
    axis.set_title("Two minima: the wrong one can be the better")
