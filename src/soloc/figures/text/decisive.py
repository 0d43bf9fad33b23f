"""R^2, localisation and coverage on each kind of new sentence, beside mean-pool ridge."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from soloc.figures.style import BLUE, GREEN, MUTED, ORANGE, PINK, SKY, legend_below, panels, styled

NAMES = {
    "seen": "known\ntemplates\nand words",
    "templates": "new\ntemplates",
    "words": "new rated\nwords",
    "both": "both\nnew",
    "everything": "plain words\nnew as well",
}
COLOURS = (BLUE, GREEN, PINK, SKY)


@styled
def figure(table: pd.DataFrame) -> Figure:
    """Bars are means over draws of the generator, dots the draws."""
    drawing, axes = panels(1, 3, width=10.5, height=3.9)
    layers = list(dict.fromkeys(table.layer))
    for axis, column, title in (
        (axes[0], "localisation", "The decisive word is found"),
        (axes[1], "r2", "$R^2$ of the score"),
        (axes[2], "coverage", "Covered by 90 % intervals"),
    ):
        methods = [("attention", layer) for layer in layers]
        if column == "r2":
            methods.append(("mean-pool ridge", layers[0]))
        for i, (method, layer) in enumerate(methods):
            rows = table[(table.method == method) & (table.layer == layer)]
            label = (
                method if len(layers) == 1 or method != "attention" else f"attention, layer {layer}"
            )
            colour = ORANGE if method != "attention" else COLOURS[i % len(COLOURS)]
            _bars(axis, rows, column, colour, label, i, len(methods))
        axis.set_xticks(
            range(len(NAMES)), [NAMES[split] for split in dict.fromkeys(table.split)], size=7
        )
        axis.grid(axis="x", visible=False)
        axis.set(ylim=(min(0.0, axis.get_ylim()[0]), 1.05), title=title)
    for axis, column in ((axes[0], "localisation"), (axes[1], "r2")):
        for place, bar in ((1, 0.95 if column == "localisation" else 0.90), (3, 0.85)):
            if column == "localisation" or place == 1:
                axis.plot(
                    [place - 0.45, place + 0.45],
                    [bar, bar],
                    color=MUTED,
                    linewidth=1.2,
                    linestyle="--",
                )
    axes[2].axhline(0.9, color=MUTED, linewidth=1.2, linestyle="--")
    legend_below(drawing, axes[1])
    return drawing


def _bars(
    axis: Axes, rows: pd.DataFrame, column: str, colour: str, label: str, place: int, count: int
) -> None:
    width = 0.8 / count
    for i, (_, group) in enumerate(rows.groupby("split", sort=False)):
        x = i - 0.4 + width * (place + 0.5)
        axis.bar(
            x, group[column].mean(), width * 0.92, color=colour, label=label if i == 0 else None
        )
        if len(group) > 1:
            axis.scatter([x] * len(group), group[column], s=7, color=MUTED, zorder=3, linewidths=0)
