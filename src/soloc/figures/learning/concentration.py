"""Attention mass on the decisive token against n/d."""

import pandas as pd
from matplotlib.figure import Figure

from soloc.figures.learning.curves import dots, finish, line
from soloc.figures.learning.samples import DOTS
from soloc.figures.style import BLUE, DASHES, MUTED, ORANGE, PALETTE, panels, styled


@styled
def figure(table: pd.DataFrame) -> Figure:
    """Algorithms at the shortest length; the best learner at all lengths."""
    exact = table[table.method == "Bayes"]
    short = exact.L.min()
    drawing, axes = panels(
        1, 2, width=10.5, height=4.2, titles=(f"L = {short}", "The best learner, by length")
    )
    first = exact[(short == exact.L) & (exact.start == "uninformed")]
    line(axes[0], first, "mass", BLUE, "-", "Bayes")
    axes[0].axhline(first.limit.iloc[0], color=BLUE, linewidth=0.8, linestyle=":")
    trained = table[(table.method == "softmax, least squares") & (table.kind == "theory")]
    line(axes[0], trained, "mass", ORANGE, "--", "softmax, least squares")
    for name, (colour, marker, label) in DOTS.items():
        rows = table[(table.method == name) & (table.kind == "simulation")]
        dots(axes[0], rows, "mass", "mass_error", colour, marker, label)
    axes[0].axhline(1.0 / short, color=MUTED, linewidth=0.9)
    axes[0].text(exact.samples_per_dimension.min(), 1.0 / short, "chance", va="bottom", color=MUTED)
    for (L, rows), colour, dash in zip(exact.groupby("L"), PALETTE, DASHES, strict=False):
        label = f"L = {L:,}, m = {rows.signal.iloc[0]:g}"
        line(axes[1], rows[rows.start == "uninformed"], "mass", colour, dash, label)
        other = rows[rows.start == "informed"]
        if len(other):
            axes[1].plot(
                other.samples_per_dimension,
                other.mass,
                color=colour,
                linewidth=0.8,
                marker=".",
                label=f"L = {L:,}, from the truth",
            )
    for axis in axes:
        axis.set(ylim=(-0.02, 1.02))
    axes[0].set_ylabel("expected attention on $J_0$")
    for axis in axes:
        axis.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=2)
    finish(drawing, axes)
    return drawing
