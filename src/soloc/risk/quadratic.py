"""The excess of a predictor sum_l p_l b_l as a quadratic form in its weights, given the scores.

Given the scores, b and c are Gaussian. With p the weight on the signal token, e = 1 - p, x its
standardised score and P = sum over background tokens of p_l a_l, the error sum_l p_l b_l - c has
conditional mean and variance

    p (m theta + gamma x (rho - eta)) - e gamma eta x + rho P
    gamma^2 (p^2 |v - v* - (rho-eta) k|^2 + 2 p e (1 - nu + eta (rho - eta)) + e^2 (1 - eta^2))
        + (1 - rho^2) sum p_l^2

Terms in p vanish as v -> v*, terms in e as the attention finds the token: nothing cancels near the
truth.
"""

from typing import Any

from soloc.maths.engine import Array, engine_of
from soloc.risk.laplace import WeightMoments
from soloc.risk.overlaps import Overlaps


def excess_given_scores(p: Array, x: Array, here: Array, m: Any, gamma: Any, o: Overlaps) -> Array:
    """E[(sum_l p_l b_l - c)^2 | scores] for weights p of standardised scores x, (..., L) each."""
    xp = engine_of(p, x).xp
    hit, alpha = (xp.sum(xp.where(here, part, 0.0), axis=-1) for part in (p, x))
    miss, others = 1.0 - hit, xp.where(here, 0.0, p)
    mean = hit * (m * o.theta + gamma * alpha * (o.rho - o.eta)) - miss * gamma * o.eta * alpha
    mean = mean + o.rho * xp.sum(others * x, axis=-1)
    spread = hit**2 * (2.0 * (1.0 - o.nu) - (o.rho - o.eta) ** 2) + miss**2 * (1.0 - o.eta**2)
    spread = spread + 2.0 * hit * miss * (1.0 - o.nu + o.eta * (o.rho - o.eta))
    return mean**2 + gamma**2 * spread + (1.0 - o.rho**2) * xp.sum(others**2, axis=-1)


def excess_from_moments(
    moments: WeightMoments, m: Any, gamma: Any, o: Overlaps
) -> tuple[Array, Array]:
    """E[(sum_l p_l b_l - c)^2] as (value, log_scale): the excess is value * exp(log_scale)."""
    xp = engine_of(moments.squares, o.nu).xp
    M, tilt = m * o.theta, gamma * (o.rho - o.eta)
    hit = (gamma**2 * (2.0 * (1.0 - o.nu) - (o.rho - o.eta) ** 2) + M**2) * moments.ss[0]
    hit = hit + 2.0 * M * tilt * moments.ss[1] + tilt**2 * moments.ss[2]
    hit = hit + 2.0 * gamma**2 * (1.0 - o.nu + o.eta * (o.rho - o.eta)) * moments.se[0]
    hit = hit - 2.0 * gamma * o.eta * (M * moments.se[1] + tilt * moments.se[2])
    hit = hit + 2.0 * o.rho * (M * moments.sP[0] + tilt * moments.sP[1])
    miss = gamma**2 * ((1.0 - o.eta**2) * moments.ee[0] + o.eta**2 * moments.ee[2])
    miss = (
        miss
        + o.rho**2 * moments.PP
        - 2.0 * o.rho * gamma * o.eta * moments.eP[1]
        + (1.0 - o.rho**2) * moments.squares
    )
    log_scale = xp.where(
        hit != 0.0, xp.maximum(moments.log_hit, moments.log_miss), moments.log_miss
    )
    hit_part = xp.where(hit != 0.0, hit * xp.exp(xp.minimum(moments.log_hit - log_scale, 0.0)), 0.0)
    return hit_part + miss * xp.exp(xp.minimum(moments.log_miss - log_scale, 0.0)), log_scale
