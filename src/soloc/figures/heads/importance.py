"""The best code and one head for each kind, against the importance of the second kind."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from soloc.figures.style import BLUE, GREEN, ORANGE, SEQUENTIAL, panels, styled


@styled
def figure(table: pd.DataFrame) -> Figure:
    """Risks, best angles, and the map of angles at equal importance."""
    drawing, axes = panels(
        1, 3, width=11.5, height=3.7,
        titles=["Each at its best temperature", "Angles of the best code", "Equal importance"],
    )  # fmt: skip
    code, own = table[table.part == "code"], table[table.part == "own"].sort_values("w")
    best = code.loc[code.groupby("w").risk.idxmin()].sort_values("w")
    axes[0].plot(own.w, own.risk, color=BLUE, marker="o", label="one head for each kind")
    axes[0].plot(best.w, best.risk, color=ORANGE, marker="o", label="best code")
    axes[0].set(ylabel="risk above the noise", ylim=(0, None))
    axes[0].legend(loc="lower right")
    axes[1].plot(best.w, np.degrees(best.a), color=GREEN, marker="o", label="keys, $a$")
    axes[1].plot(best.w, np.degrees(best.b), color=ORANGE, marker="s", label="values, $b$")
    axes[1].set(ylabel="degrees from the first kind", ylim=(0, 90))
    axes[1].legend(loc="upper left")
    for axis in axes[:2]:
        axis.set_xlabel("importance of the second kind")
    equal = code[code.w == code.w.max()].pivot_table(index="b", columns="a", values="risk")
    drawn = axes[2].contourf(
        np.degrees(equal.columns), np.degrees(equal.index), equal, levels=14, cmap=SEQUENTIAL
    )
    axes[2].set(xlabel="angle of the keys $a$", ylabel="angle of the values $b$")
    drawing.colorbar(drawn, ax=axes[2], label="risk above the noise")
    return drawing
