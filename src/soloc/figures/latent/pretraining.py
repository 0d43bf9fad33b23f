"""Transfer of masked-token pretraining, run by run against its bound; few-shot read-out."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from soloc.figures.style import INK, MARKERS, PALETTE, panels, styled


@styled
def figure(table: pd.DataFrame) -> Figure:
    """Left: every run below its bound. Middle: learning and floor. Right: few-shot errors."""
    titles = [
        "Downstream excess, run by run",
        "$K$ acts twice in a weak direction",
        "Few labels: pretrained against raw features",
    ]
    drawing, (bound, twice, few) = panels(1, 3, width=12.9, height=3.9, titles=titles)
    groups = list(table.groupby("K"))
    for at, (K, rows) in enumerate(groups):
        scaled = K * rows["ssl_excess"]
        bound.plot(
            scaled,
            rows["down_weak"],
            MARKERS[at],
            color=PALETTE[at],
            markersize=3.5,
            alpha=0.6,
            label=f"$K = {K}$",
        )
    ends = np.array([5e-3, 3.0])
    bound.plot(ends, ends, color=INK, linewidth=1, label=r"bound: $\kappa_{rel}\times$ SSL excess")
    bound.plot(
        ends, ends / 6, color=INK, linewidth=1, linestyle=":", label="bound / $d$: equal shares"
    )
    bound.set(
        xscale="log",
        yscale="log",
        xlabel=r"$K\,\times$ excess of pretraining",
        ylabel="excess in a weak direction",
    )
    bound.legend(fontsize=8)
    means = table.groupby("K").mean()
    for at, (column, label) in enumerate(
        (
            ("ssl_excess", "pretraining excess"),
            ("down_weak", "downstream excess (learning)"),
            ("floor_weak", "floor of linear attention"),
            ("posterior_weak", "posterior variance"),
        )
    ):
        twice.plot(
            means.index,
            means[column],
            marker=MARKERS[at],
            color=PALETTE[at],
            linestyle="-" if at < 2 else "--",
            label=label,
        )
    twice.set(
        xscale="log",
        yscale="log",
        xlabel="condition number $K$ of the keys",
        ylabel="squared error",
    )
    twice.legend(fontsize=8)
    labels = sorted(int(c.removeprefix("raw_")) for c in table.columns if c.startswith("raw_"))
    for at, (K, rows) in enumerate(groups):
        for kind, line, name in (("raw", "--", "raw"), ("ssl", "-", "pretrained")):
            few.plot(
                labels,
                [rows[f"{kind}_{m}"].mean() for m in labels],
                linestyle=line,
                marker=MARKERS[at],
                color=PALETTE[at],
                markersize=5,
                label=f"$K = {K}$, {name}",
            )
    few.set(
        xscale="log",
        yscale="log",
        xlabel="labelled sequences",
        ylabel="squared error of the read-out",
    )
    few.set_xticks(labels, [str(m) for m in labels])
    few.minorticks_off()
    few.set_ylim(top=60)
    few.legend(fontsize=8, ncols=2, loc="upper center")
    return drawing
