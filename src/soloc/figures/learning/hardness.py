"""Two branches and the hard phase between them, by length."""

import pandas as pd
from matplotlib.figure import Figure

from soloc.figures.learning.curves import RATIO
from soloc.figures.style import BLUE, GREEN, INK, MUTED, ORANGE, panels, styled


@styled
def figure(table: pd.DataFrame) -> Figure:
    """Overlap of the value with the truth; the hard phase is shaded."""
    lengths = sorted(set(table.L))
    drawing, axes = panels(
        1, len(lengths), width=10.5, height=3.9, titles=[f"L = {L}" for L in lengths], sharey=True
    )
    for axis, L in zip(axes, lengths, strict=True):
        rows = table[table.L == L]
        branch = rows[rows.part == "branch"]
        low = branch[branch.start == "uninformed"].sort_values("samples_per_dimension")
        high = branch[branch.start == "informed"].sort_values("samples_per_dimension")
        jumps = rows[rows.part == "jump"].set_index("start").samples_per_dimension
        reached = jumps["AMP reaches it"]
        before = low[low.samples_per_dimension < reached]
        after = low[low.samples_per_dimension >= reached]
        axis.plot(before.samples_per_dimension, before.q_v, color=BLUE, label="from nothing (AMP)")
        axis.plot(after.samples_per_dimension, after.q_v, color=BLUE)
        axis.plot(
            high.samples_per_dimension, high.q_v, color=ORANGE, linestyle="--",
            label="from the truth",
        )  # fmt: skip
        axis.axvspan(
            jumps["informed branch wins"], reached, color=GREEN, alpha=0.15, linewidth=0,
            label="hard: possible, not reached",
        )  # fmt: skip
        axis.axvline(jumps["informed branch exists"], color=MUTED, linewidth=0.8, linestyle=":")
        dots = rows[rows.part == "dots"]
        if len(dots):
            axis.errorbar(
                dots.samples_per_dimension, dots.q_v, dots.error, color=INK, marker="o",
                linestyle="none", capsize=2, linewidth=1.0, label="AMP, simulated",
            )  # fmt: skip
        axis.set(xlabel=RATIO, ylim=(0.0, 1.03))
    axes[0].set_ylabel("overlap of the learned value with $v^*$")
    handles = dict(
        pair for axis in axes for pair in zip(*axis.get_legend_handles_labels()[::-1], strict=True)
    )
    drawing.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=4)
    drawing.suptitle(
        "Replica-symmetric theory, $n, d \\to \\infty$; dotted: the informed branch begins",
        size=8, color=MUTED,
    )  # fmt: skip
    return drawing
