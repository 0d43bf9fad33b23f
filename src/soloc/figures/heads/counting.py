"""Risk against the number of heads, for several numbers of kinds."""

import pandas as pd
from matplotlib.figure import Figure

from soloc.figures.style import PALETTE, legend_below, panels, styled


@styled
def figure(table: pd.DataFrame) -> Figure:
    """The lower of both states over the number of heads, as a share of the null risk."""
    lengths = sorted(set(table.L))
    drawing, axes = panels(
        1,
        len(lengths),
        width=max(4.6 * len(lengths), 8.0),
        height=3.8,
        titles=[f"L = {L}" for L in lengths],
    )
    for axis, L in zip(axes, lengths, strict=True):
        for colour, (kinds, rows) in zip(
            PALETTE, table[table.L == L].groupby("kinds"), strict=False
        ):
            for state, style in (("pair by pair", ":"), ("sum-and-difference code", "-")):
                part = rows[rows.state == state].sort_values("H")
                axis.plot(
                    part.H, part.risk / part.null, color=colour, linestyle=style, marker="o",
                    label=f"{kinds} kind{'s' if kinds > 1 else ''}, {state}",
                )  # fmt: skip
            axis.axvline(kinds, color=colour, linewidth=0.6, alpha=0.5)
        axis.set_xscale("log", base=2)
        ticks = sorted(set(table.H))
        axis.set_xticks(ticks, [str(H) for H in ticks])
        axis.minorticks_off()
        axis.set(xlabel="number of heads $H$", ylabel="risk / risk of answering 0", ylim=(0, None))
    legend_below(drawing, axes[0], 3)
    return drawing
