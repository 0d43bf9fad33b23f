"""Paths, curves and sweeps in a notebook."""

import jax
import numpy as np

from soloc import Erf, SingleLocation, descend, population_path
from soloc.dynamics.starts import uniform_on_sphere
from soloc.learning import known_location_curve


def path(steps=40):
    start = uniform_on_sphere(400, 3, jax.random.key(0))
    return population_path(SingleLocation(), Erf(0.1), start, steps=steps, step_size=4e-3)


def test_a_path_draws_its_excess_and_both_alignments():
    found = path()
    left, right = found.figure().axes
    assert left.get_yscale() == "log" and len(left.lines) == len(right.lines) / 2 == 4
    median = found.table().groupby("step").excess.median()
    assert np.array_equal(left.lines[-1].get_ydata(), median)
    assert np.array_equal(right.lines[0].get_ydata(), np.abs(found.kappa[:, 0]))
    assert [line.get_text() for line in right.get_legend().get_texts()] == [
        r"$|\kappa|$ (where)",
        r"$|\nu|$ (what)",
    ]


def test_a_path_of_ones_own_objective_draws_what_it_has():
    found = descend(lambda x: (x**2).sum(), np.ones(2), steps=10, step_size=0.1)
    (axis,) = found.figure().axes
    assert axis.lines[-1].get_ydata()[-1] < axis.lines[-1].get_ydata()[0]


def test_paths_and_curves_are_tables_in_a_notebook():
    assert "3 runs" in path()._repr_html_() and "<table" in path()._repr_html_()
    assert (
        "<table"
        in known_location_curve(SingleLocation(L=3, gamma=1.0, signal=2.0), [1, 2])._repr_html_()
    )
