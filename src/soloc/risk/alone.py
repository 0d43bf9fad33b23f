"""A token alone, answered with the right v: there alone the risk of a component-wise weight has no
floor.

    R - eps^2 = gamma^2 E[e^2 (1 - eta^2 + eta^2 alpha^2)],   e = 1 - sigma(lam a)

with the score a = m kappa + gamma alpha may be as small as it likes, since e may vanish everywhere
but far out in the tail of the score. So the integrand is followed to its mode, in log space.
"""

import math

import numpy as np

from soloc.maths.engine import Array, engine_of
from soloc.maths.panels import edges_around, halved, panel_rule
from soloc.predictors.pointwise import Pointwise, is_own
from soloc.risk.overlaps import Overlaps
from soloc.risk.signal_numbers import SignalNumbers

_REACH = 10.0  # standard deviations on both sides of everything at which a Gaussian ends
_ZOOMS, _FRACTIONS = 14, np.linspace(0.0, 1.0, 25)  # each zoom shrinks the bracket by 12
_LEVELS, _ORDER, _OTHER_ORDER = 40, 12, 8
_ODD = 0.9387  # as in `quadrature`
_LOG_ROOT_TWO_PI = 0.5 * math.log(2.0 * math.pi)


def log_excess_alone(
    numbers: SignalNumbers, weight: Pointwise, o: Overlaps, other: bool = False
) -> Array:
    """log(R - eps^2) at L = 1 and v = v*; every number ends in an axis of length 1.

    The `other` rule has other nodes, on halves of the panels.
    """
    lam, gamma = weight.lam, numbers.gamma
    engine = engine_of(lam, gamma, numbers.m, o.kappa)
    xp = engine.xp
    s = xp.maximum(xp.abs(lam) * gamma, 1e-300)  # along x = lam a, as in `quadrature`
    centre = lam * numbers.m * o.kappa

    def log_value(alpha: Array) -> Array:
        slant = xp.log(1.0 - o.eta**2 + o.eta**2 * alpha**2)
        return 2.0 * weight.log_complement(centre + s * alpha) - 0.5 * alpha**2 + slant

    growth = 2.0 * s * weight.exponential_growth
    bends = [xp.clip((bend - centre) / s, -1e150, 1e150) for bend in weight.bends]
    lowest, highest = xp.minimum(bends[0], 0.0), xp.maximum(growth, 0.0)
    for bend in bends if is_own(weight) else ():  # of ours, none errs above its bend
        lowest, highest = xp.minimum(bend, lowest), xp.maximum(bend, highest)
    low, high = lowest - _REACH, highest + _REACH

    def zoom(bracket: tuple[Array, Array]) -> tuple[Array, Array]:
        alpha = bracket[0] + (bracket[1] - bracket[0]) * _FRACTIONS
        best = xp.argmax(log_value(alpha), axis=-1)[..., None]
        sides = (xp.clip(best + step, 0, len(_FRACTIONS) - 1) for step in (-1, 1))
        left, right = (xp.take_along_axis(alpha, side, axis=-1) for side in sides)
        return left, right

    left, right = engine.constant(
        engine.repeat(
            zoom, (low, high), _ZOOMS, lambda bracket: bool(np.all(bracket[1] - bracket[0] < 0.1))
        )
    )
    mode = 0.5 * (left + right)
    zero = xp.zeros_like(mode + bends[0])
    points = xp.concatenate([*(bend + zero for bend in bends), mode + zero, zero], axis=-1)
    unit = xp.clip(1.0 / s, 1e-15, 1.0) + zero
    units = xp.concatenate([*(unit for _ in bends), zero + 0.5, zero + 0.5], axis=-1)
    units = _ODD * units if is_own(weight) else units
    edges = xp.clip(edges_around(points, units, _LEVELS), low, high)
    edges = xp.concatenate([low + zero, edges, high + zero], axis=-1)
    alpha, w = panel_rule(halved(edges), _OTHER_ORDER) if other else panel_rule(edges, _ORDER)
    log_values = xp.where(w > 0, log_value(alpha), -xp.inf)
    top = engine.constant(xp.max(log_values, axis=-1))
    top = xp.where(xp.isfinite(top), top, 0.0)
    total = engine.weighted_sum(w, xp.exp(log_values - top[..., None]))
    return xp.log(total) + top + (2.0 * xp.log(gamma))[..., 0] - _LOG_ROOT_TWO_PI
