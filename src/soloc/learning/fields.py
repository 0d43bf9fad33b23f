"""The problem of one sequence: scores chi that trade the penalty of leaving w against the error.

    chi = argmin  sum_l (chi_l - w_l)^2 / (2 s_l^2 V_k) + (Y - sigma(chi).z)^2 / (2 D)
    D = 1 + V_v sum_l s_l^2 sigma_l(chi)^2

It is not convex: Newton's method, damped as by Levenberg and Marquardt, runs from w and from w with
one score raised, and the best end is kept. JAX differentiates whatever the weight is.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

_STEPS = 20
_FLAT = 1e-6  # gradient at which a minimum is reached


class Sequence(NamedTuple):
    """Fields of many sequences whose decisive token is the first: (points, L) and (points,)."""

    w: np.ndarray
    z: np.ndarray
    y: np.ndarray
    w_mean: np.ndarray  #: (L,)
    spread: np.ndarray  #: (L,) standard deviation of each token
    xi: np.ndarray
    noise: float  #: of y, that xi multiplies


class Fields(NamedTuple):
    """The solution: chi, its pull g on the scores, h on the values, and the training residual."""

    chi: np.ndarray
    g: np.ndarray
    h: np.ndarray
    residual: np.ndarray


def solve_sequences(
    weight: Any, s: Sequence, V_k: float, V_v: float, guess: np.ndarray | None, sweep: bool
) -> Fields:
    """Minimise from `guess` (w when not given), and from w with each score raised if `sweep`."""
    starts = [s.w if guess is None else guess]
    if sweep:
        raised = 2.0 * np.sqrt(V_k) * s.spread
        starts += [s.w] if guess is not None else []
        starts += [s.w + raised * unit for unit in np.eye(s.w.shape[1])]
    minimise, pulls = _programs(weight)
    sequence = (s.w, s.z, s.y, s.spread, float(V_k), float(V_v))
    with jax.enable_x64(True):
        ends, values = zip(*(minimise(start, *sequence) for start in starts), strict=True)
        best = np.argmin(np.stack(values), axis=0)
        chi = np.take_along_axis(np.stack(ends), best[None, :, None], axis=0)[0]
        return Fields(chi, *map(np.asarray, pulls(chi, *sequence)))


@cache
def _programs(weight: Any) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """The argmin from one start, and what follows from it, for all points at once."""

    def objective(chi, w, z, y, spread, V_k, V_v):
        sigma = weight(chi)
        D = 1.0 + V_v * jnp.sum((spread * sigma) ** 2)
        pull = jnp.sum(((chi - w) / spread) ** 2) / (2.0 * V_k)
        return pull + (y - sigma @ z) ** 2 / (2.0 * D)

    def minimise(start, *sequence):
        def value(chi):
            return objective(chi, *sequence)

        def step(state):
            chi, best, damping, _, count = state
            slope, curve = jax.grad(value)(chi), jax.hessian(value)(chi)
            new = chi - _solve(curve + damping * jnp.eye(len(chi)), slope)
            found = value(new)
            better = found <= best
            return (
                jnp.where(better, new, chi),
                jnp.where(better, found, best),
                jnp.where(better, 0.2 * damping, 5.0 * damping + 0.1 / sequence[-2]),
                jnp.max(jnp.abs(slope)),
                count + 1,
            )

        def going(state):
            return (state[3] > _FLAT) & (state[4] < _STEPS)

        begin = (start, value(start), jnp.zeros(()), jnp.full((), jnp.inf), 0)
        return jax.lax.while_loop(going, step, begin)[:2]

    def pulls(chi, w, z, y, spread, V_k, V_v):
        sigma = weight(chi)
        residual = (y - sigma @ z) / (1.0 + V_v * jnp.sum((spread * sigma) ** 2))
        return (chi - w) / (spread**2 * V_k), sigma * residual, residual

    axes = (0, 0, 0, 0, None, None, None)
    return jax.jit(jax.vmap(minimise, in_axes=axes)), jax.jit(jax.vmap(pulls, in_axes=axes))


def _solve(matrix: jax.Array, right: jax.Array) -> jax.Array:
    """Gaussian elimination written out: for thousands of tiny systems it beats LAPACK."""
    n = len(right)
    rows = [[matrix[i, j] for j in range(n)] + [right[i]] for i in range(n)]
    for i in range(n):
        pivot = jnp.where(jnp.abs(rows[i][i]) > 1e-12, rows[i][i], 1e-12)
        for below in range(i + 1, n):
            factor = rows[below][i] / pivot
            rows[below] = [a - factor * b for a, b in zip(rows[below], rows[i], strict=True)]
        rows[i][i] = pivot
    x: list[Any] = [None] * n
    for i in reversed(range(n)):
        rest = sum((rows[i][j] * x[j] for j in range(i + 1, n)), start=jnp.zeros(()))
        x[i] = (rows[i][n] - rest) / rows[i][i]
    return jnp.stack(x)
