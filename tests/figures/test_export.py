"""A figure exported in several formats is laid out once and drawn once for each."""

import pytest
from matplotlib.figure import Figure

from soloc.figures.export import figure_bytes
from soloc.figures.formats import FORMATS
from soloc.figures.style import panels, styled


@styled
def drawing():
    figure, axes = panels(1, 2, titles=["A formula $x^2$", "Long title of another panel"])
    for axis in axes:
        axis.plot([0.0, 1.0], [1e-3, 2e5], label="line")
        axis.set_ylabel("a label")
    axes[1].legend()
    figure.colorbar(axes[0].scatter([0, 1], [0, 1], c=[0, 1]), ax=axes[0])
    return figure


@pytest.mark.parametrize("kind", FORMATS)
def test_a_file_does_not_depend_on_those_written_before(kind):
    figure = drawing()
    for other in FORMATS:
        figure_bytes(figure, other, "x")
    assert figure_bytes(figure, kind, "x") == figure_bytes(drawing(), kind, "x")


def test_each_format_draws_once(monkeypatch):
    drawn = []
    draw = Figure.draw
    monkeypatch.setattr(
        Figure, "draw", lambda figure, renderer: (drawn.append(renderer), draw(figure, renderer))
    )
    figure = drawing()
    for kind in FORMATS:
        figure_bytes(figure, kind, "x")
    assert len(drawn) == len(FORMATS)
