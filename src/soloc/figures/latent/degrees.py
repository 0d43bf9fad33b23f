"""Share of the softmax output that no constant times kernel regression explains."""

import pandas as pd
from matplotlib.figure import Figure

from soloc.figures.style import MARKERS, PALETTE, log_lengths, panels, styled


@styled
def figure(table: pd.DataFrame) -> Figure:
    """One panel per latent; dashed lines are the exact limits of Funk and Hecke."""
    groups = list(table.groupby("latent", sort=False))
    titles = [f"latent of {name}" for name, _ in groups]
    drawing, axes = panels(1, len(groups), width=4.0 * len(groups), height=3.9, titles=titles)
    for axis, (_, rows) in zip(axes, groups, strict=True):
        for at, (temperature, part) in enumerate(rows.groupby("temperature")):
            axis.plot(
                part["L"],
                part["unexplained"],
                f"-{MARKERS[at]}",
                color=PALETTE[at],
                markersize=5,
                label=rf"$\tau = {temperature:g}$",
            )
            if part["limit"].iloc[0] > 0:
                axis.axhline(part["limit"].iloc[0], color=PALETTE[at], linestyle="--", linewidth=1)
        axis.set_yscale("log")
        axis.set_ylim(1e-4, 1.2)
        log_lengths(axis, sorted(table["L"].unique()))
    axes[0].set_ylabel("share of softmax output\nthat no constant × CME explains")
    axes[-1].legend(
        title="dashed: exact limit",
        fontsize=8.5,
        title_fontsize=8.5,
        loc="lower left",
        ncols=2,
    )
    return drawing
