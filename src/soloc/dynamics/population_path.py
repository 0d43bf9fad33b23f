"""Projected gradient descent on the population risk, in overlaps: any dimension costs the same."""

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from soloc.dynamics.exact import Trainee, exact_trainee
from soloc.dynamics.layout import Layout
from soloc.dynamics.motion import Motion, motion_of
from soloc.dynamics.path import Path
from soloc.dynamics.pieces import Diverged, Piece, Record, check_run, run_in_pieces
from soloc.dynamics.records import above_noise, bayes_of, describe, flattened, lam_at
from soloc.dynamics.schedules import InverseDecay, Tabulated
from soloc.dynamics.watched import Walk, watched_step
from soloc.maths.arithmetic import SHORT_STEPS
from soloc.maths.data import core_axes
from soloc.maths.one_kernel import apart, repeated
from soloc.maths.steps_done import StepsDone
from soloc.risk.registry import Slopes

SLOTS = 256  # observations of one compiled piece
_ROWS, _CELLS = 4096, 65536  # steps of one compiled piece, and steps x distinct schedules
# runs of one compiled piece, filled up: few programs serve every number of runs
_GROUPS = (1, 16, 32, 128)
_IN_ONE_FUNCTION = _GROUPS[:3]  # more runs XLA would share among cores


def population_path(
    task: Any,
    weight: Any,
    start: Any,
    *,
    steps: int,
    step_size: Any,
    lam: Any = None,
    every: int | None = None,
    free_norms: bool = False,
    progress: bool | Callable[[StepsDone], None] = False,
) -> Path:
    """Projected gradient descent on the exact risk from `start`: the path of the overlaps.

        k <- normalise(k - alpha (I - kk') dR/dk),   v <- normalise(v - alpha (I - vv') dR/dv)

    Arrays in `task`, `weight`, `start`, `lam` and `step_size` broadcast: each entry is a run. Any
    pair of task and weight that has an exact risk (`soloc.risk.registry`) can be trained. Several
    heads start from a `Gram`; a step of theirs that would make the risk rise is halved, and the
    column `halved` counts the steps that were.

    Parameters
    ----------
    steps : number of steps.
    step_size : alpha; a number, an array, or a schedule (a function of the step, see
        `soloc.dynamics.schedules`).
    lam : a schedule for the inverse temperature; `weight.lam` when not given.
    every : record every so many steps; about a hundred records when not given. Start and end are
        always recorded.
    free_norms : leave |k_h| and |v_h| of several heads free (|k_h| is a learned inverse
        temperature) instead of projecting on the spheres.
    progress : True prints the time left; a function is called with a `StepsDone`.
    """
    run = _Run(task, weight, start, steps, step_size, lam, every, free_norms)
    record = run_in_pieces(
        run.advance,
        run.start,
        run.start,
        steps=steps,
        every=run.every,
        capacity=run.rows,
        slots=SLOTS,
        progress=progress,
    )
    columns = run.columns(record)
    final = run.trained.layout.shaped(run.states(record)[-1], run.shape)
    bayes = partial(bayes_of, task, run.shape)
    return Path(
        record.steps, columns, final, run.shape, record.interrupted, bayes=bayes, about=run.about
    )


class _Run:
    """One call of `population_path`: its numbers flattened over the runs, and its compiled step."""

    def __init__(
        self,
        task: Any,
        weight: Any,
        start: Any,
        steps: int,
        step_size: Any,
        lam: Any,
        every: int | None,
        free_norms: bool,
    ) -> None:
        self.every = check_run(steps, every)
        self.trained = exact_trainee(task, weight, start).without_lam()
        self.motion = motion_of(type(start))
        if free_norms:
            self.motion = self.motion._replace(step=self.motion.free())
        lam = weight.lam if lam is None else lam
        self.task, self.shape = task, runs_shape(start, task, self.trained, lam, step_size)
        self.lam, self.alpha = (
            Tabulated("lam", lam, self.shape),
            Tabulated("step_size", step_size, self.shape),
        )
        self.start = self.trained.layout.of_runs(start, self.shape)
        slopes = self.trained.slopes
        self.watched = slopes is not None and slopes.watched is not None
        if self.watched:  # no step halved so far
            self.start = np.concatenate([self.start, np.zeros_like(self.start[:1])])
        self.runs = int(np.prod(self.shape, dtype=int))
        self.trained = flattened(self.trained, self.shape)
        axes = core_axes(jax.tree.structure(self.trained.leaves))
        leaves = zip(jax.tree.leaves(self.trained.leaves), axes, strict=True)
        shared = all(np.ndim(x) == n for x, n in leaves) and self.lam.values(0, 1).shape[1] == 1
        # the largest fits the nearest cache
        groups = _IN_ONE_FUNCTION if slopes is not None and slopes.arithmetic else _GROUPS
        self.group = next((size for size in groups if self.runs <= size), groups[-1])
        # what differs between runs is spread out whole: again one program
        self.spread = not shared and self.runs > 1
        if self.spread:
            self.trained = self.trained.mapped(self._whole)
        width = self.group if self.spread else 1
        self.rows = int(np.clip(_CELLS // width, 64, _ROWS))
        self.about = {"task": task, "weight": weight, "steps": steps, "every": self.every}

    def advance(self, state: np.ndarray, piece: Piece) -> tuple[np.ndarray, np.ndarray]:
        """A piece of the descent, of any length and stride: one compiled call a group of runs."""
        lam, alpha = self._rows(self.lam, piece), self._rows(self.alpha, piece)
        if self.spread:
            lam = np.broadcast_to(lam, (len(lam), self.runs))
        records = piece.n // piece.stride
        ends, seen = [], []
        with jax.enable_x64(True):
            for first in range(0, self.runs, self.group):
                cut = partial(self._cut, first)
                end, observed = _advance(
                    self.motion, self.trained.slopes, self.trained.layout,
                    cut(state, 0), cut(lam, 0), cut(alpha, 0), *self.trained.mapped(cut).leaves,
                    records, piece.stride,
                )  # fmt: skip
                ends.append(np.asarray(end))
                seen.append(np.asarray(observed)[:records])
        together = np.concatenate(seen, axis=-1)[..., : self.runs]
        return np.concatenate(ends, axis=-1)[..., : self.runs], together

    def _rows(self, schedule: Tabulated, piece: Piece) -> np.ndarray:
        values = schedule.values(piece.first, piece.n)
        return np.concatenate([values, np.repeat(values[-1:], self.rows - piece.n, axis=0)])

    def _whole(self, x: Any, axes: int) -> np.ndarray:
        return np.broadcast_to(x, (self.runs, *np.shape(x)[np.ndim(x) - axes :]))

    def _cut(self, first: int, x: Any, axes: int) -> Any:
        """A group, filled up with its last run, of an array with runs in front of so many axes."""
        axis = np.ndim(x) - axes - 1
        if axis < 0 or np.shape(x)[axis] == 1:
            return x
        places = np.minimum(np.arange(first, first + self.group), np.shape(x)[axis] - 1)
        return np.take(np.asarray(x), places, axis=axis)

    def columns(self, record: Record) -> dict[str, np.ndarray]:
        """Overlaps, risk, distance and lam at every record; of watched runs the halved steps."""
        lam = lam_at(record, self.lam)
        whole, record = record, record._replace(states=self.states(record))
        risk = above_noise(self.trained, lam, record.states)
        columns = describe(self.task, self.trained, self.shape, record, lam, risk)
        if self.watched:
            return columns | {"halved": whole.states[:, -1]}
        self._refuse_divergence(record, lam, risk)
        return columns

    def states(self, record: Record) -> np.ndarray:
        """The recorded states alone, (records, size, runs)."""
        return np.asarray(record.states[:, : self.trained.layout.size])

    def _refuse_divergence(self, record: Record, lam: np.ndarray, risk: np.ndarray) -> None:
        """Refuse runs that end above their start at the same lam and go on rising.

        A step size that descends does neither. A run may rise for a while and recover, as the
        paper's schedule does at its first, largest lam.
        """
        worse = risk > _a_little_more(self._start_risk(lam))
        lost = worse[-1] & self._rises(record.states[-1], int(record.steps[-1]), lam[-1], risk[-1])
        if not lost.any():
            return
        run = int(np.argmax(lost))
        last_good = int(np.flatnonzero(~worse[:, run])[-1])
        state, first = record.states[last_good], int(record.steps[last_good])
        while True:
            n = min(SLOTS, self.rows)
            state, seen = self.advance(state, Piece(first, n, 1))
            lams = np.broadcast_to(self.lam.values(first + 1, n), (n, self.runs))
            above = above_noise(self.trained, lams, seen) > _a_little_more(self._start_risk(lams))
            if above[:, run].any():
                break
            first += n
        step = first + 1 + int(np.argmax(above[:, run]))
        where = f" in run {run}" if self.runs > 1 else ""
        raise Diverged(
            f"the iteration diverged{where}: at step {step} the risk rose above that of the start,"
            " and it did not come back. Take a smaller `step_size`.",
            step,
            tuple(np.flatnonzero(lost).tolist()),
        )

    def _start_risk(self, lam: np.ndarray) -> np.ndarray:
        """The risk of the start at other values of lam, (records, runs)."""
        if self.lam.constant:
            once = self.trained.excess(lam[0], self.start)
            return np.broadcast_to(once, lam.shape)
        return self.trained.excess(lam, self.start[:, None])

    def _rises(self, state: np.ndarray, step: int, lam: np.ndarray, risk: np.ndarray) -> np.ndarray:
        """Does the risk at the present lam rise in one of the next eight steps?"""
        _, seen = self.advance(state, Piece(step, 8, 1))
        ahead = above_noise(self.trained, np.repeat(lam[None], 8, axis=0), seen)
        grows = np.diff(np.concatenate([risk[None], ahead]), axis=0) > 1e-9 * risk
        return np.asarray(grows.any(axis=0))


def _a_little_more(risk: np.ndarray) -> np.ndarray:
    return risk * (1.0 + 1e-9) + 1e-12


def runs_shape(start: Any, task: Any, trained: Trainee, *schedules: Any) -> tuple[int, ...]:
    """The shape to which starts, tasks and schedules broadcast."""
    leaves, structure = jax.tree.flatten((start, task, trained.leaves))
    axes = core_axes(structure)
    # an entry stands for the axes in front of it
    parts = [np.zeros(np.shape(x)[: np.ndim(x) - n]) for x, n in zip(leaves, axes, strict=True)]
    for schedule in schedules:
        if isinstance(schedule, InverseDecay):
            parts += [schedule.initial, schedule.rate]
        elif not callable(schedule):
            parts.append(schedule)
    try:
        return np.broadcast_shapes(*(np.shape(part) for part in parts))
    except ValueError:
        shapes = sorted({np.shape(part) for part in parts} - {()})
        raise ValueError(
            "`start`, the numbers of `task` and `weight`, `lam` and `step_size` must broadcast,"
            f" got shapes {shapes}."
        ) from None


@partial(jax.jit, static_argnums=(0, 1, 2), compiler_options=SHORT_STEPS)
def _advance(
    motion: Motion,
    slopes: Slopes,
    layout: Layout,
    rows: jax.Array,
    lam: jax.Array,
    alpha: jax.Array,
    numbers: Any,
    predictor: Any,
    records: jax.Array,
    stride: jax.Array,
) -> tuple[jax.Array, jax.Array]:
    """So many strides of steps, the state after each seen; the table is that of all steps."""
    table = slopes.table(lam, numbers)

    def one(i: jax.Array, walk: Any, given: Any) -> Any:
        first, alpha, table, numbers, predictor = given
        t = first + i
        at = numbers, predictor, jax.tree.map(lambda x: x[t], table)
        if slopes.watched is not None:
            return watched_step(motion.step, slopes.watched, walk, alpha[t], *at)
        if slopes.arithmetic:
            along = apart(slopes.at, walk.state, *at)
            return walk._replace(state=apart(motion.step, walk.state, along, alpha[t]))
        return walk._replace(state=motion.step(walk.state, slopes.at(walk.state, *at), alpha[t]))

    def until_next_record(r: jax.Array, carry: Any) -> Any:
        walk, seen = carry
        given = r * stride, alpha, table, numbers, predictor
        walk = repeated(one, stride, walk, given, arithmetic=slopes.arithmetic)
        return walk, seen.at[r].set(as_rows(walk))

    def as_rows(walk: Walk) -> jax.Array:
        parts = [layout.rows(walk.state), *([] if slopes.watched is None else [walk.halved[None]])]
        return jnp.concatenate(parts)

    begin = Walk(layout.state(rows[: layout.size]), rows[-1])
    walk, seen = jax.lax.fori_loop(
        0, records, until_next_record, (begin, jnp.zeros((SLOTS, *rows.shape)))
    )
    return as_rows(walk), seen
