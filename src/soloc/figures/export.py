"""Figures as files: SVG, PDF and PNG whose bytes depend on the figure alone."""

import io
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.figure import Figure

from soloc.figures.formats import FORMATS as FORMATS
from soloc.figures.style import STYLE

_NO_DATE = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {"Software": None}}


def figure_bytes(figure: Figure, kind: str, name: str) -> bytes:
    """The figure as a file of one of FORMATS; `name` makes the identifiers inside an SVG its own."""
    if kind not in FORMATS:
        raise ValueError(f"`kind` must be one of {', '.join(FORMATS)}, got {kind!r}.")
    buffer = io.BytesIO()
    settings: Any = {"svg.hashsalt": f"soloc-{name}", "svg.fonttype": STYLE["svg.fonttype"]}
    with matplotlib.rc_context(
        {**settings, "figure.constrained_layout.use": False, "figure.autolayout": False}
    ):
        if figure.get_layout_engine() is not None:  # the layout is found once, not at every export
            figure.draw_without_rendering()
            figure.set_layout_engine(None)
        figure.savefig(buffer, format=kind, dpi=160, metadata=_NO_DATE[kind])
    return buffer.getvalue()


def kind_of(path: Path) -> str:
    """The format that a file name asks for."""
    kind = path.suffix.lstrip(".").lower()
    if kind not in FORMATS:
        raise ValueError(f"`{path}` must end in one of {', '.join('.' + f for f in FORMATS)}.")
    return kind
