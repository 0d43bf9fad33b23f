"""Signatures of failure: paths by cause, and the numbers that tell them apart."""

from textwrap import fill

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from soloc.figures.style import MARKERS, MUTED, PALETTE, legend_below, panels, styled

_PATHS = 6


@styled
def figure(table: pd.DataFrame) -> Figure:
    """Alignments along training; every run by mass and value; the confusion table."""
    drawing, axes = panels(2, 2, height=3.5)
    kinds = list(dict.fromkeys(table.expected))
    colours = dict(zip(kinds, PALETTE, strict=False))
    for axis, column, label in (
        (axes[0], "kappa", r"$|\kappa|$, key"),
        (axes[1], "nu", r"$|\nu|$, value"),
    ):
        for _, group in table.groupby("cause", sort=False):
            for run in range(_PATHS):
                path = group[group.run == run]
                axis.plot(
                    path.step / path.step.max(),
                    path[column].abs(),
                    color=colours[group.expected.iloc[0]],
                    linewidth=0.9,
                )
        axis.set(xlabel="share of training", ylabel=label, ylim=(-0.03, 1.05))
    axes[0].set_title("Does the key find $k^*$?")
    axes[1].set_title("Does the value find $v^*$?")
    ends = table.groupby(["cause", "run"], sort=False).last().reset_index()
    for kind, marker in zip(kinds, MARKERS, strict=False):
        group = ends[ends.expected == kind]
        axes[2].scatter(
            group.mass,
            group.nu.abs(),
            s=16,
            marker=marker,
            color=colours[kind],
            label=kind,
            linewidths=0,
        )
    axes[2].set(
        xlabel="attention mass on $J_0$", ylabel=r"$|\nu|$", xlim=(0.0, 0.75), ylim=(-0.05, 1.05)
    )
    axes[2].set_title("Where runs end")
    _confusion(axes[3], ends, kinds)
    legend_below(drawing, axes[2])
    return drawing


def _confusion(axis: Axes, ends: pd.DataFrame, kinds: list[str]) -> None:
    counts = (
        pd.crosstab(ends.expected, ends.verdict)
        .reindex(index=kinds, columns=kinds, fill_value=0)
        .to_numpy()
    )
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    for i in range(len(kinds)):
        for j in range(len(kinds)):
            if counts[i, j]:
                axis.scatter(
                    j,
                    i,
                    s=60 + 900 * shares[i, j],
                    color=PALETTE[0] if i == j else PALETTE[3],
                    linewidths=0,
                )
            axis.text(
                j,
                i,
                counts[i, j],
                ha="center",
                va="center",
                color="#fffffe" if counts[i, j] else MUTED,
                size=9,
            )
    names = [fill(kind, 13) for kind in kinds]
    axis.set_xticks(range(len(kinds)), names, size=7.5)
    axis.set_yticks(range(len(kinds)), names, size=7.5)
    axis.set(
        xlim=(-0.6, len(kinds) - 0.4),
        ylim=(len(kinds) - 0.4, -0.6),
        xlabel="diagnosed",
        ylabel="produced",
    )
    axis.grid(False)
    axis.set_title("Named correctly?")
