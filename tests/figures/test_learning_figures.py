"""Lines of learning curves: labelled as replica results, with gaps where they are not sure."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from soloc.figures.learning.curves import dots, finish, line

ROWS = pd.DataFrame(
    {
        "samples_per_dimension": [4.0, 1.0, 2.0],
        "risk": [0.3, 0.9, 0.5],
        "error": [0.01, 0.02, 0.03],
        "agrees": [True, True, False],
    }
)


def test_no_line_is_drawn_where_starts_end_apart():
    axis = Figure().subplots()
    line(axis, ROWS, "risk", "red", "-", "theory")
    np.testing.assert_array_equal(axis.lines[0].get_xdata(), [1.0, 2.0, 4.0])
    np.testing.assert_array_equal(axis.lines[0].get_ydata(), [0.9, np.nan, 0.3])
    line(axis, ROWS.assign(agrees=False), "risk", "red", "-", "nothing")
    assert len(axis.lines) == 1


def test_dots_are_open_there():
    axis = Figure().subplots()
    dots(axis, ROWS, "risk", "error", "red", "o", "descent")
    faces = {box.get_label(): box[0].get_markerfacecolor() for box in axis.containers}
    assert faces == {"descent": "red", "descent, starts end apart": "none"}


def test_the_figure_says_what_its_lines_are():
    drawing = Figure()
    axis = drawing.subplots()
    line(axis, ROWS, "risk", "red", "-", "theory")
    finish(drawing, [axis])
    assert "replica-symmetric" in drawing.get_suptitle()
    assert axis.get_xscale() == "log"
