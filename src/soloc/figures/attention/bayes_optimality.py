"""Excess over Bayes against d, and where in the (lam, L/d) plane attention is optimal."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.contour import QuadContourSet
from matplotlib.figure import Figure

from soloc.figures.style import (
    DASHES,
    INK,
    MUTED,
    ON_DARK,
    ON_LIGHT,
    PALETTE,
    SEQUENTIAL,
    logarithmic,
    panels,
    power,
    styled,
)


@styled
def figure(table: pd.DataFrame) -> Figure:
    """Curves against d beside linear regression; below, one plane per dimension."""
    curve, plane = table[table.part == "curve"], table[table.part == "plane"]
    planes = sorted(plane.d.unique())
    drawing, axes = panels(2, 2, height=3.6)
    _curves(axes[0], curve)
    _linear(axes[1], curve)
    for axis, d in zip(axes[2:], planes, strict=False):
        shown = _plane(axis, plane[plane.d == d], curve)
        drawing.colorbar(
            shown, ax=axis, label="log₁₀ of the excess risk,\nas a share of the null predictor's"
        ).ax.grid(False)
    for axis in axes[2 + len(planes) :]:
        axis.set_visible(False)
    return drawing


def _curves(axis: Axes, curve: pd.DataFrame) -> None:
    for (L, group), colour in zip(curve.groupby("L"), PALETTE, strict=False):
        rule = group[group.predictor.str.contains("1/4", regex=False)]
        best = group[group.predictor.str.contains("best")]
        axis.plot(rule.d, rule.above_bayes, color=colour, linestyle=DASHES[1])
        axis.plot(best.d, best.above_bayes, color=colour, label=f"$L = {L:.0f}$")
    null = curve[curve.predictor == "null"].above_bayes.max()
    axis.axhline(null, color=MUTED, linewidth=1.0)
    axis.text(
        0.99,
        null * 1.15,
        "null predictor",
        transform=axis.get_yaxis_transform(),
        ha="right",
        color=MUTED,
        size=8,
    )
    axis.plot([], [], color=INK, label=r"best $\lambda(d, L, \gamma)$")
    axis.plot([], [], color=INK, linestyle=DASHES[1], label=r"$\lambda = d^{-1/4}$")
    logarithmic(axis, "xy")
    axis.set(xlabel="dimension $d$", ylabel=r"excess over Bayes, $R - R_{\mathrm{Bayes}}$")
    axis.set_title(r"Attention at the truth, $k = k^*$, $v = v^*$")
    axis.legend(loc="lower left")


def _linear(axis: Axes, curve: pd.DataFrame) -> None:
    last = curve[curve.d == curve.d.max()]
    lengths = sorted(last.L.unique())
    place = np.arange(len(lengths))
    names = ["null", "linear", "erf, best lam", "Bayes"]
    labels = [
        "null (answers 0)",
        "linear regression",
        r"attention, best $\lambda$",
        "Bayes (below the axis)",
    ]
    width = 0.8 / len(names)
    floor = 1e-10
    for i, (name, label) in enumerate(zip(names, labels, strict=True)):
        heights = (
            last[last.predictor == name].set_index("L").excess.reindex(lengths).clip(lower=floor)
        )
        axis.bar(place + (i - 1.5) * width, heights, width * 0.92, color=PALETTE[i], label=label)
    logarithmic(axis, "y")
    axis.set_ylim(floor, 3e3)  # room for the legend above the bars
    axis.set_xticks(place, [f"$L = {L:.0f}$" for L in lengths])
    axis.grid(axis="x", visible=False)
    axis.set_ylabel(r"excess risk, $R - \varepsilon^2$")
    axis.set_title(f"Who gains anything? ($d$ = {power(last.d.max())})")
    axis.legend(loc="upper right", ncols=2, fontsize=7.5, handlelength=1.2, columnspacing=1.0)


def _plane(axis: Axes, plane: pd.DataFrame, curve: pd.DataFrame) -> QuadContourSet:
    d = plane.d.iloc[0]
    null = curve[curve.predictor == "null"].above_bayes.max()
    grid = plane.assign(ratio=plane.L / plane.d, share=plane.above_bayes / null).pivot_table(
        index="ratio", columns="lam", values="share"
    )
    lam, ratio = grid.columns.to_numpy(), grid.index.to_numpy()
    share = np.log10(grid.clip(1e-4, 1e2))
    shown = axis.contourf(lam, ratio, share, levels=np.arange(-4.0, 2.01, 0.5), cmap=SEQUENTIAL)
    axis.contour(
        lam, ratio, share, levels=[-2.0], colors=[ON_LIGHT], linewidths=1.2, linestyles="-"
    )
    logarithmic(axis, "xy")
    axis.set(xlabel=r"inverse temperature $\lambda$", ylabel="length over dimension, $L/d$")
    axis.axvline(1.0 / np.sqrt(d), color=ON_DARK, linestyle=DASHES[1], linewidth=1.2)
    axis.plot(lam, 1.0 / (lam**2 * d), color=ON_DARK, linestyle=DASHES[3], linewidth=1.6)
    axis.set(xlim=(lam[0], lam[-1]), ylim=(ratio[0], ratio[-1]))
    axis.text(
        1.25 / np.sqrt(d),
        ratio[-1] * 0.6,
        r"$\lambda\sqrt{d} = 1$",
        va="top",
        color=ON_DARK,
        size=8,
    )
    height = np.sqrt(ratio[0] * ratio[-1])
    axis.text(
        1.6 / np.sqrt(height * d),
        height,
        r"$\lambda\sqrt{L} = 1$",
        va="bottom",
        color=ON_DARK,
        size=8,
    )
    axis.grid(False)
    axis.set_title(f"Where attention is optimal, $d$ = {power(d) or int(d)} (line: 1 %)")
    return shown
