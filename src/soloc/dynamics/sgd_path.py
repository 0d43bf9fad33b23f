"""Stochastic gradient descent with fresh samples: overlaps exactly in law, at any dimension."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import jax
import numpy as np

from soloc.dynamics.exact import exact_trainee, trainee
from soloc.dynamics.path import Path
from soloc.dynamics.pieces import Piece, check_run, run_in_pieces
from soloc.dynamics.population_path import runs_shape
from soloc.dynamics.records import above_noise, bayes_of, describe, flattened, lam_at, per_run
from soloc.dynamics.schedules import Tabulated
from soloc.dynamics.step_draws import Plan
from soloc.dynamics.stochastic import (
    SLOTS,
    Chain,
    compiled_chain,
    observe_gram,
    observe_overlaps,
    triangular,
)
from soloc.maths.numbers import check_count, check_real
from soloc.maths.steps_done import StepsDone
from soloc.predictors import normalised, pointwise
from soloc.risk.gram import Gram
from soloc.risk.overlaps import NAMES, Overlaps
from soloc.risk.population import population_risk
from soloc.tasks.several_locations import SeveralLocations
from soloc.tasks.single_location import SingleLocation

_IN_THE_SPAN = 1e-13  # part of a squared norm that is rounding
_ROWS, _CELLS = 16384, 2**20  # steps of one compiled piece, and steps x distinct schedules


def sgd_path(
    task: SingleLocation | SeveralLocations,
    weight: Any,
    start: Overlaps | Gram,
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
    own. Several `Heads` on `SeveralLocations` start from a `Gram`.

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
    if not isinstance(task, (SingleLocation, SeveralLocations)):
        raise TypeError(
            "`task` must be SingleLocation or SeveralLocations, of whose tokens few coordinates are"
            f" drawn, got {type(task).__name__}; train in full dimension with"
            " soloc.dynamics.full_dimension.vectors_path."
        )
    several = isinstance(task, SeveralLocations)
    trained = (
        exact_trainee(task, weight, start) if several else trainee(task, weight)
    ).without_lam()
    if np.ndim(task.L) != 0:
        raise ValueError(
            "`task` must have one length L for stochastic descent, got an array: make one call for"
            " each."
        )
    kind = Gram if several else Overlaps
    if not isinstance(start, kind):
        raise TypeError(
            f"`start` must be `{kind.__name__}` (see soloc.dynamics.starts), got"
            f" {type(start).__name__}."
        )
    lam = weight.lam if lam is None else lam
    shape = runs_shape(start, task, trained, lam, step_size, momentum)
    plan = Plan(
        getattr(task, "lengths", None),
        int(task.L),
        batch_size,
        int(np.prod(shape, dtype=int)),
        bool(np.any(np.asarray(momentum) > 0.0)),
        free_norms,
        observe_overlaps,
    )
    if isinstance(task, SeveralLocations):
        population_risk(task, weight, start)  # refused before the first step
        kinds = np.repeat(np.arange(task.kinds), task.per_kind).tolist()
        plan = plan._replace(
            observe=observe_gram,
            heads=len(weight),
            kinds=tuple(kinds),
            importance=task.importance,
        )
    trained = flattened(trained, shape)
    weights = trained.predictor.weights if several else (trained.predictor.with_lam(1.0),)
    plan = plan._replace(arithmetic=plan.small and all(map(_is_arithmetic, weights)))
    # its strength in numbers: a root taken inside the program would round otherwise
    whole = jax.tree.map(lambda x: per_run(x, shape), replace(task, signal=task.m))
    chain = jax.tree.map(plan.filled, Chain(whole, weights, per_run(momentum, shape)))
    schedules = Tabulated("lam", lam, shape), Tabulated("step_size", step_size, shape)
    rows = int(
        np.clip(_CELLS // max(schedule.values(0, 1).shape[1] for schedule in schedules), 64, _ROWS)
    )

    def advance(vectors: Any, piece: Piece) -> tuple[Any, np.ndarray]:
        tables = (
            plan.filled(_padded(schedule.values(piece.first, piece.n), rows))
            for schedule in schedules
        )
        with jax.enable_x64(True):
            vectors, seen = compiled_chain(plan)(
                vectors, key, piece.first, *tables, chain, piece.n, piece.stride
            )
        return vectors, np.asarray(seen)[: piece.n // piece.stride, :, : plan.runs]

    vectors = _at_rest(plan, start, shape)
    record = run_in_pieces(
        advance,
        plan.filled(vectors),
        plan.observe(vectors, plan.followed),
        steps=steps,
        every=every,
        capacity=rows,
        slots=SLOTS,
        progress=progress,
    )
    if not (free_norms or several):
        record = record._replace(states=record.states[:, :5])
    lam_seen = lam_at(record, schedules[0])
    risk = above_noise(trained, lam_seen, record.states)
    columns = describe(task, trained, shape, record, lam_seen, risk)
    final: Any = (
        trained.layout.shaped(record.states[-1], shape)
        if several
        else Overlaps(*(columns[name][-1].reshape(shape) for name in NAMES))
    )
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


def _is_arithmetic(weight: Any) -> bool:
    """One of ours that does not sort; what a user's does, nobody knows."""
    named = type(weight).__module__ in (pointwise.__name__, normalised.__name__)
    plain = isinstance(weight, (pointwise.Pointwise, normalised.NormalisedKernel))
    return named and plain and not isinstance(weight, pointwise.PointwiseFunction)


def _at_rest(plan: Plan, start: Overlaps | Gram, shape: tuple[int, ...]) -> np.ndarray:
    """Heads and truth (and velocities at rest) in their own frame; numbers, nothing to compile."""
    if isinstance(start, Gram):
        size = plan.followed
        grams = np.broadcast_to(start.matrix, (*shape, size, size)).reshape(-1, size, size)
        known = np.moveaxis(_lower(grams), 0, -1)
        velocities = plan.frame - size
        return np.pad(known, ((0, velocities), (0, velocities), (0, 0)))
    five = np.broadcast_arrays(*start, np.empty(shape))[:-1]
    in_frame = Overlaps(*(np.ravel(one) for one in five)).in_frame()
    axes = np.repeat(np.eye(4)[:2, :, None], plan.runs, axis=-1)
    velocities_at_rest = np.zeros((plan.frame - 4, 4, plan.runs))
    return np.asarray(triangular([in_frame.k, in_frame.v, *axes, *velocities_at_rest]))


def _lower(grams: np.ndarray) -> np.ndarray:
    """Cholesky factors (runs, n, n); a vector in the span of those before it has no axis."""
    rows = np.zeros_like(grams)
    for j in range(grams.shape[-1]):
        left = grams[:, j, j] - np.sum(rows[:, j, :j] ** 2, axis=-1)
        pivot = np.sqrt(np.where(left > _IN_THE_SPAN * grams[:, j, j], left, 0.0))
        rest = grams[:, j + 1 :, j] - np.sum(rows[:, j + 1 :, :j] * rows[:, None, j, :j], axis=-1)
        rows[:, j, j] = pivot
        along = rest / np.where(pivot > 0.0, pivot, 1.0)[:, None]
        rows[:, j + 1 :, j] = np.where(pivot[:, None] > 0.0, along, 0.0)
    return rows


def _padded(values: np.ndarray, rows: int) -> np.ndarray:
    return np.concatenate([values, np.repeat(values[-1:], rows - len(values), axis=0)])
