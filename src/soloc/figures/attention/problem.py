"""One sequence as it comes, as attention sees it, and risk against length."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from soloc.figures.style import (
    BLUE,
    DASHES,
    GREEN,
    INK,
    MUTED,
    ORANGE,
    RED,
    log_lengths,
    panels,
    styled,
)

_LINES = {
    "no answer": (MUTED, DASHES[3]),
    "linear regression": (RED, DASHES[1]),
    "erf attention": (BLUE, DASHES[2]),
    "softmax attention": (ORANGE, DASHES[0]),
    "Bayes": (GREEN, DASHES[3]),
}


@styled
def figure(table: pd.DataFrame) -> Figure:
    """Three panels, read from left to right."""
    drawing, (tokens, seen, risk) = panels(
        1,
        3,
        width=11.0,
        height=3.3,
        titles=(
            "A sequence: which token decides?",
            "Attention: this one",
            "What that is worth",
        ),
        width_ratios=(1.0, 1.0, 1.15),
    )
    _tokens(tokens, table[table.part == "tokens"])
    _attention(seen, table[table.part == "attention"])
    _risks(risk, table[table.part == "risk"])
    return drawing


def _tokens(axis, rows: pd.DataFrame) -> None:
    grid = rows.pivot(index="coordinate", columns="token", values="value")
    limit = np.abs(grid.to_numpy()).max()
    extent = (0.5, grid.shape[1] + 0.5, 0.5, grid.shape[0] + 0.5)
    axis.imshow(
        grid, cmap="RdBu_r", vmin=-limit, vmax=limit, aspect="auto", extent=extent, origin="lower"
    )
    axis.grid(visible=False)
    axis.set(xlabel="token", ylabel="coordinate", xticks=range(1, grid.shape[1] + 1))


def _attention(axis, rows: pd.DataFrame) -> None:
    decisive = rows.decisive.astype(bool)
    axis.bar(rows.token + 1, rows.weight, color=np.where(decisive, ORANGE, MUTED), width=0.7)
    axis.set(xlabel="token", ylabel="attention weight", ylim=(0.0, 1.12), xticks=rows.token + 1)
    said = float((rows.weight * rows.value).sum())
    place = float(rows.token[decisive].iloc[0]) + 1
    left, high = place > len(rows) / 2, float(rows.weight[decisive].iloc[0])
    axis.annotate(
        f"answers {said:.2f}\ntruth {rows.answer.iloc[0]:.2f}",
        (place, high),
        xytext=(-14 if left else 14, -18 if high > 0.3 else 40),
        textcoords="offset points",
        ha="right" if left else "left",
        va="top",
        color=INK,
    )


def _risks(axis, rows: pd.DataFrame) -> None:
    for name, (colour, dash) in _LINES.items():
        line = rows[rows.predictor == name]
        width = 3.0 if name == "softmax attention" else 1.6
        axis.plot(line.L, line.risk, color=colour, linestyle=dash, linewidth=width, label=name)
    lengths = sorted(rows.L.unique())
    log_lengths(axis, [int(L) for L in lengths if L in (2, 10, 50, 200, 1000)])
    axis.set(ylabel="mean squared error", ylim=(0.0, 1.3))
    axis.legend(loc="upper left", ncols=2)
