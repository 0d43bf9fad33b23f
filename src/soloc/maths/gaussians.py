"""Gaussian laws compared: from which of two a point is more likely to come."""

import math

from soloc.maths.engine import Array, engine_of


def log_ratio(from_background: Array, from_signal: Array, gamma: Array, d: Array) -> Array:
    """log N(x; signal, gamma^2 I) - log N(x; background, I) in R^d, from two squared distances."""
    # a number of Python leaves the precision to the arrays
    log_gamma = math.log(gamma) if isinstance(gamma, float) else engine_of(gamma).xp.log(gamma)
    return 0.5 * from_background - 0.5 * from_signal / gamma**2 - d * log_gamma


def squared_distance(x: Array, centre: Array) -> Array:
    """|x - centre|^2 along the last axis."""
    return engine_of(x, centre).xp.sum((x - centre) ** 2, axis=-1)
