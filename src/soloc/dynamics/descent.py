"""Gradient descent on any objective, free or on spheres; it knows no task."""

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from soloc.dynamics.path import Path
from soloc.dynamics.pieces import Piece, check_run, run_in_pieces
from soloc.dynamics.rules import Plain, Rule
from soloc.dynamics.schedules import Tabulated
from soloc.maths.engine import Array
from soloc.maths.precision import as_double
from soloc.maths.steps_done import StepsDone

SLOTS, _ROWS = 256, 4096  # observations and steps of one compiled piece
_ON_THE_SPHERE = 1e-6  # how far from 1 the norm of a start may be

Observe = Callable[[Any], dict[str, jax.Array]]


def descend(
    objective: Callable[..., jax.Array],
    start: Any,
    *,
    steps: int,
    step_size: Any,
    rule: Rule = Plain(),  # noqa: B008 (frozen)
    on_sphere: bool = False,
    lam: Any = None,
    key: jax.Array | None = None,
    observe: Observe | None = None,
    every: int | None = None,
    progress: bool | Callable[[StepsDone], None] = False,
) -> Path:
    """Descend `objective` from `start`: the values along the way, and the last point in
    `Path.final`.

    Parameters
    ----------
    objective : a differentiable function of a point that returns one value, or one value per
        independent run. It is called as objective(point), with lam's value at the step as a further
        argument when `lam` is given, and a fresh key after it when `key` is.
    start : any pytree of arrays. Computation is in double precision.
    steps, step_size, every, progress : as in `population_path`.
    rule : the update rule, see `soloc.dynamics.rules`.
    on_sphere : keep every vector (last axis of every leaf) on the unit sphere: directions are
        projected, points normalised.
    observe : columns to record beside `value`, each one number per run.
    """
    every = check_run(steps, every)
    if on_sphere:
        _check_on_sphere(start)
    with jax.enable_x64(True):
        start = as_double(start)
        arguments = ([] if lam is None else [0.0]) + ([] if key is None else [key])
        value = jax.eval_shape(objective, start, *arguments)
        if value.ndim > 1:
            raise ValueError(
                "`objective` must return one value, or one per run, got an array of shape"
                f" {value.shape}."
            )
    size = 1 if value.ndim == 0 else value.shape[0]
    alphas = Tabulated("step_size", step_size, value.shape)
    lams = None if lam is None else Tabulated("lam", lam, value.shape)
    compiled = partial(_advance, _Static(objective, rule, on_sphere, observe, value.ndim == 1))

    def advance(state: Any, piece: Piece) -> tuple[Any, np.ndarray]:
        rows = [
            None if schedule is None else _rows(schedule, piece, value.ndim)
            for schedule in (alphas, lams)
        ]
        with jax.enable_x64(True):
            state, seen = compiled(
                state, *rows, key, piece.first, piece.n // piece.stride, piece.stride
            )
        return state, np.asarray(seen)[: piece.n // piece.stride]

    with jax.enable_x64(True):
        state = (start, rule.begin(start))
        rows = [
            None if schedule is None else _rows(schedule, Piece(0, 1, 1), value.ndim)
            for schedule in (alphas, lams)
        ]
        # one record after no step: the program that goes on compiles once
        _, seen = compiled(state, *rows, key, 0, 1, 0)
        first = np.asarray(seen)[0]
        names = ["value", *(observe(start) if observe else {})]
    record = run_in_pieces(
        advance,
        state,
        first,
        steps=steps,
        every=every,
        capacity=_ROWS,
        slots=SLOTS,
        progress=progress,
    )
    columns = {name: record.states[:, i] for i, name in enumerate(names)}
    return Path(
        record.steps,
        columns,
        record.last[0],
        () if value.ndim == 0 else (size,),
        record.interrupted,
    )


class _Static:
    """What a compiled piece depends on besides numbers; equal when its parts are the same."""

    def __init__(
        self, objective: Any, rule: Any, on_sphere: bool, observe: Any, per_run: bool
    ) -> None:
        self.objective, self.rule, self.on_sphere, self.observe, self.per_run = (
            objective,
            rule,
            on_sphere,
            observe,
            per_run,
        )
        self._parts = (objective, rule, on_sphere, observe, per_run)

    def __hash__(self) -> int:
        return hash(self._parts)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Static) and self._parts == other._parts

    def value(self, point: Any, lam: Any, key: Any, step: Any) -> Array:
        """The objective at a step."""
        arguments = ([] if lam is None else [lam]) + (
            [] if key is None else [jax.random.fold_in(key, step)]
        )
        return self.objective(point, *arguments)


def _look(static: _Static, point: Any, lam: Any, key: Any, step: Any) -> jax.Array:
    values = [static.value(point, lam, key, step)] + (
        list(static.observe(point).values()) if static.observe else []
    )
    return jnp.stack([jnp.atleast_1d(x) for x in values])


@partial(jax.jit, static_argnums=0)
def _advance(
    static: _Static,
    state: Any,
    alpha: Array,
    lam: Array | None,
    key: Array | None,
    first: Array,
    records: Array,
    stride: Array,
) -> Any:
    def project(direction: Any, point: Any) -> Any:
        if not static.on_sphere:
            return direction
        return jax.tree.map(
            lambda g, x: g - jnp.sum(g * x, axis=-1, keepdims=True) * x, direction, point
        )

    def one(t: Array, state: Any) -> Any:
        point, memory = state
        at = None if lam is None else lam[t]
        gradient = jax.grad(lambda x: jnp.sum(static.value(x, at, key, first + t)))(point)
        direction, memory = static.rule.update(
            gradient, memory, first + t, lambda g: project(g, point)
        )
        point = jax.tree.map(
            lambda x, g: x - _along(alpha[t], x, static.per_run) * g, point, direction
        )
        if static.on_sphere:
            point = jax.tree.map(lambda x: x / jnp.linalg.norm(x, axis=-1, keepdims=True), point)
        return point, memory

    def until_next_record(r: Array, carry: Any) -> Any:
        state, seen = carry
        state = jax.lax.fori_loop(r * stride, (r + 1) * stride, one, state)
        last = (r + 1) * stride
        here = None if lam is None else lam[jnp.minimum(last, lam.shape[0] - 1)]
        return state, seen.at[r].set(_look(static, state[0], here, key, first + last))

    look = jax.eval_shape(
        partial(_look, static), state[0], None if lam is None else lam[0], key, first
    )
    return jax.lax.fori_loop(
        0, records, until_next_record, (state, jnp.zeros((SLOTS, *look.shape)))
    )


def _along(alpha: jax.Array, leaf: jax.Array, per_run: bool) -> jax.Array:
    """Step sizes of shape () or (runs,), shaped to multiply a leaf whose first axis is the runs."""
    return alpha.reshape(alpha.shape + (1,) * (leaf.ndim - 1)) if per_run and alpha.ndim else alpha


def _rows(schedule: Tabulated, piece: Piece, ndim: int) -> np.ndarray:
    """The schedule's values for a piece and the step after it, padded to the size that was
    compiled.
    """
    values = schedule.values(piece.first, piece.n + 1)
    values = values[:, 0] if values.shape[1] == 1 else values
    missing = _ROWS + 1 - len(values)
    return np.concatenate([values, np.repeat(values[-1:], missing, axis=0)])


def _check_on_sphere(start: Any) -> None:
    for leaf in jax.tree.leaves(start):
        norms = np.linalg.norm(np.asarray(leaf, dtype=float), axis=-1)
        if not np.all(np.abs(norms - 1.0) < _ON_THE_SPHERE):
            worst = float(
                np.ravel(norms)[np.argmax(np.abs(np.nan_to_num(np.ravel(norms), nan=np.inf) - 1.0))]
            )
            raise ValueError(
                f"`start` must be on the unit sphere, got a vector of norm {worst:.6g}. Divide it"
                " by its norm."
            )
