"""Training in full dimension on k and v: the oracle of the dynamics in overlaps, and Adam.

The cost grows with d; use `population_path` and `sgd_path` for anything but checks.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from soloc.dynamics.descent import descend
from soloc.dynamics.exact import trainee
from soloc.dynamics.path import Path
from soloc.dynamics.pieces import Record
from soloc.dynamics.records import above_noise, describe, flattened
from soloc.dynamics.rules import Plain, Rule
from soloc.dynamics.schedules import Tabulated
from soloc.maths.engine import Array
from soloc.predictors.attention import predict
from soloc.risk.overlaps import NAMES, Overlaps
from soloc.risk.population import excess_risk
from soloc.tasks.protocol import Task
from soloc.tasks.single_location import Truth


class Pair(NamedTuple):
    """The vectors that are trained, (runs, d) each."""

    k: Any
    v: Any


def vectors_path(
    task: Task,
    truth: Truth,
    weight: Any,
    start: Pair,
    *,
    steps: int,
    step_size: Any,
    lam: Any = None,
    every: int | None = None,
    rule: Rule = Plain(),  # noqa: B008 (frozen)
    free_norms: bool = False,
    batch_size: int | None = None,
    key: jax.Array | None = None,
    progress: Any = False,
) -> Path:
    """Descent on vectors: on the exact population risk, or with `batch_size` and `key` on samples.

    `rule` is plain, Momentum or Adam (`soloc.dynamics.rules`); `free_norms` trains k and v without
    projecting them on the sphere. The columns are those of `population_path`, with the norms of k
    and v when they are free.
    """
    if (batch_size is None) != (key is None):
        raise ValueError(
            "`batch_size` and `key` must be given together: both for fresh samples, neither for the"
            " population risk."
        )
    if batch_size is None and free_norms:
        raise ValueError("`free_norms` needs fresh samples: give `batch_size` and `key`.")
    start = Pair(*(np.atleast_2d(np.asarray(x, dtype=float)) for x in start))
    runs = start.k.shape[0]
    trained = trainee(task, weight)
    with jax.enable_x64(True):
        truth = Truth(*(jnp.asarray(np.asarray(x, dtype=float)) for x in truth))

    def population(pair: Pair, lam: jax.Array) -> Array:
        return excess_risk(task, weight.with_lam(lam), Overlaps.of(pair.k, pair.v, truth))

    def on_a_fresh_batch(pair: Pair, lam: jax.Array, key: jax.Array) -> Array:
        def one(k: jax.Array, v: jax.Array, lam: jax.Array, key: jax.Array) -> jax.Array:
            drawn = task.sample(truth, key, batch_size or 1)
            present = None
            if getattr(task, "lengths", None) is not None:
                present = jnp.arange(drawn.tokens.shape[1]) < drawn.lengths[:, None]
            guess = predict(weight.with_lam(lam), k, v, drawn.tokens, present)
            return jnp.mean((guess - drawn.answers) ** 2)

        return jax.vmap(one)(
            pair.k, pair.v, jnp.broadcast_to(lam, (runs,)), jax.random.split(key, runs)
        )

    lam = weight.lam if lam is None else lam
    path = descend(
        population if batch_size is None else on_a_fresh_batch,
        start,
        steps=steps,
        step_size=step_size,
        rule=rule,
        on_sphere=not free_norms,
        lam=lam,
        key=key,
        observe=lambda pair: _overlaps(pair, truth),
        every=every,
        progress=progress,
    )
    seen = ["norm_k", "norm_v"] if free_norms else []
    states = np.stack([path.columns[name] for name in (*NAMES, *seen)], axis=1)
    record = Record(path.steps, states, path.final, path.interrupted)
    lam_seen = np.concatenate(
        [Tabulated("lam", lam, (runs,)).values(int(t), 1) for t in path.steps]
    )
    lam_seen = np.ascontiguousarray(np.broadcast_to(lam_seen, (len(path.steps), runs)))
    trained = flattened(trained, (runs,))
    risk = above_noise(trained, lam_seen, states)
    columns = describe(task, trained, (runs,), record, lam_seen, risk)
    return Path(path.steps, columns, path.final, (runs,), path.interrupted)


def _overlaps(pair: Pair, truth: Truth) -> dict[str, jax.Array]:
    """The overlaps of the directions, and the norms."""
    norm_k, norm_v = jnp.linalg.norm(pair.k, axis=-1), jnp.linalg.norm(pair.v, axis=-1)
    o = Overlaps.of(pair.k / norm_k[:, None], pair.v / norm_v[:, None], truth)
    return {name: getattr(o, name) for name in NAMES} | {"norm_k": norm_k, "norm_v": norm_v}
