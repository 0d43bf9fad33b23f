"""Generalisation gap of learned attention against training size and length."""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from soloc.figures.style import INK, MARKERS, PALETTE, log_lengths, panels, styled


@styled
def figure(table: pd.DataFrame) -> Figure:
    """Relative gap, absolute gap, and the precision that kernel attention does not find."""
    titles = [
        "Relative gap: the same at every length",
        "Absolute gap: falls with length",
        "CME: the precision is not found",
    ]
    drawing, (relative, absolute, precision) = panels(1, 3, width=12.9, height=3.9, titles=titles)
    tied, untied, cme = (table[table["learner"] == name] for name in ("tied", "untied", "CME"))
    for at, (L, rows) in enumerate(tied.groupby("L")):
        style: dict[str, Any] = {
            "color": PALETTE[at],
            "marker": MARKERS[at],
            "markersize": 5,
            "label": f"tied, $L = {L}$",
        }
        relative.plot(rows["n"], rows["relative_gap"], **style)
        absolute.errorbar(rows["n"], rows["gap"], 2 * rows["standard_error"], capsize=2, **style)
    for axis, column in ((relative, "relative_gap"), (absolute, "gap")):
        for L, n, gap in untied[["L", "n", column]].itertuples(index=False):
            axis.plot(n, gap, "*", color=INK, markersize=11, label=f"untied, $L = {L}$")
        log_lengths(axis, sorted(tied["n"].unique()), "training sequences $n$")
        axis.set_yscale("log")
    for at, (n, rows) in enumerate(cme.groupby("n")):
        precision.plot(
            rows["L"],
            rows["parameter_error"],
            marker=MARKERS[at],
            color=PALETTE[at + 3],
            label=f"precision, $n = {n}$",
        )
        precision.plot(
            rows["L"],
            rows["relative_gap"],
            marker=MARKERS[at],
            color=PALETTE[at + 3],
            linestyle=":",
            label=f"risk, $n = {n}$",
        )
    log_lengths(precision, sorted(cme["L"].unique()))
    precision.set_yscale("log")
    relative.set_ylabel(r"gap / $R^*$")
    absolute.set_ylabel("gap: test risk − training risk")
    precision.set_ylabel("relative error of the precision;\nrelative gap of the risk")
    relative.legend(fontsize=8.5)
    precision.legend(fontsize=8, loc="center right")
    return drawing
