"""Figure: are the stated probabilities kept? Nominal against empirical coverage."""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd


def figure(table: pd.DataFrame, ax: Any = None) -> Any:
    """From a table with the column `pit`: coverage curve, with a 95 % band for chance."""
    centred = np.sort(np.abs(2 * table["pit"].to_numpy() - 1))
    nominal = np.linspace(0.01, 0.99, 99)
    empirical = np.searchsorted(centred, nominal, side="right") / len(centred)
    chance = 1.96 * np.sqrt(nominal * (1 - nominal) / len(centred))
    if ax is None:
        _, ax = plt.subplots(figsize=(4.2, 4.0), layout="constrained")
    ax.fill_between(
        nominal, nominal - chance, nominal + chance, color="#ddd", label="95 % chance band"
    )
    ax.plot([0, 1], [0, 1], color="#444", linewidth=0.8)
    ax.plot(nominal, empirical, color="#12407a", label="model")
    ax.set(xlabel="nominal coverage", ylabel="empirical coverage", xlim=(0, 1), ylim=(0, 1))
    ax.legend(loc="upper left", frameon=False)
    return ax.figure
