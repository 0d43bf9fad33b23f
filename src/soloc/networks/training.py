"""Train any network on a task, several seeds in one compiled program, with records on the way.

What is recorded is what the theory speaks of: the risk on fresh sequences, the attention on the
decisive token, and the alignment of effective key and value with the truth.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pandas as pd

from soloc.maths.engine import Array
from soloc.maths.numbers import check_count, check_real
from soloc.maths.randomness import generator
from soloc.maths.steps_done import StepsDone, print_progress
from soloc.networks.checkpoint import load_checkpoint, save_checkpoint
from soloc.tasks.protocol import Task

_TESTED = 1024  # fresh sequences of a record, the same ones in every record
_HELD_OUT = 0.2  # of n fixed sequences, for early stopping
_SECONDS = 30.0  # between two saved states


@dataclass(frozen=True)
class Trained:
    """Networks as training left them, one per seed, and what was recorded on the way."""

    networks: Any  #: all seeds, stacked along the first axis of every array
    truths: Any  #: of all seeds, stacked likewise
    table: pd.DataFrame  #: run, step, risk, error, mass, key_alignment, value_alignment
    interrupted: bool = False

    def network(self, run: int = 0) -> Any:
        """The network of one seed."""
        return jax.tree.map(lambda x: np.asarray(x)[run] if eqx.is_array(x) else x, self.networks)

    def truth(self, run: int = 0) -> Any:
        """What all sequences of one seed share."""
        return jax.tree.map(lambda x: np.asarray(x)[run], self.truths)

    def predict(self, run: int = 0) -> Callable[[Any], jax.Array]:
        """From tokens (n, L, d) to n answers, as `soloc.score` takes it."""
        return jax.jit(jax.vmap(self.network(run)))

    def last(self) -> pd.DataFrame:
        """The end of every run."""
        return self.table.groupby("run").last().reset_index()


def train(
    network: Callable[[jax.Array], Any],
    task: Task,
    optimiser: optax.GradientTransformation,
    *,
    steps: int,
    key: jax.Array,
    seeds: int = 1,
    batch: int = 64,
    samples: int | None = None,
    patience: int | None = None,
    goal: float | None = None,
    every: int | None = None,
    resume: str | Path | None = None,
    progress: bool | Callable[[StepsDone], None] = False,
) -> Trained:
    """Minimise the squared error of a network on sequences of a task.

    Parameters
    ----------
    network : from a JAX key to an equinox module of one sequence, such as
        ``lambda key: StandardAttention(64, key)``.
    task : a task of soloc; every seed draws its own truth.
    optimiser : of optax, such as ``optax.adam(3e-3)``.
    steps : number of steps.
    key : a JAX key: same key, same numbers.
    seeds : how many networks are trained side by side, in one compiled program.
    batch : sequences of a step.
    samples : train on so many fixed sequences; fresh ones in every step when not given.
    patience : of fixed sequences a fifth is held out, and a run stops after so many records
        without gain there; the best network is kept.
    goal : training ends as soon as every seed has had a record with a risk below it.
    every : steps between records; about 25 records when not given.
    resume : a file; training is saved there, and goes on from there with the same numbers.
    progress : True prints the time left; a function is called with a `StepsDone`.
    """
    for name, value in (("steps", steps), ("seeds", seeds), ("batch", batch)):
        check_count(name, value)
    if samples is not None:
        check_count("samples", samples, 10)
    if patience is not None:
        check_count("patience", patience)
        if samples is None:
            raise ValueError(
                "`samples` must be given with `patience`: fresh sequences cannot be overfitted."
            )
    if goal is not None:
        check_real("goal", goal, "a number > 0", 0.0, above=True)
    every = max(1, steps // 25) if every is None else every
    check_count("every", every)
    run = _Run(network, task, optimiser, key, seeds, batch, samples)
    about = {
        "task": repr(task),
        "key": np.asarray(jax.random.key_data(key)).tolist(),
        "steps": steps,
        "seeds": seeds,
        "batch": batch,
        "samples": samples,
        "patience": patience,
        "goal": goal,
        "every": every,
    }
    return _in_pieces(run, about, resume, progress)


class _State(eqx.Module):
    """All that moves, stacked over the seeds."""

    params: Any
    optimiser: Any
    best: Any  #: the parameters with the lowest held-out error
    lowest: Array  #: that error
    waited: Array  #: records since then
    stopped: Array


class _Run:
    """One call of `train`: its networks, its data and its compiled step."""

    def __init__(
        self,
        network: Callable[[jax.Array], Any],
        task: Task,
        optimiser: optax.GradientTransformation,
        key: jax.Array,
        seeds: int,
        batch: int,
        samples: int | None,
    ) -> None:
        self.task, self.optimiser, self.batch = task, optimiser, batch
        keys = _Keys(key)
        # in one program each: their many small operations would be compiled one by one
        params, self.static, slots = self._begun(network, keys.take(seeds))
        self.truths = jax.jit(jax.vmap(task.truth))(keys.take(seeds))
        self.data, self.held_out = self._fixed(keys.take(seeds), samples)
        self.keys, self.tests = keys.take(seeds), self._tests(keys.take(seeds))
        self.state = _State(
            params, slots, params,
            np.full(seeds, np.inf, np.float32), np.zeros(seeds, np.int32), np.zeros(seeds, bool),
        )  # fmt: skip

    def _begun(self, network: Callable[[jax.Array], Any], keys: jax.Array) -> tuple[Any, Any, Any]:
        """Parameters of all seeds, what is no parameter, and the optimiser's first state."""

        @eqx.filter_jit
        def begun(keys: jax.Array) -> tuple[Any, Any, Any]:
            params, static = eqx.partition(eqx.filter_vmap(network)(keys), eqx.is_inexact_array)
            return params, static, jax.vmap(self.optimiser.init)(params)

        return begun(keys)

    def _tests(self, keys: jax.Array) -> Any:
        """Sequences of every seed for its records; a truth of NumPy lets a task draw by NumPy."""
        truths = jax.device_get(self.truths)
        drawn = [
            self.task.sample(jax.tree.map(lambda x, i=i: x[i], truths), one, _TESTED)
            for i, one in enumerate(keys)
        ]
        return jax.tree.map(lambda *each: jnp.asarray(np.stack(each)), *drawn)

    def _fixed(self, keys: jax.Array, samples: int | None) -> tuple[Any, Any]:
        if samples is None:
            return None, None
        drawn = jax.vmap(lambda truth, key: self._drawn(truth, key, samples))(self.truths, keys)
        kept = samples - max(1, int(_HELD_OUT * samples))
        seen, unseen = slice(None, kept), slice(kept, None)
        return tuple(x[:, seen] for x in drawn), tuple(x[:, unseen] for x in drawn)

    def _drawn(self, truth: Any, key: jax.Array, n: int) -> tuple[jax.Array, jax.Array]:
        drawn = self.task.sample(truth, key, n)
        return drawn.tokens, drawn.answers

    def whole(self, params: Any) -> Any:
        """Networks from their parameters."""
        return eqx.combine(params, self.static)

    def error(self, params: Any, tokens: jax.Array, answers: jax.Array) -> jax.Array:
        """Mean squared error of one network."""
        return jnp.mean((jax.vmap(self.whole(params))(tokens) - answers) ** 2)

    def _step(self, truth: Any, data: Any, key: jax.Array, t: jax.Array, state: _State) -> _State:
        key = jax.random.fold_in(key, t)
        if data is None:
            tokens, answers = self._drawn(truth, key, self.batch)
        else:
            chosen = jax.random.randint(key, (self.batch,), 0, len(data[1]))
            tokens, answers = data[0][chosen], data[1][chosen]
        slopes = jax.grad(self.error)(state.params, tokens, answers)
        updates, optimiser = self.optimiser.update(slopes, state.optimiser, state.params)
        moved = optax.apply_updates(state.params, updates)
        params, optimiser = jax.tree.map(
            partial(jnp.where, state.stopped),
            (state.params, state.optimiser), (moved, optimiser),
        )  # fmt: skip
        return eqx.tree_at(lambda it: (it.params, it.optimiser), state, (params, optimiser))

    @eqx.filter_jit
    def advance(self, state: _State, first: Array, n: Array) -> _State:
        """So many steps of all seeds: one program for every number of them."""

        def one(t: jax.Array, state: _State) -> _State:
            step = jax.vmap(self._step, in_axes=(0, 0, 0, None, 0))
            return step(self.truths, self.data, self.keys, t, state)

        return jax.lax.fori_loop(first, first + n, one, state)

    def record(self, state: _State) -> dict[str, jax.Array]:
        """Risk on fresh sequences and what the theory speaks of, of every seed."""
        return self._record(state.params, self.tests)

    @eqx.filter_jit
    def _record(self, params: Any, tests: Any) -> dict[str, jax.Array]:
        def one(truth: Any, drawn: Any, params: Any) -> dict[str, jax.Array]:
            whole = self.whole(params)
            square = (jax.vmap(whole)(drawn.tokens) - drawn.answers) ** 2
            seen = {"risk": square.mean(), "error": square.std() / math.sqrt(_TESTED)}
            if hasattr(whole, "attention") and hasattr(drawn, "location"):
                weights = jax.vmap(whole.attention)(drawn.tokens)  # (n, heads, L)
                here = jnp.take_along_axis(weights, drawn.location[:, None, None], axis=2)
                seen["mass"] = here.mean(axis=(0, 2)).max()
            if hasattr(whole, "effective") and hasattr(truth, "k"):
                keys, values = whole.effective
                seen["key_alignment"] = _aligned(keys, truth.k)
                seen["value_alignment"] = _aligned(values, truth.v)
            return seen

        return jax.vmap(one)(self.truths, tests, params)

    @eqx.filter_jit
    def judge(self, state: _State, patience: int | None) -> _State:
        """Keep what is best on the held-out sequences; stop who has waited long enough."""
        found = jax.vmap(self.error)(state.params, *self.held_out)
        gained = (found < state.lowest) & ~state.stopped
        best = jax.tree.map(
            lambda new, old: jnp.where(gained.reshape(-1, *(1,) * (new.ndim - 1)), new, old),
            state.params, state.best,
        )  # fmt: skip
        waited = jnp.where(gained, 0, state.waited + 1)
        stopped = state.stopped | (waited >= (patience or jnp.inf))
        lowest = jnp.where(gained, found, state.lowest)
        return _State(state.params, state.optimiser, best, lowest, waited, stopped)


class _Keys:
    """As many keys as one is asked for, of XLA's own generator: it draws in half the time of JAX's
    and there is less to compile.
    """

    def __init__(self, key: jax.Array) -> None:
        self._words = generator(key)

    def take(self, n: int) -> jax.Array:
        """The next n."""
        words = self._words.integers(2**32, size=(n, 4), dtype=np.uint32)
        return jax.random.wrap_key_data(jnp.asarray(words), impl="rbg")


def _aligned(rows: jax.Array, truth: jax.Array) -> jax.Array:
    """The largest |cosine| of a head's vector with the truth."""
    return jnp.max(jnp.abs(rows @ truth) / (jnp.linalg.norm(rows, axis=-1) + 1e-30))


def _in_pieces(
    run: _Run,
    about: dict[str, Any],
    resume: str | Path | None,
    progress: bool | Callable[[StepsDone], None],
) -> Trained:
    report = print_progress if progress is True else progress
    steps, every, patience = about["steps"], about["every"], about["patience"]
    state, done, records = run.state, 0, [_numbers(run.record(run.state), 0)]
    if resume is not None and Path(resume).exists():
        state, done, records = load_checkpoint(Path(resume), about, state)
    began, saved, from_step = time.monotonic(), time.monotonic(), done
    interrupted = False
    try:
        while done < steps and not bool(state.stopped.all()) and not _reached(records, about):
            n = min(every, steps - done)
            after = run.advance(state, np.asarray(done), np.asarray(n))
            if run.held_out is not None:
                after = run.judge(after, patience)
            seen = _numbers(run.record(after), done + n)
            _refuse_divergence(seen)
            state, done = after, done + n
            records.append(seen)
            now = time.monotonic()
            if resume is not None and (now - saved > _SECONDS or done == steps):
                save_checkpoint(Path(resume), about, state, done, records)
                saved = now
            if report:
                spent = now - began
                left = spent / (done - from_step) * (steps - done)
                report(StepsDone(done, steps, spent, left))
    except KeyboardInterrupt:
        interrupted = True
        if resume is not None:
            save_checkpoint(Path(resume), about, state, done, records)
    params = state.best if patience is not None and done else state.params
    return Trained(run.whole(params), run.truths, _table(records), interrupted)


def _numbers(seen: dict[str, jax.Array], step: int) -> dict[str, np.ndarray]:
    columns = {name: np.asarray(values, float) for name, values in seen.items()}
    return {"step": np.full(len(columns["risk"]), step)} | columns


def _reached(records: list[dict[str, np.ndarray]], about: dict[str, Any]) -> bool:
    """Whether every seed has passed below the goal."""
    lowest = np.min([one["risk"] for one in records], axis=0)
    return about["goal"] is not None and bool(np.all(lowest < about["goal"]))


def _refuse_divergence(seen: dict[str, np.ndarray]) -> None:
    lost = np.flatnonzero(~np.isfinite(seen["risk"]))
    if len(lost):
        raise ValueError(
            f"the training of seed {lost[0]} diverged before step {int(seen['step'][0])}: its risk"
            " is no longer finite. Take a smaller learning rate."
        )


def _table(records: list[dict[str, np.ndarray]]) -> pd.DataFrame:
    rows = [pd.DataFrame(one).assign(run=np.arange(len(one["step"]))) for one in records]
    table = pd.concat(rows).sort_values(["run", "step"], ignore_index=True)
    return table[["run", *(name for name in table if name != "run")]]
