"""A training path: its risk, and how well every run is aligned with the truth."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from soloc.figures.style import DASHES, PALETTE, logarithmic, panels, styled

_RUNS = 30  # of more runs only these are drawn one by one
_ALIGNMENTS = {"kappa": r"$|\kappa|$ (where)", "nu": r"$|\nu|$ (what)"}


@styled
def figure(table: pd.DataFrame, clock: str) -> Figure:
    """Every run thin, the median thick; the left panel falls out where no risk was recorded."""
    risk = next((name for name in ("excess", "risk", "value") if name in table), None)
    aligned = [name for name in table if name in _ALIGNMENTS or str(name).startswith("aligned_")]
    shown = [name for name in (risk, aligned or None) if name]
    if not shown:
        shown = [[name for name in table if name not in ("run", clock)]]
    drawing, axes = panels(1, len(shown), width=4.5 * len(shown))
    for axis, names in zip(axes, shown, strict=True):
        names = [names] if isinstance(names, str) else names
        for name, colour, dash in zip(names, PALETTE, DASHES, strict=False):
            _runs(axis, table, clock, name, colour, dash)
        axis.set_xlabel(f"{clock} of training")
        if len(names) > 1:
            axis.legend()
    if risk:
        axes[0].set_ylabel({"excess": "risk above Bayes"}.get(risk, risk))
        if (table[risk] > 0.0).all():
            logarithmic(axes[0], "y")
    if aligned:
        axes[-1].set(ylabel="alignment with the truth", ylim=(-0.03, 1.05))
    return drawing


def _runs(
    axis: Axes, table: pd.DataFrame, clock: str, name: str, colour: str, dash: object
) -> None:
    values = table.assign(shown=table[name].abs() if name in _ALIGNMENTS else table[name])
    for run in values.run.unique()[:_RUNS]:
        one = values[values.run == run]
        axis.plot(one[clock], one.shown, color=colour, linewidth=0.5, alpha=0.4)
    median = values.groupby(clock).shown.median()
    label = _ALIGNMENTS.get(name, name.replace("aligned_", "alignment "))
    axis.plot(median.index, median, color=colour, linestyle=dash, linewidth=2.0, label=label)
