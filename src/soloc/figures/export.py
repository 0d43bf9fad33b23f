"""Figures as files: SVG, PDF and PNG whose bytes depend on the figure alone."""

import io
from typing import Any

import matplotlib
from matplotlib.backends.backend_mixed import MixedModeRenderer
from matplotlib.backends.backend_svg import FigureCanvasSVG, RendererSVG
from matplotlib.figure import Figure

from soloc.figures.formats import FORMATS
from soloc.figures.style import STYLE

_NO_DATE = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {"Software": None}}


def figure_bytes(figure: Figure, kind: str, name: str) -> bytes:
    """The figure as a file of one of FORMATS; `name` makes identifiers inside an SVG its own."""
    if kind not in FORMATS:
        raise ValueError(f"`kind` must be one of {', '.join(FORMATS)}, got {kind!r}.")
    settings: Any = {"svg.hashsalt": f"soloc-{name}", "svg.fonttype": STYLE["svg.fonttype"]}
    with matplotlib.rc_context(
        {**settings, "figure.constrained_layout.use": False, "figure.autolayout": False}
    ):
        if kind == "svg":
            return _svg(figure)
        if figure.get_layout_engine() is not None:
            _svg(figure)
        buffer = io.BytesIO()
        figure.savefig(buffer, format=kind, dpi=160, metadata=_NO_DATE[kind])
    return buffer.getvalue()


def _svg(figure: Figure) -> bytes:
    """The figure as SVG; finds its layout, which later exports keep.

    The renderer that draws also measures the type for the layout: `savefig` would draw once more
    for that, with a renderer of its own that sets every formula anew.
    """
    text = io.StringIO()
    width, height = figure.get_size_inches()
    canvas = _Measuring(figure)
    figure.dpi = 72  # the unit of SVG is a point
    plain = RendererSVG(72 * width, 72 * height, text, image_dpi=160, metadata=_NO_DATE["svg"])
    canvas.renderer = MixedModeRenderer(figure, width, height, 160, plain)
    figure.draw(canvas.renderer)
    canvas.renderer.finalize()
    figure.set_layout_engine(None)  # "none" would leave one that has every export drawn again
    return text.getvalue().encode()


class _Measuring(FigureCanvasSVG):
    """A canvas whose layout is measured by the renderer that draws."""

    renderer: Any  # a MixedModeRenderer, which is a renderer in all but its base class

    def get_renderer(self) -> Any:
        return self.renderer
