"""Risk of any component-wise weight by integration over the score, graded towards its bend.

The risk is a sum of variances and one squared mean (see `closed_form`), each computed as the mean
of a square. That of a user's own weight is computed by two rules, and no number where they differ.
"""

import math
from collections.abc import Callable
from dataclasses import replace

from soloc.maths.engine import Array, engine_of
from soloc.maths.panels import edges_around, halved, panel_rule
from soloc.predictors.pointwise import Exponential, Pointwise, is_own
from soloc.risk.alone import log_excess_alone
from soloc.risk.log_normal import exponential_excess, is_wild
from soloc.risk.overlaps import Overlaps
from soloc.risk.signal_numbers import SignalNumbers

_REACH = 9.8  # standard deviations at which a Gaussian no longer counts
_LEVELS, _ORDER, _OTHER_ORDER = 14, 12, 8
_ODD = 0.9387  # else an edge at a round place meets a jump there, and hides how the jump moves
_AGREE = 1e-6  # of two rules on one risk; on a smooth weight they differ by 1e-12


def gaussian_rule(
    weight: Pointwise, centre: Array, s: Array, *, other: bool = False
) -> tuple[Array, Array]:
    """Nodes alpha and weights of a standard Gaussian mean of functions of x = centre + s alpha.

    Panels end exactly at the bends of the weight and move with them, so that kinks cost nothing,
    also in derivatives. The `other` rule has other nodes, on halves of the panels.
    """
    xp = engine_of(centre, s).xp
    zero = xp.zeros_like(centre + s)
    s = xp.maximum(s, 1e-300) + zero
    growth = s * weight.exponential_growth
    far = _REACH + 2.0 * growth
    sharp = [xp.clip((bend - centre) / s, -_REACH, far) + zero for bend in weight.bends]
    points = xp.concatenate([*sharp, zero, growth, 2.0 * growth], axis=-1)
    unit = xp.clip(1.0 / s, 1e-15, 1.0)
    units = xp.concatenate([*(unit for _ in sharp), zero + 0.5, zero + 0.5, zero + 0.5], axis=-1)
    units = _ODD * units if is_own(weight) else units
    edges = xp.clip(edges_around(points, units, _LEVELS), -_REACH, far)
    edges = xp.concatenate([zero - _REACH, edges, far], axis=-1)
    alpha, w = panel_rule(halved(edges), _OTHER_ORDER) if other else panel_rule(edges, _ORDER)
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
        value = _vouched(lambda other: _excess(numbers, weight, o, other), weight)
        log_scale = 0.0 * value
    alone = ((numbers.L == 1.0) & (o.nu == 1.0))[..., 0]
    log_alone = engine.either(
        xp.any(alone),
        lambda: _vouched(lambda other: log_excess_alone(numbers, weight, o, other), weight),
        lambda: 0.0 * value,
    )
    return xp.where(alone, 1.0, value), xp.where(alone, log_alone, log_scale)


def _vouched(by: Callable[[bool], Array], weight: Pointwise) -> Array:
    """The answer of the first rule; of a user's weight no number where the other differs."""
    value = by(False)
    if not is_own(weight):
        return value
    engine = engine_of(value)
    xp, other = engine.xp, by(True)
    larger = xp.maximum(xp.abs(value), xp.abs(other))
    same = (value == other) | (xp.abs(value - other) <= _AGREE * larger)
    return value * engine.constant(xp.where(same, 1.0, xp.nan))


def _excess(numbers: SignalNumbers, weight: Pointwise, o: Overlaps, other: bool = False) -> Array:
    lam, m, gamma, L = weight.lam, numbers.m, numbers.gamma, numbers.L
    engine = engine_of(lam)
    xp, mean_of = engine.xp, engine.weighted_sum
    share = 1.0 / L if weight.per_length else 1.0
    # nodes are laid along x = lam a, so the standardised score is side * alpha
    side = xp.where(lam < 0, -1.0, 1.0)
    s = side * lam * gamma
    alpha, w = gaussian_rule(weight, lam * m * o.kappa, s, other=other)
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
    alpha, w = gaussian_rule(weight, xp.zeros_like(lam), side * lam, other=other)
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
