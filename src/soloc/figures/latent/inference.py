"""Error of every mechanism against the number of tokens, with the law of each."""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from soloc.figures.style import MARKERS, PALETTE, log_lengths, panels, styled

LABELS = {
    "CME, Bayes ridge": r"kernel (CME), Bayes ridge $\sigma^2/\lambda$",
    "CME, ridge 0.1 L^3/4": r"kernel (CME), ridge $0.1\,L^{3/4}$",
    "linear, inverse covariance": r"linear, $\Gamma = C_{KK}^{-1}$",
    "softmax, fixed, to truth": r"softmax, $\tau = 0.2$",
    "softmax, fixed, to its limit": r"softmax, $\tau = 0.2$, to its own limit",
    "softmax, 0.9 L^-1/3": r"softmax, $\tau = 0.9\,L^{-1/3}$",
}


@styled
def figure(table: pd.DataFrame) -> Figure:
    """Measured errors as markers, laws as lines."""
    drawing, (axis,) = panels(1, 1, width=7.6, height=4.6)
    for at, (name, rows) in enumerate(table.groupby("mechanism", sort=False)):
        style: dict[str, Any] = {"color": PALETTE[at], "linewidth": 1.3}
        axis.plot(
            rows["L"], rows["law"], linestyle="--" if "softmax" in str(name) else "-", **style
        )
        axis.plot(
            rows["L"],
            rows["error"],
            MARKERS[at],
            color=PALETTE[at],
            markersize=5.5,
            label=LABELS.get(str(name), name),
        )
    axis.set(yscale="log", title="Learning the latent within the context")
    axis.set_ylabel(r"squared error of $z\,\varphi(q)$ per coordinate")
    log_lengths(axis, sorted(table["L"].unique()))
    axis.legend(
        title="markers: measured; lines: law",
        fontsize=8.5,
        title_fontsize=8.5,
        loc="center left",
        bbox_to_anchor=(1.0, 0.5),
    )
    return drawing
