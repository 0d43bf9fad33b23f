"""Gradient flow, the limit of small steps: an ordinary differential equation, by scipy's LSODA."""

from functools import partial
from typing import Any

import jax
import numpy as np

from soloc.dynamics.exact import exact_trainee
from soloc.dynamics.layout import Layout
from soloc.dynamics.motion import Motion, motion_of
from soloc.dynamics.path import Path
from soloc.dynamics.pieces import Record
from soloc.dynamics.population_path import runs_shape
from soloc.dynamics.records import above_noise, bayes_of, describe, flattened, for_every_run
from soloc.maths.engine import Array
from soloc.maths.numbers import check_count, check_real
from soloc.risk.registry import Slopes


def flow_path(
    task: Any,
    weight: Any,
    start: Any,
    *,
    until: float,
    records: int = 100,
    tolerance: float = 1e-9,
) -> Path:
    """The gradient flow k' = -(I - kk') dR/dk, v' = -(I - vv') dR/dv up to time `until`.

    Projected descent with step size alpha is at time alpha x steps, up to an error of order alpha.
    All runs share the adaptive steps of one solver, whose Jacobian is a band: the runs do not
    interact.
    """
    # here: a third of a second to import, which most never need
    from scipy.integrate import solve_ivp

    check_real("until", until, "a positive time", 0.0, above=True)
    check_count("records", records)
    trained = exact_trainee(task, weight, start)
    shape = runs_shape(start, task, trained)
    trained, lam = flattened(trained, shape), for_every_run(weight.lam, shape)
    begin, size = trained.layout.of_runs(start, shape).T, trained.layout.size
    assert trained.slopes is not None
    velocity = partial(flow_at, motion_of(type(start)), trained.slopes, trained.layout)

    def right_side(_: float, y: np.ndarray) -> np.ndarray:
        return np.asarray(velocity(y.reshape(-1, size), lam, *trained.leaves)).ravel()

    times = np.linspace(0.0, until, records + 1)
    with jax.enable_x64(True):
        solution = solve_ivp(
            right_side,
            (0.0, until),
            begin.ravel(),
            "LSODA",
            times,
            rtol=tolerance,
            atol=1e-3 * tolerance,
            lband=size - 1,
            uband=size - 1,
        )
    if not solution.success or not np.isfinite(solution.y).all():
        raise ValueError(f"the flow could not be solved up to time {until}: {solution.message}")
    states = np.moveaxis(solution.y.reshape(-1, size, len(times)), (0, 1, 2), (2, 1, 0))
    record = Record(times, states, states[-1], False)
    lam_seen = np.repeat(lam[None], len(times), axis=0)
    risk = above_noise(trained, lam_seen, states)
    columns = describe(task, trained, shape, record, lam_seen, risk)
    final = trained.layout.shaped(states[-1], shape)
    return Path(times, columns, final, shape, clock="time", bayes=partial(bayes_of, task, shape))


@partial(jax.jit, static_argnums=(0, 1, 2))
def flow_at(
    motion: Motion, slopes: Slopes, layout: Layout, y: Any, lam: Any, numbers: Any, predictor: Any
) -> Array:
    """The velocity of states whose numbers are (runs, size), at lam (runs,)."""
    state = layout.state(y.T)
    row = jax.tree.map(lambda x: x[0], slopes.table(lam[None], numbers))
    return layout.rows(motion.velocity(state, slopes.at(state, numbers, predictor, row))).T
