"""Risk of any component-wise weight by one-dimensional integration over the score, graded towards its bend.

The risk is a sum of variances and one squared mean (see `closed_form`), each computed as the mean of a square.
"""

import math

import jax
import jax.numpy as jnp

from soloc.maths.panels import edges_around, panel_rule
from soloc.predictors.pointwise import Pointwise
from soloc.risk.closed_form import Setting
from soloc.risk.overlaps import Overlaps

_REACH = 9.8  # standard deviations at which a Gaussian no longer counts
_LEVELS, _ORDER = 14, 12


def _rule(weight: Pointwise, centre: jax.Array, s: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Nodes alpha and weights of a standard Gaussian mean of functions of x = centre + s alpha.

    Panels end exactly at the bend of the weight and move with it, so that kinks cost nothing, also in derivatives.
    """
    s = jnp.maximum(s, 1e-300)
    far = _REACH + 2.0 * s * weight.exponential_growth
    sharp = jnp.clip((weight.bend - centre) / s, -_REACH, far)
    points = jnp.stack([sharp, jnp.zeros_like(s), s * weight.exponential_growth, 2.0 * s * weight.exponential_growth])
    units = jnp.stack([jnp.clip(1.0 / s, 1e-6, 1.0), *(0.5 * jnp.ones((3,)))])
    edges = jnp.clip(edges_around(points, units, _LEVELS), -_REACH, far)
    alpha, w = panel_rule(jnp.concatenate([jnp.array([-_REACH]), edges, far[None]]), _ORDER)
    return alpha, w * jnp.exp(-0.5 * alpha**2) / math.sqrt(2.0 * math.pi)


def pointwise_excess(setting: Setting, weight: Pointwise, o: Overlaps) -> jax.Array:
    """R - eps^2 of one setting for a component-wise weight with scalar lam."""
    lam, m, gamma, L = weight.lam, setting.m, setting.gamma, setting.L
    share = 1.0 / L if weight.per_length else 1.0
    side = jnp.where(lam < 0, -1.0, 1.0)  # nodes are laid along x = lam a, so the standardised score is side * alpha
    s = side * lam * gamma
    alpha, w = _rule(weight, lam * m * o.kappa, s)
    x, score = lam * m * o.kappa + s * alpha, side * alpha
    S = share * weight.value(x)
    e = 1.0 - S if weight.per_length else weight.complement(x)
    M, tilt = m * o.theta, gamma * (o.rho - o.eta)
    mean = S * (M + tilt * score) - e * gamma * o.eta * score
    signal_mean = jnp.sum(w * mean)
    mismatch = 2.0 * (1.0 - o.nu) - (o.rho - o.eta) ** 2
    spread = S**2 * mismatch + 2.0 * S * e * (1.0 - o.nu + o.eta * (o.rho - o.eta)) + e**2 * (1.0 - o.eta**2)
    signal_variance = jnp.sum(w * (mean - signal_mean) ** 2) + gamma**2 * jnp.sum(w * spread)
    alpha, w = _rule(weight, jnp.zeros_like(lam), side * lam)
    S, a = share * weight.value(side * lam * alpha), side * alpha
    background_mean = o.rho * jnp.sum(w * S * a)
    background_variance = jnp.sum(w * (o.rho * S * a - background_mean) ** 2) + (1.0 - o.rho**2) * jnp.sum(w * S**2)
    others = L - 1.0
    return signal_variance + others * background_variance + (signal_mean + others * background_mean) ** 2
