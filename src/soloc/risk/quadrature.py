"""Risk of any component-wise weight by integration over the score, graded towards its bend.

The risk is a sum of variances and one squared mean (see `closed_form`), each computed as the mean
of a square.
"""

import math
from dataclasses import replace

from soloc.maths.engine import Array, engine_of
from soloc.maths.panels import edges_around, panel_rule
from soloc.predictors.pointwise import Exponential, Pointwise
from soloc.risk.alone import log_excess_alone
from soloc.risk.log_normal import exponential_excess, is_wild
from soloc.risk.overlaps import Overlaps
from soloc.risk.signal_numbers import SignalNumbers

_REACH = 9.8  # standard deviations at which a Gaussian no longer counts
_LEVELS, _ORDER = 14, 12


def _rule(weight: Pointwise, centre: Array, s: Array) -> tuple[Array, Array]:
    """Nodes alpha and weights of a standard Gaussian mean of functions of x = centre + s alpha.

    Panels end exactly at the bend of the weight and move with it, so that kinks cost nothing, also
    in derivatives.
    """
    xp = engine_of(centre, s).xp
    zero = xp.zeros_like(centre + s)
    s = xp.maximum(s, 1e-300) + zero
    growth = s * weight.exponential_growth
    far = _REACH + 2.0 * growth
    sharp = xp.clip((weight.bend - centre) / s, -_REACH, far)
    points = xp.concatenate([sharp, zero, growth, 2.0 * growth], axis=-1)
    units = xp.concatenate(
        [xp.clip(1.0 / s, 1e-15, 1.0), zero + 0.5, zero + 0.5, zero + 0.5], axis=-1
    )
    edges = xp.clip(edges_around(points, units, _LEVELS), -_REACH, far)
    alpha, w = panel_rule(xp.concatenate([zero - _REACH, edges, far], axis=-1), _ORDER)
    return alpha, w * xp.exp(-0.5 * alpha**2) / math.sqrt(2.0 * math.pi)


def pointwise_excess(numbers: SignalNumbers, weight: Pointwise, o: Overlaps) -> tuple[Array, Array]:
    """R - eps^2 for a component-wise weight as (value, log_scale), value * exp(log_scale).

    Every number ends in an axis of length 1, along which the nodes are laid.
    """
    engine = engine_of(weight.lam, numbers.L, o.nu)
    xp = engine.xp
    if isinstance(weight, Exponential):
        wild = is_wild(numbers, weight.lam, o)
        share = 1.0 / numbers.L if weight.per_length else 1.0
        closed, log_scale = (
            part[..., 0] for part in exponential_excess(numbers, weight.lam, o, share)
        )
        tame = _excess(numbers, replace(weight, lam=xp.where(wild, 0.0, weight.lam)), o)
        value, log_scale = (
            xp.where(wild[..., 0], one, other) for one, other in ((closed, tame), (log_scale, 0.0))
        )
    else:
        value = _excess(numbers, weight, o)
        log_scale = 0.0 * value
    alone = ((numbers.L == 1.0) & (o.nu == 1.0))[..., 0]
    log_alone = engine.either(
        xp.any(alone), lambda: log_excess_alone(numbers, weight, o), lambda: 0.0 * value
    )
    return xp.where(alone, 1.0, value), xp.where(alone, log_alone, log_scale)


def _excess(numbers: SignalNumbers, weight: Pointwise, o: Overlaps) -> Array:
    lam, m, gamma, L = weight.lam, numbers.m, numbers.gamma, numbers.L
    engine = engine_of(lam)
    xp, mean_of = engine.xp, engine.weighted_sum
    share = 1.0 / L if weight.per_length else 1.0
    # nodes are laid along x = lam a, so the standardised score is side * alpha
    side = xp.where(lam < 0, -1.0, 1.0)
    s = side * lam * gamma
    alpha, w = _rule(weight, lam * m * o.kappa, s)
    x, score = lam * m * o.kappa + s * alpha, side * alpha
    S = share * weight.value(x)
    e = 1.0 - S if weight.per_length else weight.complement(x)
    M, tilt = m * o.theta, gamma * (o.rho - o.eta)
    mean = S * (M + tilt * score) - e * gamma * o.eta * score
    signal_mean = mean_of(w, mean)
    mismatch = 2.0 * (1.0 - o.nu) - (o.rho - o.eta) ** 2
    spread = (
        S**2 * mismatch
        + 2.0 * S * e * (1.0 - o.nu + o.eta * (o.rho - o.eta))
        + e**2 * (1.0 - o.eta**2)
    )
    signal_variance = mean_of(w, (mean - signal_mean[..., None]) ** 2 + gamma**2 * spread)
    alpha, w = _rule(weight, xp.zeros_like(lam), side * lam)
    S, a = share * weight.value(side * lam * alpha), side * alpha
    background_mean = mean_of(w, o.rho * S * a)
    background_variance = mean_of(
        w, (o.rho * S * a - background_mean[..., None]) ** 2 + (1.0 - o.rho**2) * S**2
    )
    others = (L - 1.0)[..., 0]
    background_mean, background_variance = (
        xp.where(others > 0, others * part, 0.0) for part in (background_mean, background_variance)
    )
    return signal_variance + background_variance + (signal_mean + background_mean) ** 2
