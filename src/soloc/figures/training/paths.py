"""Panels of the paper: risk, alignments, the (kappa, nu) plane, and the way to the manifold."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter

from soloc.figures.style import (
    BLUE,
    DASHES,
    GREEN,
    INK,
    MUTED,
    ORANGE,
    RED,
    logarithmic,
    median_band,
    panels,
    styled,
)

_PATHS = 12  # sample paths shown


@styled
def figure(table: pd.DataFrame) -> Figure:
    """Medians over the runs with the band between the 10th and the 90th percentile."""
    leaves = table.distance.max() > 1e-9  # else runs stay on the manifold, as the findings say
    drawing, axes = panels(2, 2, height=3.3) if leaves else panels(1, 3, width=11.5, height=3.5)
    _band(axes[0], table, "excess", BLUE, "median run")
    logarithmic(axes[0], "y")
    axes[0].set(ylabel=r"excess risk, $R - \varepsilon^2$", title="Excess risk")
    sizes = table.assign(kappa=table.kappa.abs(), nu=table.nu.abs())
    _band(axes[1], sizes, "kappa", BLUE, r"$|\kappa| = |k \cdot k^*|$ (where)")
    _band(axes[1], sizes, "nu", ORANGE, r"$|\nu| = |v \cdot v^*|$ (what)", DASHES[1])
    axes[1].set(ylim=(-0.03, 1.05), ylabel="alignment with the truth", title="Alignments")
    axes[1].legend(loc="best")
    _plane(axes[2], table)
    if leaves:
        _distance(axes[3], table)
    return drawing


def _band(
    axis: Axes, table: pd.DataFrame, column: str, colour: str, label: str, dash: object = "-"
) -> None:
    for run in sorted(table.run.unique())[:_PATHS]:
        path = table[table.run == run]
        axis.plot(path.step, path[column], color=colour, linewidth=0.5, alpha=0.35)
    over_runs = table.groupby("step")[column]
    median_band(axis, over_runs, colour, linestyle=dash, linewidth=2.0, label=label)
    axis.set_xlabel("step of gradient descent")
    axis.xaxis.set_major_formatter(EngFormatter(sep=""))


def _plane(axis: Axes, table: pd.DataFrame) -> None:
    for run in sorted(table.run.unique())[:_PATHS]:
        path = table[table.run == run]
        axis.plot(path.kappa, path.nu, color=MUTED, linewidth=0.9)
        axis.plot(
            path.kappa.iloc[0],
            path.nu.iloc[0],
            marker="o",
            markersize=3.5,
            color=BLUE,
            linestyle="",
        )
        axis.plot(
            path.kappa.iloc[-1],
            path.nu.iloc[-1],
            marker="D",
            markersize=4.5,
            color=RED,
            linestyle="",
        )
    for sign in (-1, 1):
        axis.plot(
            sign,
            sign,
            marker="*",
            markersize=13,
            color=GREEN,
            linestyle="",
            markeredgecolor=INK,
            zorder=1,
        )
    handles = [
        axis.plot([], [], marker=m, color=c, linestyle="", label=label)[0]
        for m, c, label in (
            ("o", BLUE, "start"),
            ("D", RED, "end"),
            ("*", GREEN, r"$\pm(k^*, v^*)$"),
        )
    ]
    axis.legend(handles=handles, loc="upper left")
    axis.set(
        xlim=(-1.1, 1.1),
        ylim=(-1.1, 1.1),
        xlabel=r"$\kappa = k \cdot k^*$",
        ylabel=r"$\nu = v \cdot v^*$",
    )
    axis.set_title("Sample paths")


def _distance(axis: Axes, table: pd.DataFrame) -> None:
    _band(axis, table, "distance", GREEN, "median run")
    axis.set_ylabel(r"$\sqrt{\theta^2 + \eta^2 + \rho^2}$")
    axis.set_title("Distance to the manifold")
    axis.set_ylim(bottom=0.0)
