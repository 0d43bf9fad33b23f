"""Figure: the instances of one bag with the weight they got and what they contributed."""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

MOST_SHOWN = 40  # instances; of larger bags the heaviest are drawn


def figure(table: pd.DataFrame, title: str = "", ax: Any = None) -> Any:
    """Two bars per instance, weight and contribution; the decisive instance is dark."""
    shown = table.nlargest(MOST_SHOWN, "weight").sort_index() if len(table) > MOST_SHOWN else table
    rows = np.arange(len(shown))
    colours = np.where(shown["decisive"], "#12407a", "#9bbce0")
    if ax is None:
        figure_, axes = plt.subplots(
            1, 2, figsize=(7.5, 1.2 + 0.28 * len(shown)), sharey=True, layout="constrained"
        )
    else:
        left, right = ax
        figure_, axes = left.figure, (left, right)
    for axis, column in zip(axes, ("weight", "contribution"), strict=True):
        axis.barh(rows, shown[column], color=colours)
        axis.axvline(0, color="#444", linewidth=0.8)
        axis.set_xlabel(column)
    axes[0].set_yticks(rows, [str(name)[:40] for name in shown["name"]])
    axes[0].invert_yaxis()
    if title:
        figure_.suptitle(title)
    return figure_
