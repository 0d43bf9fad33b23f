"""The best temperature, what it leaves over Bayes, and the price of a wrong one."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from soloc.figures.style import DASHES, INK, PALETTE, logarithmic, panels, power, styled


@styled
def figure(table: pd.DataFrame) -> Figure:
    """Four panels: best lam, its excess, the role of gamma, the price."""
    best, price = table[table.part == "best"], table[table.part == "price"]
    gamma = min(best.gamma.unique(), key=lambda g: abs(g - 0.5**0.5))
    drawing, axes = panels(2, 2, height=3.4)
    _against_d(axes[0], best[best.gamma == gamma], lambda rows: rows.lam * np.sqrt(rows.d))
    axes[0].set(
        ylabel=r"best $\lambda\,\sqrt{d}$",
        title=rf"Best inverse temperature, $\gamma = {gamma:.3g}$",
    )
    _against_d(axes[1], best[best.gamma == gamma], lambda rows: rows.above_bayes)
    logarithmic(axes[1], "y")
    axes[1].set(ylabel=r"excess over Bayes, $R - R_{\mathrm{Bayes}}$", title="What it leaves")
    axes[0].legend()
    _against_gamma(axes[2], best)
    _price(axes[3], price)
    return drawing


def _against_d(axis: Axes, rows: pd.DataFrame, value) -> None:
    for (L, group), colour, dash in zip(rows.groupby("L"), PALETTE, DASHES, strict=False):
        axis.plot(group.d, value(group), color=colour, linestyle=dash, label=f"$L = {L:.0f}$")
    logarithmic(axis, "x")
    axis.set(xlabel="dimension $d$")


def _against_gamma(axis: Axes, best: pd.DataFrame) -> None:
    d = min(best.d.unique(), key=lambda x: abs(np.log(x / 1e4)))
    for (L, group), colour, dash in zip(
        best[best.d == d].groupby("L"), PALETTE, DASHES, strict=False
    ):
        axis.plot(
            group.gamma,
            group.above_bayes / group.gamma**2,
            color=colour,
            linestyle=dash,
            marker="o",
            label=f"$L = {L:.0f}$",
        )
    logarithmic(axis, "y")
    axis.set(xlabel=r"noise of the signal token, $\gamma$")
    axis.set_ylabel(r"excess over Bayes in units of $\gamma^2$")
    axis.set_title(rf"At the best $\lambda$, against $\gamma$ ($d$ = {power(d)})")


def _price(axis: Axes, price: pd.DataFrame) -> None:
    lengths = sorted(price.L.unique())
    L = lengths[min(1, len(lengths) - 1)]
    for (d, group), colour, dash in zip(
        price[price.L == L].groupby("d"), PALETTE, DASHES, strict=False
    ):
        at_best = group[np.isclose(group.factor, 1.0)].above_bayes.iloc[0]
        axis.plot(
            group.factor,
            group.above_bayes / at_best,
            color=colour,
            linestyle=dash,
            label=f"$d$ = {power(d)}",
        )
    axis.axvline(1.0, color=INK, linewidth=0.8)
    logarithmic(axis, "x", base=2)
    logarithmic(axis, "y")
    axis.set(
        xlabel=r"$\lambda$ over the best $\lambda$",
        ylabel="excess over Bayes, over that at the best",
    )
    axis.set_title(f"The price of a wrong temperature ($L = {L:.0f}$)")
    axis.legend()
