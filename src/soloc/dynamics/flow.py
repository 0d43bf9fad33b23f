"""Gradient flow, the limit of small steps: the overlaps as an ordinary differential equation,
solved by scipy's LSODA.
"""

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from soloc.dynamics.exact import Structure, check_exact_risk, rule_of, split
from soloc.dynamics.marathon import Record
from soloc.dynamics.overlap_map import Five, flow_velocity
from soloc.dynamics.path import Path
from soloc.dynamics.population_path import runs_shape
from soloc.dynamics.records import above_noise, bayes_of, describe, flattened
from soloc.maths.numbers import check_count, check_real
from soloc.risk.overlaps import NAMES, Overlaps
from soloc.tasks.single_location import SingleLocation


def flow_path(
    task: SingleLocation,
    weight: Any,
    start: Overlaps,
    *,
    until: float,
    records: int = 100,
    tolerance: float = 1e-9,
) -> Path:
    """The gradient flow k' = -(I - kk') dR/dk, v' = -(I - vv') dR/dv from `start` up to time
    `until`.

    Projected descent with step size alpha is at time alpha x steps, up to an error of order alpha.
    All runs share the adaptive steps of one solver, whose Jacobian is a band: the runs do not
    interact.
    """
    # here: a third of a second to import, which most never need
    from scipy.integrate import solve_ivp

    check_real("until", until, "a positive time", 0.0, above=True)
    check_count("records", records)
    structure, numbers = split(task, weight)
    check_exact_risk(structure)
    shape = runs_shape(start, numbers, weight.lam)
    flat = lambda x: np.broadcast_to(np.asarray(x, dtype=float), shape).reshape(-1)  # noqa: E731
    numbers, lam = flattened(numbers, shape), flat(weight.lam)
    begin = np.stack([flat(getattr(start, name)) for name in NAMES], axis=1)
    velocity = compiled_velocity(structure)

    def right_side(_: float, y: np.ndarray) -> np.ndarray:
        return np.asarray(velocity(y.reshape(-1, 5), lam, numbers)).ravel()

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
            lband=4,
            uband=4,
        )
    if not solution.success or not np.isfinite(solution.y).all():
        raise ValueError(f"the flow could not be solved up to time {until}: {solution.message}")
    states = np.moveaxis(solution.y.reshape(-1, 5, len(times)), (0, 1, 2), (2, 1, 0))
    record = Record(times, states, states[-1], False)
    lam_seen = np.repeat(lam[None], len(times), axis=0)
    columns = describe(
        task, shape, record, lam_seen, above_noise(structure, numbers, lam_seen, states)
    )
    final = Overlaps(*(x.reshape(shape) for x in states[-1]))
    return Path(times, columns, final, shape, clock="time", bayes=partial(bayes_of, task, shape))


@cache
def compiled_velocity(structure: Structure) -> Callable[..., jax.Array]:
    """velocity(overlaps (runs, 5), lam (runs,), numbers) of the flow."""
    rule = rule_of(structure)

    @jax.jit
    def velocity(y, lam, numbers):
        o = Five(*y.T)
        at = jax.tree.map(lambda x: x[0], rule.table(lam[None], numbers))
        return jnp.stack(flow_velocity(o, rule.slopes(o, numbers, at)), axis=1)

    return velocity
