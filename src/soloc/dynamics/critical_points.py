"""Critical points of the population risk on the product of spheres, with their Hessian spectrum at any dimension.

k and v have coordinates in a frame (k*, v*, e3, e4), which loses nothing: the risk is invariant under rotations that fix k* and v*,
and two axes hold the rest of k and v. A further axis e adds the directions (x e, y e), on which the Hessian is the 2 x 2 matrix
[[-k.g_k, R_rho], [R_rho, -v.g_v]]; it counts d - 4 times.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from soloc.dynamics.exact import Numbers, Structure, as_overlaps, excess_over_noise

_ITERATIONS = 300
_ZERO = 1e-7  # eigenvalues below this share of the largest are zero
_STILL = 1e-9  # a gradient below this share of the largest slope is zero


class CriticalPoint(NamedTuple):
    """A zero of the gradient on the product of spheres."""

    overlaps: np.ndarray  #: (5,)
    risk: float  #: R - eps^2
    spectrum: np.ndarray  #: eigenvalues of the Hessian in the frame, ascending, the rotations that change nothing left out
    outside: np.ndarray  #: two eigenvalues that count d - 4 times each
    kind: str  #: minimum, saddle, maximum or degenerate
    descending: int  #: number of directions of R^d x R^d in which the risk falls

    @property
    def rate(self) -> float:
        """The smallest eigenvalue that is not zero: the local rate of convergence of the flow at a minimum."""
        values = np.concatenate([self.spectrum, self.outside])
        return float(min(value for value in values if abs(value) > _ZERO * np.abs(values).max()))


def critical_points(structure: Structure, numbers: Numbers, lam: float, starts: np.ndarray, d: float) -> list[CriticalPoint]:
    """The distinct critical points that a damped Newton method reaches from `starts`, (n, 8) coordinates of k and v."""
    with jax.enable_x64(True):
        points, sizes, scales = (np.asarray(x) for x in _solver(structure)(jnp.asarray(starts), numbers, lam))
    points = points[np.isfinite(sizes) & (sizes < _STILL * np.maximum(scales, 1e-12))]
    k, v = points[:, :4], points[:, 4:]
    overlaps = np.stack([k[:, 0], v[:, 1], v[:, 0], k[:, 1], np.sum(k * v, axis=1)], axis=1)
    found: list[CriticalPoint] = []
    for point, five in zip(points, overlaps, strict=True):
        if not any(np.abs(other.overlaps - five).max() < 1e-5 for other in found):
            found.append(describe_point(structure, numbers, lam, point, d))
    return sorted(found, key=lambda point: (round(point.risk, 10), *np.round(point.overlaps, 6)))


def describe_point(structure: Structure, numbers: Numbers, lam: float, point: np.ndarray, d: float) -> CriticalPoint:
    """Risk, spectrum and kind of one critical point, given by its eight coordinates."""
    with jax.enable_x64(True):
        risk, hessian, outside = (np.asarray(x) for x in _anatomy(structure)(jnp.asarray(point), numbers, lam))
    k, v = point[:4], point[4:]
    tangent = np.zeros((8, 6))
    tangent[:4, :3], tangent[4:, 3:] = np.linalg.svd(k[None])[2][1:].T, np.linalg.svd(v[None])[2][1:].T
    values = np.linalg.eigvalsh(tangent.T @ hessian @ tangent)
    off_frame = np.linalg.eigvalsh(outside)
    tolerance = _ZERO * max(np.abs(values).max(), np.abs(off_frame).max(), 1e-300)
    rank = int(np.linalg.matrix_rank(np.stack([k[2:], v[2:]]), tol=1e-6))
    turning = min(rank, 1)  # the rotation of (e3, e4) moves k or v without changing the risk
    zeros, zeros_outside = int(np.sum(np.abs(values) < tolerance)), int(np.sum(np.abs(off_frame) < tolerance))
    copies = int(d) - 4
    falling = int(np.sum(values < -tolerance)) + copies * int(np.sum(off_frame < -tolerance))
    rising = int(np.sum(values > tolerance)) + copies * int(np.sum(off_frame > tolerance))
    if zeros > turning or (copies > 0 and zeros_outside > rank):
        kind = "degenerate"
    else:
        kind = "minimum" if falling == 0 else "maximum" if rising == 0 else "saddle"
    kept = np.delete(values, np.argsort(np.abs(values))[:turning])
    overlaps = np.asarray([k[0], v[1], v[0], k[1], k @ v])
    return CriticalPoint(overlaps, float(risk), kept, off_frame, kind, falling)


def _risk(structure: Structure, x: jax.Array, numbers: Numbers, lam: Any) -> jax.Array:
    k, v = x[:4], x[4:]
    return excess_over_noise(structure, numbers, lam, as_overlaps([k[0], v[1], v[0], k[1], k @ v]))


def _multipliers(x: jax.Array, gradient: jax.Array) -> jax.Array:
    """(k.g_k) four times, then (v.g_v) four times."""
    return jnp.repeat(jnp.stack([x[:4] @ gradient[:4], x[4:] @ gradient[4:]]), 4)


@lru_cache(maxsize=None)
def _anatomy(structure: Structure) -> Callable[..., tuple[jax.Array, jax.Array, jax.Array]]:
    @jax.jit
    def anatomy(x, numbers, lam):
        risk, gradient = jax.value_and_grad(lambda x: _risk(structure, x, numbers, lam))(x)
        along = _multipliers(x, gradient)
        hessian = jax.hessian(lambda x: _risk(structure, x, numbers, lam))(x) - jnp.diag(along)
        five = [x[0], x[5], x[4], x[1], x[:4] @ x[4:]]
        slope = jax.grad(lambda rho: excess_over_noise(structure, numbers, lam, as_overlaps([*five[:4], rho])))(five[4])
        return risk, hessian, jnp.array([[-along[0], slope], [slope, -along[4]]])

    return anatomy


@lru_cache(maxsize=None)
def _solver(structure: Structure) -> Callable[..., tuple[jax.Array, jax.Array, jax.Array]]:
    """Levenberg and Marquardt on |projected gradient|^2, for many starts at once."""

    def normalise(x):
        return jnp.concatenate([x[:4] / jnp.linalg.norm(x[:4]), x[4:] / jnp.linalg.norm(x[4:])])

    def field(x, numbers, lam):
        gradient = jax.grad(lambda x: _risk(structure, x, numbers, lam))(x)
        return gradient - _multipliers(x, gradient) * x, gradient

    def solve(x, numbers, lam):
        projected = lambda x: field(normalise(x), numbers, lam)[0]  # noqa: E731

        def iterate(_, carry):
            x, damping = carry
            here, slope = projected(x), jax.jacfwd(projected)(x)
            normal = slope.T @ slope
            scale = jnp.trace(normal) + 1e-300
            move = jnp.linalg.solve(normal + damping * scale * jnp.eye(8), -slope.T @ here)
            new = normalise(x + move)
            better = jnp.sum(projected(new) ** 2) < jnp.sum(here**2)
            return jnp.where(better, new, x), jnp.clip(jnp.where(better, damping / 5.0, damping * 4.0), 1e-16, 1e6)

        x, _ = jax.lax.fori_loop(0, _ITERATIONS, iterate, (normalise(x), jnp.asarray(1e-2)))
        here, gradient = field(x, numbers, lam)
        return x, jnp.linalg.norm(here), jnp.linalg.norm(gradient)

    return jax.jit(jax.vmap(solve, in_axes=(0, None, None)))
