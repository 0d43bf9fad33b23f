"""Figure: what is left over. Residuals against predictions, and their distribution."""

from typing import Any

import matplotlib.pyplot as plt
import pandas as pd


def figure(table: pd.DataFrame, ax: Any = None) -> Any:
    """From columns `label` and `prediction`: residuals against predictions, and histogram."""
    residual = table["label"] - table["prediction"]
    if ax is None:
        figure_, (left, right) = plt.subplots(
            1, 2, figsize=(7.0, 3.4), sharey=True, width_ratios=(3, 1), layout="constrained"
        )
    else:
        left, right = ax
        figure_ = left.figure
    left.scatter(table["prediction"], residual, s=8, alpha=0.5, color="#12407a", linewidths=0)
    left.axhline(0, color="#444", linewidth=0.8)
    left.set(xlabel="prediction", ylabel="label - prediction")
    right.hist(residual, bins=40, orientation="horizontal", color="#9bbce0")
    right.set(xlabel="bags")
    return figure_
