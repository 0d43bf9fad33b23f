"""Critical points of the population risk on the product of spheres, with their Hessian spectrum.

k and v have coordinates in a frame (k*, v*, e3, e4), which loses nothing: the risk is invariant
under rotations that fix k* and v*, and two axes hold the rest of k and v. A further axis e adds the
directions (x e, y e), on which the Hessian is the 2 x 2 matrix [[-k.g_k, R_rho], [R_rho, -v.g_v]];
it counts d - 4 times.
"""

from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from soloc.dynamics.exact import Trainee
from soloc.risk.overlaps import Overlaps
from soloc.risk.registry import Slopes

_ITERATIONS = 300
_AXES = np.asarray([0, 5, 4, 1])  # the coordinates of (k, v) that are kappa, nu, theta, eta
_CROSS = np.kron(np.asarray([[0.0, 1.0], [1.0, 0.0]]), np.eye(4))  # the Hessian of rho = k . v
_ZERO = 1e-7  # eigenvalues below this share of the largest are zero
_ROUNDING = 1e-15  # a projected gradient below this share of the gradient cannot become smaller
_LOOK = 20  # iterations between two looks at the progress
_STILL = 1e-9  # a gradient below this share of the largest slope is zero


class CriticalPoint(NamedTuple):
    """A zero of the gradient on the product of spheres."""

    overlaps: np.ndarray  #: (5,)
    risk: float  #: R - eps^2
    #: eigenvalues of the Hessian in the frame, ascending, the rotations that change nothing left
    #: out
    spectrum: np.ndarray
    outside: np.ndarray  #: two eigenvalues that count d - 4 times each
    kind: str  #: minimum, saddle, maximum or degenerate
    descending: int  #: number of directions of R^d x R^d in which the risk falls

    @property
    def rate(self) -> float:
        """The smallest eigenvalue that is not zero: how fast the flow converges at a minimum."""
        values = np.concatenate([self.spectrum, self.outside])
        return float(min(value for value in values if abs(value) > _ZERO * np.abs(values).max()))


def critical_points(trained: Trainee, starts: np.ndarray, d: float) -> list[CriticalPoint]:
    """The distinct ones that a damped Newton method reaches from `starts`, (n, 8) coordinates."""
    points = _newton(trained, starts)
    found: list[CriticalPoint] = []
    for point in (image for solved in points for image in _images(solved)):
        if not any(np.abs(other.overlaps - overlaps_of(point)).max() < 1e-5 for other in found):
            described = describe_point(trained, point, d)
            if not any(_on_one_plateau(described, other) for other in found):
                found.append(described)
    return sorted(found, key=lambda point: (round(point.risk, 10), *np.round(point.overlaps, 6)))


def overlaps_of(points: np.ndarray) -> np.ndarray:
    """The five overlaps of eight coordinates, (..., 5)."""
    rho = np.sum(points[..., :4] * points[..., 4:], axis=-1, keepdims=True)
    return np.concatenate([points[..., _AXES], rho], axis=-1)


def describe_point(trained: Trainee, point: np.ndarray, d: float) -> CriticalPoint:
    """Risk, spectrum and kind of one critical point, given by its eight coordinates."""
    k, v = point[:4], point[4:]
    here = _Bends(trained, point[None])
    tangent = np.zeros((8, 6))
    tangent[:4, :3], tangent[4:, 3:] = (
        np.linalg.svd(k[None])[2][1:].T,
        np.linalg.svd(v[None])[2][1:].T,
    )
    values = np.linalg.eigvalsh(tangent.T @ here.hessian[0] @ tangent)
    off_frame = np.linalg.eigvalsh(here.outside[0])
    tolerance = _ZERO * max(np.abs(values).max(), np.abs(off_frame).max(), 1e-300)
    rank = int(np.linalg.matrix_rank(np.stack([k[2:], v[2:]]), tol=1e-6))
    turning = min(rank, 1)  # the rotation of (e3, e4) moves k or v without changing the risk
    zeros, zeros_outside = (
        int(np.sum(np.abs(values) < tolerance)),
        int(np.sum(np.abs(off_frame) < tolerance)),
    )
    copies = int(d) - 4
    falling = int(np.sum(values < -tolerance)) + copies * int(np.sum(off_frame < -tolerance))
    rising = int(np.sum(values > tolerance)) + copies * int(np.sum(off_frame > tolerance))
    if zeros > turning or (copies > 0 and zeros_outside > rank):
        kind = "degenerate"
    else:
        kind = "minimum" if falling == 0 else "maximum" if rising == 0 else "saddle"
    kept = np.delete(values, np.argsort(np.abs(values))[:turning])
    overlaps = overlaps_of(point)
    risk = float(trained.excess(trained.predictor.lam, overlaps))
    return CriticalPoint(overlaps, risk, kept, off_frame, kind, falling)


_MIRROR = np.asarray([1.0, -1.0, 1.0, 1.0, -1.0, 1.0, -1.0, -1.0])


def _images(point: np.ndarray) -> list[np.ndarray]:
    """The point and its mirror image (v, v*) -> (-v, -v*), which turns answer and guess alike."""
    return [point, _MIRROR * point]


def _on_one_plateau(a: CriticalPoint, b: CriticalPoint) -> bool:
    """Where a weight saturates the risk is flat along kappa: one point of a continuum is kept."""
    both = a.kind == b.kind == "degenerate"
    return (
        both
        and np.abs(a.overlaps - b.overlaps)[1:].max() < 1e-5
        and a.overlaps[0] * b.overlaps[0] >= 0.0
    )


class _Bends:
    """Gradient, projected gradient and Hessian on the product of spheres at points (n, 8)."""

    def __init__(self, trained: Trainee, points: np.ndarray) -> None:
        n = len(points)
        o = Overlaps.unchecked(*overlaps_of(points).T)
        lam = np.full(n, float(trained.predictor.lam))
        assert trained.slopes is not None
        with jax.enable_x64(True):
            slopes, bends = _slopes_and_bends(trained.slopes, o, lam, *trained.leaves)
        # bends are symmetric: (n, 5, 5)
        slope, bend = np.stack(list(slopes), axis=1), np.stack(list(bends), axis=1).T
        k, v = points[:, :4], points[:, 4:]
        jacobian = np.zeros((n, 5, 8))
        jacobian[:, np.arange(4), _AXES] = 1.0
        jacobian[:, 4] = np.concatenate([v, k], axis=1)
        gradient = np.einsum("ni,nij->nj", slope, jacobian)
        along = np.stack(
            [np.sum(k * gradient[:, :4], axis=1), np.sum(v * gradient[:, 4:], axis=1)], axis=1
        )
        multipliers = np.repeat(along, 4, axis=1)
        self.projected = gradient - multipliers * points
        self.size = np.linalg.norm(gradient, axis=1)
        curvature = np.swapaxes(jacobian, 1, 2) @ bend @ jacobian + slope[:, 4, None, None] * _CROSS
        self.hessian = curvature - multipliers[:, :, None] * np.eye(8)
        rho = slope[:, 4]
        self.outside = np.stack(
            [np.stack([-along[:, 0], rho], axis=1), np.stack([rho, -along[:, 1]], axis=1)], axis=1
        )


@partial(jax.jit, static_argnums=0)
def _slopes_and_bends(
    slopes: Slopes, o: Overlaps, lam: Any, numbers: Any, predictor: Any
) -> tuple[Overlaps, Overlaps]:
    """First derivatives of the risk in the overlaps, leaves (n,), and second ones, (5, n)."""
    row = jax.tree.map(lambda x: x[0], slopes.table(lam[None], numbers))

    def here(o: Overlaps) -> Any:
        return slopes.at(o, numbers, predictor, row)

    one = jnp.ones_like(o.kappa)
    units = Overlaps.unchecked(*(jnp.eye(5)[:, i, None] * one for i in range(5)))
    return here(o), jax.vmap(lambda unit: jax.jvp(here, (o,), (unit,))[1])(units)


def _newton(trained: Trainee, starts: np.ndarray) -> np.ndarray:
    """Levenberg and Marquardt on |projected gradient|^2 from many starts: points that are still.

    It ends early once the gradient of every start is zero to rounding or has stopped to fall: most
    starts get stuck at a point where the gradient is small but not zero.
    """
    x = _normalised(starts)
    here = _Bends(trained, x)
    damping = np.full(len(x), 1e-2)
    before = np.full(len(x), np.inf)
    for iteration in range(_ITERATIONS):
        force = np.sum(here.projected**2, axis=1)
        if iteration % _LOOK == 0:
            if np.all((force > 0.9 * before) | (force <= (_ROUNDING * here.size) ** 2)):
                break
            before = force
        tangent = _tangent(x)
        slope = tangent @ here.hessian @ tangent
        normal = slope @ slope
        scale = np.trace(normal, axis1=1, axis2=2) + 1e-300
        push = np.einsum("nij,nj->ni", slope, here.projected)
        move = np.linalg.solve(
            normal + (damping * scale)[:, None, None] * np.eye(8), -push[..., None]
        )[..., 0]
        new = _normalised(x + move)
        there = _Bends(trained, new)
        better = np.sum(there.projected**2, axis=1) < force
        x[better] = new[better]
        for part in ("projected", "hessian", "size"):
            getattr(here, part)[better] = getattr(there, part)[better]
        damping = np.clip(np.where(better, damping / 5.0, damping * 4.0), 1e-16, 1e6)
    still = np.linalg.norm(here.projected, axis=1) < _STILL * np.maximum(here.size, 1e-12)
    return np.asarray(x[still])


def _normalised(x: np.ndarray) -> np.ndarray:
    k, v = x[:, :4], x[:, 4:]
    return np.concatenate(
        [
            k / np.linalg.norm(k, axis=1, keepdims=True),
            v / np.linalg.norm(v, axis=1, keepdims=True),
        ],
        axis=1,
    )


def _tangent(x: np.ndarray) -> np.ndarray:
    """Projections on the tangent space of the product of spheres at points (n, 8): (n, 8, 8)."""
    projection = np.repeat(np.eye(8)[None], len(x), axis=0)
    for part in (slice(0, 4), slice(4, 8)):
        projection[:, part, part] -= x[:, part, None] * x[:, None, part]
    return projection
