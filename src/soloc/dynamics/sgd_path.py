"""Stochastic gradient descent with fresh samples: overlaps exactly in law, at any dimension."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from soloc.dynamics.exact import trainee
from soloc.dynamics.path import Path
from soloc.dynamics.pieces import Piece, StepsDone, check_run, run_in_pieces
from soloc.dynamics.population_path import runs_shape
from soloc.dynamics.records import above_noise, bayes_of, describe, flattened, lam_at, per_run
from soloc.dynamics.schedules import Tabulated
from soloc.dynamics.stochastic import SLOTS, Chain, Plan, compiled_chain, observe, triangular
from soloc.maths.numbers import check_count, check_real
from soloc.risk.overlaps import NAMES, Overlaps
from soloc.tasks.single_location import SingleLocation

_ROWS, _CELLS = 16384, 2**20  # steps of one compiled piece, and steps x distinct schedules


def sgd_path(
    task: SingleLocation,
    weight: Any,
    start: Overlaps,
    key: jax.Array,
    *,
    batch_size: int,
    steps: int,
    step_size: Any,
    lam: Any = None,
    momentum: Any = 0.0,
    free_norms: bool = False,
    every: int | None = None,
    progress: bool | Callable[[StepsDone], None] = False,
) -> Path:
    """The path of the overlaps under stochastic gradient descent on fresh batches, from `start`.

    The law of the path is that of full-dimensional SGD; the cost does not depend on d, up to 1e12
    and beyond. The path is a function of `key`, whatever is recorded. Arrays in `task`, `weight`,
    `start`, `lam`, `step_size` and `momentum` broadcast: each entry is a run with samples of its
    own.

    Parameters
    ----------
    batch_size : fresh samples of every step.
    step_size, lam, every, steps, progress : as in `population_path`.
    momentum : beta in velocity <- beta velocity + gradient; on the sphere the velocity is kept
        tangent.
    free_norms : leave |k| and |v| free (|k| is a learned inverse temperature) instead of projecting
        on the spheres. They start at 1; the overlaps recorded are those of the directions, beside
        the norms.
    """
    every = check_run(steps, every)
    check_count("batch_size", batch_size)
    check_real("momentum", momentum, "a number in [0, 1)", 0.0)
    if np.any(np.asarray(momentum) >= 1.0):
        raise ValueError(f"`momentum` must be a number in [0, 1), got {momentum}.")
    if not isinstance(task, SingleLocation):
        raise TypeError(
            "`task` must be SingleLocation, of whose tokens few coordinates are drawn, got"
            f" {type(task).__name__}; train in full dimension with"
            " soloc.dynamics.full_dimension.vectors_path."
        )
    trained = trainee(task, weight).without_lam()
    if np.ndim(task.L) != 0:
        raise ValueError(
            "`task` must have one length L for stochastic descent, got an array: make one call for"
            " each."
        )
    if not isinstance(start, Overlaps):
        raise TypeError(
            f"`start` must be `Overlaps` (see soloc.dynamics.starts), got {type(start).__name__}."
        )
    lam = weight.lam if lam is None else lam
    shape = runs_shape(start, task, trained, lam, step_size, momentum)
    runs = int(np.prod(shape, dtype=int))
    plan = Plan(
        task.lengths,
        int(task.L),
        batch_size,
        runs,
        bool(np.any(np.asarray(momentum) > 0.0)),
        free_norms,
    )
    trained = flattened(trained, shape)
    # its strength in numbers: a root taken inside the program would round otherwise
    whole = jax.tree.map(lambda x: per_run(x, shape), replace(task, signal=task.m))
    chain = Chain(whole, trained.predictor, per_run(momentum, shape))
    schedules = Tabulated("lam", lam, shape), Tabulated("step_size", step_size, shape)
    rows = int(
        np.clip(_CELLS // max(schedule.values(0, 1).shape[1] for schedule in schedules), 64, _ROWS)
    )

    def advance(vectors: Any, piece: Piece) -> tuple[Any, np.ndarray]:
        tables = (_padded(schedule.values(piece.first, piece.n), rows) for schedule in schedules)
        with jax.enable_x64(True):
            vectors, seen = compiled_chain(plan)(
                vectors, key, piece.first, *tables, chain, piece.n, piece.stride
            )
        return vectors, np.asarray(seen)[: piece.n // piece.stride]

    with jax.enable_x64(True):
        five = np.broadcast_arrays(*start, np.empty(shape))[:-1]
        vectors = _at_rest(plan, Overlaps(*(np.ravel(one) for one in five)))
        seen_first = np.asarray(observe(vectors))
    record = run_in_pieces(
        advance,
        vectors,
        seen_first,
        steps=steps,
        every=every,
        capacity=rows,
        slots=SLOTS,
        progress=progress,
    )
    if not free_norms:
        record = record._replace(states=record.states[:, :5])
    lam_seen = lam_at(record, schedules[0])
    risk = above_noise(trained, lam_seen, record.states)
    columns = describe(task, trained, shape, record, lam_seen, risk)
    final = Overlaps(*(columns[name][-1].reshape(shape) for name in NAMES))
    about = {
        "task": task,
        "weight": weight,
        "steps": steps,
        "every": every,
        "batch_size": batch_size,
        "momentum": momentum,
    }
    about["free_norms"] = free_norms
    return Path(
        record.steps,
        columns,
        final,
        shape,
        record.interrupted,
        bayes=partial(bayes_of, task, shape),
        about=about,
    )


def _at_rest(plan: Plan, start: Overlaps) -> jax.Array:
    """k, v, k*, v* (and velocities at rest) in their own frame."""
    in_frame = start.in_frame()
    axes = np.repeat(np.eye(4)[:2, :, None], plan.runs, axis=-1)
    velocities = np.zeros((plan.frame - 4, 4, plan.runs))
    return triangular([*map(jnp.asarray, (in_frame.k, in_frame.v, *axes, *velocities))])


def _padded(values: np.ndarray, rows: int) -> np.ndarray:
    return np.concatenate([values, np.repeat(values[-1:], rows - len(values), axis=0)])
