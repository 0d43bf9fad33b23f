"""Where to integrate Mellin's inversion of the likelihood ratio: see `bayes` for the formulas.

phi(p) = log |Gamma(p)| + K(p) is convex on each side of its pole at 0. Its slope at p is the u
whose saddle point p is; Laplace's approximation there tells within a tenth how large F, C and 1 - G
are, enough to find the mode of the integrand, its ends, and a line that loses nothing.
"""

from collections.abc import Callable
from typing import NamedTuple, TypeVar

import numpy as np

from soloc.maths.engine import Array, engine_of
from soloc.maths.gamma import log_gamma, log_gap

_NEGLIGIBLE = 38.0  # exp(-38) of the mode no longer counts
_FALL = 40.0  # of the integrand at the ends of u, by Laplace's approximation of it
_LOWEST, _HIGHEST = 1e-3, 0.5  # the saddle point of a mode lies between them
_LEFT = 0.5  # how far beyond the pole at 0 a line goes that leaves F = 1 out
_RUNGS = np.linspace(0.0, 1.0, 48)
# steps away from a line, in those of a Gaussian, that may bound how soon a function falls
_STEPS = np.array([0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 3.0, 5.0, 10.0, 30.0, 1e3])
_FARTHEST = 30.0  # the omega at which Gamma itself is negligible


class Law(NamedTuple):
    """What a setting brings into K."""

    d: Array
    m2: Array
    g2: Array
    a: Array
    log_g2: Array
    bend: Array  #: -log gamma^2 - a


class Saddle(NamedTuple):
    """phi(p) = log |Gamma(p)| + K(p) around a real p."""

    p: Array
    q: Array  #: 1 - a p
    value: Array  #: phi - p phi'
    u: Array  #: phi', the u whose saddle point this is
    curvature: Array
    slope_of_gamma: Array


class Line(NamedTuple):
    """Where to integrate: the line Re p = c, its step and end, and the ends in u."""

    c: Array
    step: Array
    count: Array
    low: Array
    high: Array


def law_of(d: Array, m: Array, gamma: Array) -> Law:
    """The law of the likelihood ratio in a setting."""
    xp = engine_of(d, m, gamma).xp
    a = (1.0 - gamma) * (1.0 + gamma)
    log_g2 = 2.0 * xp.log(gamma)
    return Law(d, m * m, gamma * gamma, a, log_g2, log_gap(-a, log_g2))


def saddle_at(law: Law, p: Array) -> Saddle:
    """phi and its slopes at p; terms as large as d never cancel."""
    xp = engine_of(p, law.a).xp
    gamma = log_gamma(p)
    q = 1.0 - law.a * p
    y = law.a * p / q
    half = 0.5 * law.d
    # log gamma^2 + a / q, whose terms cancel where a is small, while those of a y - bend do where
    # a is large
    tilt = xp.where(xp.abs(law.a) < 0.3, law.a * y - law.bend, law.log_g2 + law.a / q)
    return Saddle(
        p,
        q,
        gamma.value
        - p * gamma.slope
        - 0.5 * law.m2 * law.g2 * (p / q) ** 2
        - half * log_gap(y, -xp.log(q)),
        gamma.slope - 0.5 * law.m2 * (1.0 - 2.0 * p + law.a * p * p) / q**2 + half * tilt,
        gamma.bend + law.m2 * law.g2 / q**3 + half * (law.a / q) ** 2,
        gamma.slope,
    )


def _rise_of_phi(law: Law, at: Saddle, z: Array) -> Array:
    """phi(p + z) - phi(p) - z phi'(p) for real z."""
    xp = engine_of(z).xp
    x = -law.a * z / at.q
    gamma = log_gamma(at.p + z).value - log_gamma(at.p).value - z * at.slope_of_gamma
    return (
        gamma
        + 0.5 * law.m2 * law.g2 * z * z / (at.q**3 * (1.0 + x))
        + 0.5 * law.d * log_gap(x, xp.log1p(x))
    )


def _log_rise(at: Saddle) -> Array:
    """log(1 - G) at the u of a saddle point, by Laplace's approximation."""
    xp = engine_of(at.p).xp
    bend = at.curvature + 1.0 / (1.0 - at.p) ** 2
    return at.u + at.value - xp.log(1.0 - at.p) - 0.5 * xp.log(2.0 * np.pi * bend)


def _log_integrand(law: Law, L: Array, p: Array) -> tuple[Array, Array]:
    """u, and the logarithm of the integrand there up to a constant, by Laplace's approximation."""
    xp = engine_of(p).xp
    at = saddle_at(law, p)
    rise = _log_rise(saddle_at(law, xp.minimum(p, 0.9)))
    left = xp.log1p(-xp.exp(xp.minimum(rise, -1e-9)))
    value = 2.0 * at.value - xp.log(at.curvature) - xp.log(at.q) + at.u
    return at.u, value + (L - 2.0) * left


Tree = TypeVar("Tree", Law, Saddle)


def column(tree: Tree) -> Tree:
    """The same numbers with a new last axis."""
    return type(tree)(*(part[..., None] for part in tree))


def _first(reached: Array, values: Array) -> tuple[Array, Array]:
    """The first value (last axis) that has reached what is sought, and the one before."""
    xp = engine_of(reached).xp
    last = reached.shape[-1] - 1
    place = xp.where(xp.any(reached, axis=-1), xp.argmax(reached, axis=-1), last)[..., None]
    found, before = (
        xp.take_along_axis(values, i, axis=-1)[..., 0] for i in (place, xp.maximum(place - 1, 0))
    )
    return found, before


def _search(reached: Callable[[Array], Array], low: Array, high: Array) -> Array:
    """Nearly the first of the positive numbers between low and high that is `reached`."""
    xp = engine_of(low, high).xp
    for _ in range(2):
        rungs = xp.exp(xp.log(low)[..., None] + (xp.log(high) - xp.log(low))[..., None] * _RUNGS)
        high, low = _first(reached(rungs), rungs)
    return high


def _mode(law: Law, L: Array) -> Array:
    """The saddle point of the u where the integrand has its mode: its slopes sum to zero."""
    xp = engine_of(L).xp
    law, others = column(law), xp.maximum(L - 2.0, 0.0)[..., None]

    def beyond(p: Array) -> Array:
        rise = xp.exp(xp.minimum(_log_rise(saddle_at(law, p)), 0.0))
        return 2.0 * p + others * (1.0 - p) * rise / xp.maximum(1.0 - rise, 1e-300) >= 1.0

    return _search(beyond, xp.full_like(L, _LOWEST), xp.full_like(L, _HIGHEST))


def _ends(law: Law, L: Array, mode: Saddle) -> tuple[Array, Array]:
    """The u on both sides of the mode beyond which the integrand no longer counts."""
    xp = engine_of(L).xp
    wide, others, p = column(law), L[..., None], mode.p[..., None]
    top = _log_integrand(law, L, mode.p)[1][..., None]
    farthest = 1.0 / xp.maximum(wide.a, 0.02)

    def left(x: Array) -> Array:
        return p / (1.0 + x)

    def right(x: Array) -> Array:
        return p + (farthest - p) * x / (1.0 + x)

    ends = []
    for side, room in ((left, mode.p), (right, (farthest - p)[..., 0])):
        nearest = 0.3 / (xp.sqrt(mode.curvature) * room)

        def fallen(x: Array, side: Callable[[Array], Array] = side) -> Array:
            return top - _log_integrand(wide, others, side(x))[1] > _FALL

        x = _search(fallen, nearest, xp.full_like(nearest, 1e3))
        ends.append(_log_integrand(law, L, side(x[..., None])[..., 0])[0])
    return ends[0], ends[1]


def line_of(law: Law, L: Array) -> Line:
    """The line for a setting and a length; by Chernoff's bound no copy in u counts."""
    xp = engine_of(L).xp
    mode = saddle_at(law, _mode(law, L))
    low, high = _ends(law, L, mode)
    # F close to 1: a line on the other side of the pole at 0 leaves its residue out
    room = 1.0 / xp.maximum(-law.a, 1.0)
    beyond = saddle_at(law, -_LEFT * room)
    left = beyond.value + beyond.p * (beyond.u - mode.u) < 0.0
    c = xp.where(left, beyond.p, mode.p)
    at = column(saddle_at(law, c))
    law = column(law)
    sides = xp.where(left, room + c, c), xp.where(left, -c, 1.0 - c)
    gaussian = np.sqrt(2.0 * _NEGLIGIBLE) / xp.sqrt(at.curvature)
    falls = []
    for side, sign in zip(sides, (-1.0, 1.0), strict=True):
        z = xp.minimum(gaussian * _STEPS, 0.95 * side[..., None])
        falls.append(xp.min((_NEGLIGIBLE + _rise_of_phi(law, at, sign * z)) / z, axis=-1))
    u = at.u[..., 0]
    period = xp.maximum(high - u + falls[0], falls[1] - (low - u))

    def faded(omega: Array) -> Array:
        y2 = (law.a * omega / at.q) ** 2
        of_gamma = xp.maximum(0.5 * np.pi * omega - 0.5, 0.0)
        of_mean = 0.5 * law.m2 * law.g2 * omega**2 / (at.q**3 * (1.0 + y2))
        return of_gamma + of_mean + 0.25 * law.d * xp.log1p(y2) > _NEGLIGIBLE

    end = _search(faded, xp.sqrt(0.1 / at.curvature[..., 0]), xp.full_like(c, _FARTHEST))
    step = 2.0 * np.pi / period
    return Line(c, step, xp.ceil(end / step) + 1.0, low, high)
