"""Error against length for each kind of memory, and what each memory stores."""

import pandas as pd
from matplotlib.figure import Figure

from soloc.figures.style import MARKERS, PALETTE, panels, styled

LABELS = {
    "every token": "every token",
    "posterior T": r"$T = (\Phi'\Phi,\ V'\Phi)$",
    "T, no Gram matrix": r"$V'\Phi$ alone",
    "degree 1 of T": r"degree 1 of $T$",
    "streamed T": r"$T$, streamed",
}


@styled
def figure(table: pd.DataFrame) -> Figure:
    """Left: error. Right: numbers stored."""
    drawing, (left, right) = panels(
        1,
        2,
        width=9.2,
        height=3.9,
        titles=["What each memory still knows", "What it stores"],
    )
    for at, (name, rows) in enumerate(table.groupby("memory", sort=False)):
        whole = name == "every token"
        style = {
            "color": PALETTE[at],
            "marker": MARKERS[at],
            "markersize": 10 if whole else 5,
            "fillstyle": "none" if whole else "full",
            "label": LABELS.get(str(name), name),
        }
        line = "none" if name in ("streamed T", "every token") else "-"
        left.plot(rows["L"], rows["error"], linestyle=line, **style)
        right.plot(rows["L"], rows["numbers"], linestyle=line, **style)
    for axis in (left, right):
        axis.set_xscale("log")
        axis.set_yscale("log")
        axis.set_xlabel("number of tokens $L$")
    left.set_ylabel(r"squared error of $z\,\varphi(q)$")
    right.set_ylabel("numbers kept per sequence")
    left.legend(fontsize=8.5)
    return drawing
