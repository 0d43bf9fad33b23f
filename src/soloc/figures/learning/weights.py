"""Test risk of attention trained with each weight, against n/d."""

import pandas as pd
from matplotlib.figure import Figure

from soloc.figures.learning.curves import dots, finish, line
from soloc.figures.style import BLUE, DASHES, INK, MARKERS, PALETTE, legend_below, panels, styled


@styled
def figure(table: pd.DataFrame) -> Figure:
    """Every weight at its best ridge, and Bayes; the ridge beside them."""
    titles = ("Test error at the best ridge", "The best ridge")
    drawing, axes = panels(1, 2, width=10.5, height=4.7, titles=titles)
    colours = [colour for colour in PALETTE if colour != BLUE]
    for (name, rows), colour, dash, marker in zip(
        table.groupby("method", sort=False), colours, DASHES[1:], MARKERS, strict=False
    ):
        lines = rows[rows.kind == "theory"]
        line(axes[0], lines, "risk", colour, dash, name)
        tried = rows[rows.kind == "simulation"]
        dots(axes[0], tried, "risk", "error", colour, marker, f"{name}, L-BFGS")
        line(axes[1], lines, "ridge", colour, dash, name)
    bayes = table.drop_duplicates("samples_per_dimension").sort_values("samples_per_dimension")
    axes[0].plot(bayes.samples_per_dimension, bayes.bayes, color=INK, label="Bayes")
    axes[0].set_ylabel("test error")
    axes[0].set_ylim(bottom=0.0)
    axes[1].set_yscale("log")
    axes[1].set_ylabel("ridge $\\rho$ on key and value")
    legend_below(drawing, axes[0])
    finish(drawing, axes)
    return drawing
