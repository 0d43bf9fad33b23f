"""The look that the latent figures share: colours that colour-blind readers tell apart, plain axes."""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")


def panels(
    columns: int, titles: Sequence[str], width: float = 4.6, height: float = 3.9
) -> tuple[Figure, list[Axes]]:
    """A figure with one row of panels, each with its title."""
    figure = Figure(figsize=(width * columns, height), layout="constrained")
    axes = [figure.add_subplot(1, columns, i + 1) for i in range(columns)]
    for axis, title in zip(axes, titles, strict=True):
        axis.set_title(title, fontsize=10.5)
        axis.grid(alpha=0.25, linewidth=0.6)
        axis.spines[["top", "right"]].set_visible(False)
    return figure, axes


def log_lengths(axis: Axes, lengths: Sequence[int], label: str = "number of tokens $L$") -> None:
    """Ticks at the lengths that were measured, on a logarithmic axis."""
    axis.set_xscale("log", base=2)
    axis.set_xticks(list(lengths), [f"{length:,}" for length in lengths])
    axis.minorticks_off()
    axis.set_xlabel(label)
