"""Speed against the Hessian, length, label noise, and several decisive tokens."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter

from soloc.figures.style import (
    BLUE,
    DASHES,
    INK,
    MARKERS,
    ORANGE,
    PALETTE,
    logarithmic,
    median_band,
    panels,
    styled,
)


@styled
def figure(table: pd.DataFrame) -> Figure:
    """A panel for each thing that was computed; several decisive tokens take two."""
    draws = [draw for draw, part in _PANELS.items() if (table.part == part).any()]
    columns = 2 if len(draws) in (2, 4) else min(len(draws), 3)
    rows = -(-len(draws) // columns)
    drawing, axes = panels(rows, columns, width=3.8 * max(columns, 2), height=3.4)
    for axis, draw in zip(axes, draws, strict=False):
        draw(axis, table[table.part == _PANELS[draw]])
    for axis in axes[len(draws) :]:
        axis.set_visible(False)
    return drawing


def _speed(axis: Axes, speed: pd.DataFrame) -> None:
    shown = speed.dropna(subset=["measured"])
    for (gamma, group), colour, marker in zip(
        shown.groupby("gamma"), PALETTE, MARKERS, strict=False
    ):
        axis.plot(
            group.hessian_key,
            group.measured,
            color=colour,
            marker=marker,
            linestyle="",
            label=rf"$\gamma = {gamma:.2g}$",
        )
    ends = [shown.hessian_key.min() * 0.8, shown.hessian_key.max() * 1.25]
    axis.plot(ends, ends, color=INK, linewidth=0.9)
    logarithmic(axis, "xy")
    axis.set(
        xlabel="rate from the Hessian at the truth",
        ylabel="rate measured on the path",
        title="Speed of convergence",
    )
    axis.legend(loc="upper left")


def _risk_over_length(axis: Axes, length: pd.DataFrame) -> None:
    excess = length.groupby("L").excess.median()
    axis.plot(excess.index, excess, color=ORANGE, marker="s")
    logarithmic(axis, "xy")
    axis.set(
        xlabel="length $L$",
        ylabel=r"excess risk at the end, $R - \varepsilon^2$",
        title="Length changes the risk, not the way",
    )


def _noise(axis: Axes, noise: pd.DataFrame) -> None:
    by_eps = noise.groupby("eps")
    for column, colour, dash, label in (
        ("kappa", BLUE, "-", r"$|\kappa|$"),
        ("nu", ORANGE, DASHES[1], r"$|\nu|$"),
    ):
        value = by_eps[column]
        axis.plot(
            value.median().index,
            value.median(),
            color=colour,
            linestyle=dash,
            marker="o",
            label=label,
        )
        axis.fill_between(
            value.median().index, value.min(), value.max(), color=colour, alpha=0.2, linewidth=0
        )
    axis.set(ylim=(0.0, 1.05), xlabel=r"label noise $\varepsilon$", ylabel="alignment at the end")
    axis.set_title("Stochastic descent, batch 5")
    axis.legend(loc="lower left")


def _several_risk(axis: Axes, several: pd.DataFrame) -> None:
    for (decisive, group), colour, dash in zip(
        _by_number(several, "risk"), PALETTE, DASHES, strict=False
    ):
        axis.plot(group.lam, group.excess, color=colour, linestyle=dash, label=_number(decisive))
    logarithmic(axis, "xy")
    axis.set(
        xlabel=r"inverse temperature $\lambda$",
        ylabel=r"excess risk at the truth, $R - \varepsilon^2$",
    )
    axis.set_title("Several decisive tokens: risk")
    axis.legend(loc="upper left")


def _several_training(axis: Axes, several: pd.DataFrame) -> None:
    for (decisive, group), colour, dash in zip(
        _by_number(several, "path"), PALETTE, DASHES, strict=False
    ):
        value = group.groupby("step").kappa
        median_band(axis, value, colour, linestyle=dash, label=_number(decisive))
    axis.xaxis.set_major_formatter(EngFormatter(sep=""))
    axis.set(ylim=(-0.03, 1.05), xlabel="step of gradient descent", ylabel=r"$|\kappa|$")
    axis.set_title("Several decisive tokens: training")
    axis.legend(loc="lower right")


def _by_number(several: pd.DataFrame, kind: str):
    return several[several.kind == kind].groupby("decisive")


def _number(decisive: float) -> str:
    return f"{decisive:.0f} decisive token{'s' if decisive > 1 else ''}"


_PANELS = {
    _speed: "speed",
    _risk_over_length: "length",
    _noise: "noise",
    _several_risk: "several",
    _several_training: "several",
}
