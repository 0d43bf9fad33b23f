"""Deviations from equality against their bars, and two laws of SGD over each other."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from soloc.figures.style import (
    BLUE,
    DASHES,
    GREEN,
    INK,
    MUTED,
    ORANGE,
    RED,
    logarithmic,
    panels,
    styled,
)

SYMBOLS = {
    "kappa": r"$\kappa$",
    "nu": r"$\nu$",
    "theta": r"$\theta$",
    "eta": r"$\eta$",
    "rho": r"$\rho$",
}


@styled
def figure(table: pd.DataFrame) -> Figure:
    """How far each equality is off; beside it, where computed, overlaps after SGD in two ways."""
    equal, law = table[(table.part == "equality") & (table.bar < 1.0)], table[table.part == "law"]
    ratios = (1.0, 1.15) if len(law) else (1.0,)
    drawing, axes = panels(1, len(ratios), width=10.0, height=3.9, width_ratios=ratios)
    _equalities(axes[0], equal)
    if len(law):
        _laws(axes[1], law)
    return drawing


def _equalities(axis: Axes, equal: pd.DataFrame) -> None:
    place = np.arange(len(equal))
    size = np.maximum(equal.deviation.to_numpy(), 1e-17)
    axis.hlines(place, 1e-17, size, color=BLUE, linewidth=2.0)
    axis.plot(size, place, color=BLUE, marker="o", linestyle="", label="largest deviation")
    axis.plot(equal.bar, place, color=RED, marker="|", markersize=12, linestyle="", label="bar")
    axis.set_yticks(place, [name.replace(": ", ":\n") for name in equal.name])
    axis.set(
        xlim=(1e-17, 1e-7), ylim=(len(equal) - 0.4, -0.6), xlabel="largest absolute difference"
    )
    logarithmic(axis, "x")
    axis.grid(axis="y", visible=False)
    axis.legend(loc="upper center", bbox_to_anchor=(0.5, 0.62))
    axis.set_title("Equalities")


def _laws(axis: Axes, law: pd.DataFrame) -> None:
    for (name, group), colour in zip(
        law.groupby("name", sort=False), (BLUE, ORANGE, GREEN, RED, MUTED), strict=False
    ):
        for how, dash, width in (("in overlaps", "-", 2.4), ("on vectors", DASHES[3], 1.4)):
            values = np.sort(group[group.how == how].value)
            if len(values):
                shade = colour if how == "in overlaps" else INK
                every = max(len(values) // 300, 1)
                axis.plot(
                    values[::every],
                    np.linspace(0.0, 1.0, len(values))[::every],
                    color=shade,
                    linestyle=dash,
                    linewidth=width,
                    label=SYMBOLS[name] if how == "in overlaps" else None,
                )
    axis.plot([], [], color=INK, linestyle=DASHES[3], label="on vectors")
    axis.set(xlabel="overlap after stochastic descent", ylabel="share of runs below")
    axis.legend(loc="upper left", title="in overlaps")
    axis.set_title("One law, computed two ways")
