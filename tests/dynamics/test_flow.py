"""Gradient flow is the limit of small steps, and converges at the rate of the smallest Hessian
eigenvalue.
"""

import jax
import numpy as np
import pytest

from soloc.dynamics.flow import flow_path
from soloc.dynamics.landscape import find_points
from soloc.dynamics.population_path import population_path
from soloc.dynamics.starts import uniform_on_sphere
from soloc.predictors.pointwise import Erf
from soloc.risk.overlaps import Overlaps
from soloc.tasks.single_location import SingleLocation

TASK = SingleLocation(d=50, L=5)
START = uniform_on_sphere(50, 3, jax.random.key(0))


def test_descent_approaches_the_flow_linearly_in_the_step():
    flow = flow_path(TASK, Erf(0.3), START, until=1.0, records=4)
    errors = []
    for steps in (1000, 2000, 4000):
        descent = population_path(
            TASK, Erf(0.3), START, steps=steps, step_size=1.0 / steps, every=steps // 4
        )
        errors.append(
            max(
                np.abs(flow.columns[name] - descent.columns[name]).max()
                for name in ("kappa", "nu", "eta")
            )
        )
    ratios = np.asarray(errors[:-1]) / errors[1:]
    assert np.all((ratios > 1.8) & (ratios < 2.2)), errors
    assert flow.clock == "time" and list(flow.table().columns[:2]) == ["run", "time"]


def test_the_risk_never_rises_along_the_flow():
    flow = flow_path(TASK, Erf(0.3), START, until=20.0, records=50)
    assert np.diff(flow.risk, axis=0).max() < 1e-9


def test_the_flow_converges_at_the_rate_of_the_smallest_eigenvalue():
    point = next(p for p in find_points(TASK, Erf(0.1), starts=4) if p.overlaps[0] > 0.999)
    assert point.kind == "minimum"
    angle = 0.05
    start = Overlaps(np.cos(angle), np.cos(angle))  # both k and v off the truth, in new directions
    flow = flow_path(TASK, Erf(0.1), start, until=8.0 / point.rate, records=40, tolerance=1e-11)
    off = np.sqrt(1.0 - flow.kappa[:, 0])  # proportional to the angle left
    late = slice(20, 40)
    rate = -np.polyfit(flow.steps[late], np.log(off[late]), 1)[0]
    assert rate == pytest.approx(point.rate, rel=0.02)


def test_bad_input_gets_a_sentence():
    with pytest.raises(ValueError, match="`until` must be a positive time, got 0"):
        flow_path(TASK, Erf(0.1), START, until=0)
