"""Starts: overlaps where training begins, drawn exactly in law, or from vectors and samples."""

import math
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

import jax
import numpy as np

from soloc.maths.numbers import check_count, check_whole
from soloc.maths.randomness import generator
from soloc.risk.overlaps import Overlaps
from soloc.tasks.single_location import SingleLocation, Truth

_ON_THE_SPHERE = 1e-6  # how far from 1 the norm of a given vector may be
_NUMBERS_AT_ONCE = 2**17  # drawn at a time by the practical start
_NUMBERS_KEPT = 4_000_000  # of a sample that is drawn once


def uniform_on_sphere(d: int, runs: int, key: jax.Array) -> Overlaps:
    """k and v independent and uniform on the sphere of R^d.

    Only four coordinates are drawn, so d may be 1e15 and beyond.
    """
    check_whole("d", d, 4)
    check_count("runs", runs)
    rng = generator(key)
    k = np.stack(
        [*rng.normal(size=(2, runs)), np.sqrt(rng.chisquare(d - 2, size=runs)), np.zeros(runs)]
    )
    v = np.stack([*rng.normal(size=(3, runs)), np.sqrt(rng.chisquare(d - 3, size=runs))])
    k, v = k / np.linalg.norm(k, axis=0), v / np.linalg.norm(v, axis=0)
    return Overlaps(k[0], v[1], v[0], k[1], np.sum(k * v, axis=0))


def uniform_on_manifold(d: int, runs: int, key: jax.Array) -> Overlaps:
    """(k, v) uniform on the manifold k.v* = v.k* = k.v = 0, as a part of the product of spheres.

    kappa and nu have the density (1-kappa^2)^((d-5)/2) (1-nu^2)^((d-5)/2) sqrt(2-kappa^2-nu^2):
    first coordinates of two unit vectors of R^(d-2), accepted with probability sqrt(1 -
    (kappa^2+nu^2)/2).
    """
    check_whole("d", d, 4)
    check_count("runs", runs)
    kept, found, rng = [], 0, generator(key)
    while found < runs:
        z = rng.normal(size=(2, runs))
        pair = z / np.sqrt(z * z + rng.chisquare(d - 3, size=(2, runs)))
        accepted = rng.uniform(size=runs) ** 2 < 1.0 - 0.5 * np.sum(pair**2, axis=0)
        kept.append(pair[:, accepted])
        found += int(accepted.sum())
    kappa, nu = np.concatenate(kept, axis=1)[:, :runs]
    zero = np.zeros(runs)
    return Overlaps(kappa, nu, zero, zero, zero)


def from_vectors(k: Any, v: Any, truth: Truth) -> Overlaps:
    """Overlaps of given unit vectors, (d,) or (runs, d)."""
    k, v = np.asarray(k, dtype=float), np.asarray(v, dtype=float)
    for name, vector in (("k", k), ("v", v)):
        norms = np.linalg.norm(vector, axis=-1)
        if not np.all(np.abs(norms - 1.0) < _ON_THE_SPHERE):
            worst = norms.flat[np.argmax(np.abs(np.nan_to_num(norms, nan=math.inf) - 1.0))]
            raise ValueError(
                f"`{name}` must be on the unit sphere, got a norm of {worst:.6g}. Divide it by its"
                " norm."
            )
    k, v = (
        k / np.linalg.norm(k, axis=-1, keepdims=True),
        v / np.linalg.norm(v, axis=-1, keepdims=True),
    )
    k_star, v_star = np.asarray(truth.k, dtype=float), np.asarray(truth.v, dtype=float)
    return Overlaps(k @ k_star, v @ v_star, v @ k_star, k @ v_star, np.sum(k * v, axis=-1))


def practical(
    task: SingleLocation, truth: Truth, key: jax.Array, n: int
) -> tuple[np.ndarray, np.ndarray]:
    """Unit vectors k, v computed from n samples by moments, without knowing a location.

    E[Y sum_l X_l] = gamma^2 v* gives v; E[Y sum_l (X_l.v) X_l] = gamma^2 m k* at v = v* gives k.
    The noise of v lies mostly along k*, so v is cleaned of its part along k, and k computed again.
    A large sample is drawn anew for each moment: memory does not grow with n.
    """
    check_count("n", n)
    # the same for every n, so that nothing is compiled anew
    at_once = max(1, _NUMBERS_AT_ONCE // (task.L * task.d))
    try:
        draw = _draw(task, at_once)
    except TypeError:  # a task that holds arrays cannot be remembered
        draw = _draw.__wrapped__(task, at_once)

    def batches() -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Tokens, and the answer of each one's sequence."""
        for i, first in enumerate(range(0, n, at_once)):
            sample, left = draw(truth, jax.random.fold_in(key, i)), n - first
            tokens = np.asarray(sample.tokens)[:left].reshape(-1, task.d)
            yield tokens, np.repeat(np.asarray(sample.answers)[:left], task.L)

    kept = [*batches()] if n * task.L * task.d <= _NUMBERS_KEPT else None

    def mean_direction(v: np.ndarray | None = None) -> np.ndarray:
        total = np.zeros(task.d)
        for tokens, answers in batches() if kept is None else kept:
            total += answers * (1.0 if v is None else tokens @ v) @ tokens
        return np.asarray(total / np.linalg.norm(total))

    v = mean_direction()
    v = _orthogonal(v, mean_direction(v))
    return _orthogonal(mean_direction(v), v), v


@lru_cache(maxsize=8)
def _draw(task: SingleLocation, at_once: int) -> Callable[..., Any]:
    return jax.jit(lambda truth, key: task.sample(truth, key, at_once))


def _orthogonal(x: np.ndarray, direction: np.ndarray) -> np.ndarray:
    x = x - (x @ direction) * direction
    return np.asarray(x / np.linalg.norm(x))
