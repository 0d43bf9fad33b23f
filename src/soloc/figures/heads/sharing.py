"""Truth against code over temperature and length, and where descents of two heads end."""

import pandas as pd
from matplotlib.figure import Figure

from soloc.figures.style import (
    BLUE,
    GREEN,
    INK,
    MUTED,
    ORANGE,
    log_lengths,
    logarithmic,
    panels,
    styled,
)

_COLOURS = {"pair by pair": BLUE, "sum-and-difference code": ORANGE}
_STARTS = {"manifold": GREEN, "sphere": INK}


@styled
def figure(table: pd.DataFrame) -> Figure:
    """Risk over lam, advantage of the code over L, and the descents with their ends."""
    drawing, axes = panels(
        1, 3, width=11.5, height=3.9,
        titles=["Two heads, two kinds", "Each at its best temperature", "Descent of two heads"],
    )  # fmt: skip
    by_lam = table[table.part == "temperature"]
    for name, rows in by_lam.groupby("state", sort=False):
        axes[0].plot(rows.lam, rows.risk, color=_COLOURS[name], label=name)
    axes[0].set(xlabel="inverse temperature λ", ylabel="risk above the noise")
    axes[0].set(ylim=(0.0, 1.0))
    logarithmic(axes[0], "x")
    axes[0].legend(loc="upper left")
    best = table[table.part == "best"].pivot_table(index=["H", "L"], columns="state", values="risk")
    ratio = best["sum-and-difference code"] / best["pair by pair"]
    for H, colour in ((2, BLUE), (4, GREEN), (8, ORANGE)):
        if H in ratio.index.get_level_values("H"):
            rows = ratio.loc[H]
            axes[1].plot(rows.index, rows, color=colour, marker="o", label=f"{H} heads")
    axes[1].axhline(1.0, color=MUTED, linewidth=0.8, linestyle=":")
    log_lengths(axes[1], sorted(set(best.index.get_level_values("L"))))
    axes[1].set(ylabel="risk of the code / of pair by pair")
    axes[1].legend(loc="lower right")
    paths, ends = table[table.part == "path"], table[table.part == "end"]
    for start, colour in _STARTS.items():
        rows = paths[(paths.state == start) & (paths.block == "1") & (paths.step > 0)]
        if len(rows):
            axes[2].fill_between(
                rows.step, rows.low, rows.high, color=colour, alpha=0.2, linewidth=0
            )
            runs = int((ends.state == start).sum())
            axes[2].plot(rows.step, rows.risk, color=colour, label=f"from the {start}, {runs} runs")
    for name, colour in _COLOURS.items():
        rows = by_lam[by_lam.state == name]
        here = rows.iloc[(rows.lam - float(ends.lam.iloc[0])).abs().argmin()] if len(ends) else None
        if here is not None:
            axes[2].axhline(
                here.risk, color=colour, linewidth=1.0, linestyle="--", label=f"{name}, exact"
            )
    axes[2].set(xlabel="step", ylabel="risk above the noise, median and 10–90 %", ylim=(0, None))
    logarithmic(axes[2], "x")
    axes[2].legend(loc="upper right")
    return drawing
