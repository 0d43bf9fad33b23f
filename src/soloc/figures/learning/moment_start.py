"""Alignment of the moment estimators with the truth, and what training makes of them."""

import pandas as pd
from matplotlib.figure import Figure

from soloc.figures.learning.curves import RATIO
from soloc.figures.style import BLUE, DASHES, MARKERS, MUTED, ORANGE, logarithmic, panels, styled


@styled
def figure(table: pd.DataFrame) -> Figure:
    """Cosines of key and value; then the risk after L-BFGS by start."""
    titles = ("Start from moments: cosine with the truth", "Risk after L-BFGS from that start")
    drawing, axes = panels(1, 2, width=10.5, height=4.2, titles=titles)
    for (L, rows), dash, marker in zip(table.groupby("L"), DASHES, MARKERS, strict=False):
        law, measured = rows[rows.part == "law"], rows[rows.part == "moments"]
        for name, colour in (("cos_k", BLUE), ("cos_v", ORANGE)):
            letter = name[-1]
            axes[0].plot(
                law.samples_per_dimension, law[name], color=colour, linestyle=dash,
                label=f"${letter}$, L = {L}",
            )  # fmt: skip
            axes[0].errorbar(
                measured.samples_per_dimension, measured[name], measured[f"{name}_error"],
                color=colour, marker=marker, linestyle="none", capsize=2, linewidth=1.0,
            )  # fmt: skip
        trained = rows[rows.part == "trained"]
        for start, colour in (("moments", BLUE), ("random", ORANGE)):
            part = trained[trained.start == start]
            axes[1].errorbar(
                part.samples_per_dimension, part.risk, part.risk_error, color=colour,
                marker=marker, linestyle=dash, capsize=2, linewidth=1.0,
                label=f"{start}, L = {L}",
            )  # fmt: skip
    axes[0].set(ylim=(0.0, 1.02), ylabel="cosine")
    axes[1].set_ylabel("test error")
    for axis in axes:
        logarithmic(axis, "x")
        axis.set_xlabel(RATIO)
        axis.legend()
    drawing.suptitle(
        "Lines on the left: the law as $n, d \\to \\infty$; marks: finite $d$, ± one error",
        size=8, color=MUTED,
    )  # fmt: skip
    return drawing
