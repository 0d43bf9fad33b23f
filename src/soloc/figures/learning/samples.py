"""Risk against n/d: the best learner, three others, and what algorithms reach."""

import pandas as pd
from matplotlib.figure import Figure

from soloc.figures.learning.curves import dots, finish, line
from soloc.figures.style import BLUE, GREEN, INK, MUTED, ORANGE, RED, legend_below, panels, styled

LINES = {
    "linear, best ridge": (MUTED, ":"),
    "softmax, least squares": (ORANGE, "--"),
    "Bayes": (BLUE, "-"),
    "known location": (GREEN, "-."),
}
DOTS = {
    "softmax, least squares": (ORANGE, "s", "the same by L-BFGS"),
    "AMP": (BLUE, "o", "AMP"),
    "SingleLocationRegressor": (RED, "^", "SingleLocationRegressor"),
}


@styled
def figure(table: pd.DataFrame) -> Figure:
    """All curves with their dots; then the excess over Bayes."""
    drawing, axes = panels(1, 2, width=10.5, height=4.8, titles=("Risk", "Risk above Bayes"))
    bayes = table[table.method == "Bayes"].set_index("samples_per_dimension").risk
    above = table.assign(gap=table.risk - table.samples_per_dimension.map(bayes))
    for name, (colour, dash) in LINES.items():
        rows = above[(above.method == name) & (above.kind == "theory")]
        line(axes[0], rows, "risk", colour, dash, name)
        if name in ("linear, best ridge", "softmax, least squares"):
            line(axes[1], rows, "gap", colour, dash, name)
    for name, (colour, marker, label) in DOTS.items():
        rows = above[(above.method == name) & (above.kind == "simulation")]
        dots(axes[0], rows, "risk", "error", colour, marker, label)
        dots(axes[1], rows, "gap", "error", colour, marker, label)
    axes[1].axhline(0.0, color=INK, linewidth=0.8)
    axes[0].set_ylabel("test error $E(Y - \\hat Y)^2$")
    axes[0].set_ylim(bottom=0.0)
    legend_below(drawing, axes[0])
    finish(drawing, axes)
    return drawing
