"""How figures look, in one place: a colour-blind safe palette, ink and paper, sizes of type.

The report replaces these colours by variables of its page, so that a figure follows the reader's
theme.
"""

import math
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, ParamSpec

import matplotlib
import numpy as np
from cycler import cycler
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogFormatterSciNotation, LogLocator, NullLocator

from soloc.figures.palette import BLUE as BLUE
from soloc.figures.palette import GREEN as GREEN
from soloc.figures.palette import GRID as GRID
from soloc.figures.palette import INK as INK
from soloc.figures.palette import MUTED as MUTED
from soloc.figures.palette import ORANGE as ORANGE
from soloc.figures.palette import PALETTE as PALETTE
from soloc.figures.palette import PAPER as PAPER
from soloc.figures.palette import PINK as PINK
from soloc.figures.palette import RED as RED
from soloc.figures.palette import SKY as SKY

P = ParamSpec("P")

MARKERS = ("o", "s", "^", "D", "v", "P")
DASHES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 1)))
ON_DARK, ON_LIGHT = "#fffffe", "#101010"  # lines on a map of colours, the same in both themes
SEQUENTIAL = "cividis_r"  # light where the value is small

STYLE: Any = {
    "figure.facecolor": PAPER,
    "figure.constrained_layout.use": True,
    "savefig.facecolor": PAPER,
    "axes.facecolor": PAPER,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "axes.titley": 1.0,  # nothing stands above an axis that a title would have to avoid
    "axes.labelsize": 9,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.prop_cycle": cycler(color=PALETTE),
    "grid.color": GRID,
    "grid.linewidth": 0.6,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "legend.fontsize": 8,
    "legend.frameon": False,
    "lines.linewidth": 1.6,
    "lines.markersize": 4,
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "svg.fonttype": "path",
}


def styled(draw: Callable[P, Figure]) -> Callable[P, Figure]:
    """`draw` under the house style, whatever the user's own matplotlib settings are."""

    @wraps(draw)
    def drawn(*arguments: P.args, **options: P.kwargs) -> Figure:
        with matplotlib.rc_context():
            matplotlib.rcdefaults()
            matplotlib.rcParams.update(STYLE)
            return draw(*arguments, **options)

    return drawn


def panels(
    rows: int,
    columns: int,
    width: float = 9.0,
    height: float = 3.2,
    titles: Sequence[str] = (),
    **options: Any,
) -> tuple[Figure, list[Axes]]:
    """A figure of rows x columns axes, in reading order; `height` is that of one row."""
    figure = Figure(figsize=(width, height * rows))
    axes = [
        axis for row in figure.subplots(rows, columns, squeeze=False, **options) for axis in row
    ]
    for axis, title in zip(axes, titles, strict=False):
        axis.set_title(title)
    return figure, axes


_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def power(value: float, base: int = 10) -> str:
    """base to an integer exponent in plain characters, as 10⁴: formulas are slow to set."""
    exponent = math.log(value, base) if value > 0 else math.nan
    if not math.isclose(exponent, round(exponent), abs_tol=1e-6):
        return ""
    return f"{base}{str(round(exponent)).translate(_RAISED)}"


def logarithmic(axis: Axes, which: str, base: int = 10) -> None:
    """Logarithmic axes with plain labels ("x", "y" or "xy"); call it when all is drawn."""
    for name in which:
        getattr(axis, f"set_{name}scale")("log", base=base)
        low, high = getattr(axis, f"get_{name}lim")()
        ruler: Any = getattr(axis, f"{name}axis")
        if base == 10 and high / low < 300.0:
            ruler.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
            ruler.set_major_formatter(
                FuncFormatter(lambda value, _: f"{value:g}" if value < 1e4 else f"{value / 1e3:g}k")
            )
        else:
            ruler.set_major_formatter(FuncFormatter(lambda value, _: power(value, base)))
        ruler.set_minor_locator(NullLocator())


def log_lengths(axis: Axes, lengths: Sequence[int], label: str = "number of tokens $L$") -> None:
    """A logarithmic horizontal axis with ticks at the lengths that were measured."""
    axis.set_xscale("log", base=2)
    axis.set_xticks(list(lengths), [f"{length:,}" for length in lengths])
    axis.minorticks_off()
    axis.set_xlabel(label)


def plain_rulers(figure: Figure) -> None:
    """Make logarithmic axes that still have matplotlib's own labels as `logarithmic` does."""
    for axis in figure.axes:
        for name in "xy":
            ruler: Any = getattr(axis, f"{name}axis")
            if type(ruler.get_major_formatter()) is LogFormatterSciNotation:
                logarithmic(axis, name)


def median_band(axis: Axes, over_runs: Any, colour: str, **line: Any) -> None:
    """The median of a column grouped by x, in the band between the 10th and 90th percentile."""
    x = np.asarray(list(over_runs.groups))
    low, middle, high = (over_runs.quantile(share).to_numpy() for share in (0.1, 0.5, 0.9))
    axis.fill_between(x, low, high, color=colour, alpha=0.2, linewidth=0)
    axis.plot(x, middle, color=colour, **line)


def legend_below(figure: Figure, axis: Axes, columns: int = 4) -> None:
    """One legend for the whole figure, under it, from the labels of one of its axes."""
    handles, labels = axis.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=columns)
