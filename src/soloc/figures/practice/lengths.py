"""Risks at other lengths of what was trained at one."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from soloc.figures.style import DASHES, INK, MUTED, PALETTE, logarithmic, panels, styled

_LEAST = 1e-6
_LAYERS: dict[Any, str] = {"standard layer, Adam": "-", "standard layer, AdamW": "--"}
_LATENT = {
    "latent matrix": "A latent matrix: regression",
    "noisy recall": "A latent place: noisy recall",
}


@styled
def figure(table: pd.DataFrame) -> Figure:
    """Single-location regression by weight, and the two latent tasks by mechanism."""
    drawing, axes = panels(
        1, 3, width=12.5, height=4.4, titles=["One token decides", *_LATENT.values()]
    )
    located = table[~table.part.isin(list(_LATENT))]
    for i, (name, rows) in enumerate(located.groupby("name", sort=False)):
        mean = rows.groupby("L").used.mean().clip(lower=_LEAST)
        line: dict[str, Any] = {
            "color": PALETTE[i % len(PALETTE)],
            "linestyle": DASHES[i // len(PALETTE) % len(DASHES)],
        }
        if name in _LAYERS:
            line = {"color": INK, "linestyle": _LAYERS[name], "marker": "o", "zorder": 4}
        axes[0].plot(mean.index, mean, label=name, **line)
    axes[0].axhline(1.0, color=MUTED, linewidth=0.8, linestyle=":")
    axes[0].set(ylabel="excess over Bayes / that of answering 0")
    for axis, part in zip(axes[1:], _LATENT, strict=True):
        for colour, (name, rows) in zip(
            PALETTE, table[table.part == part].groupby("name", sort=False), strict=False
        ):
            axis.plot(rows.L, rows.used, color=colour, marker="o", label=f"{name}, set at L = 10")
            axis.plot(rows.L, rows.best, color=colour, linestyle=":", label=f"{name}, best at L")
        axis.set(ylabel="squared error")
    for axis in axes:
        axis.axvline(10, color=MUTED, linewidth=0.8, linestyle="--")
        axis.set(xlabel="number of tokens $L$ when used")
        logarithmic(axis, "xy")
        _legend_under(axis)
    return drawing


def _legend_under(axis: Axes) -> None:
    axis.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=2, fontsize=7)
