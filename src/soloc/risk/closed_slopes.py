"""Slopes of the erf risk in the overlaps, written down: a handful of exp and erf for each step."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.special import erf

from soloc.risk.overlaps import Overlaps

TWO_OVER_ROOT_PI = 2.0 / np.sqrt(np.pi)
# 7e-16 on the variance of erf, for every score and lam
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(12)


class ErfTable(NamedTuple):
    """What the erf gradient needs of lam: computed for many steps at once, outside the loop."""

    rate: jax.Array  #: lam / sqrt(1 + 2 lam^2 gamma^2)
    a: jax.Array  #: 1 / sqrt(1 + 4 lam^2 gamma^2)
    #: (L-1) Var(S b) of a background token is this times rho^2, up to a constant
    background_variance: jax.Array
    background_mean: jax.Array  #: (L-1) E[S b] of a background token is this times rho
    #: the variance of erf is sum_n weights_n exp(-A^2 exponents_n), n on the second axis
    exponents: jax.Array
    weights: jax.Array


def erf_table(lam: jax.Array, gamma: Any, L: Any) -> ErfTable:
    """The table of lam values of shape (steps, width)."""
    g2 = gamma * gamma
    square = lam * lam
    square_rate = square / (1.0 + 2.0 * square)
    a = 1.0 / jnp.sqrt(1.0 + 4.0 * square * g2)
    gap = 4.0 * square * g2 * a * a / (1.0 + a)  # 1 - a without cancellation
    nodes = 0.5 * (1.0 + jnp.asarray(_NODES))[:, None]
    exponents = 1.0 + (a[:, None] + gap[:, None] * nodes) ** 2
    return ErfTable(
        rate=lam / jnp.sqrt(1.0 + 2.0 * square * g2),
        a=a,
        background_variance=(L - 1.0)
        * (4.0 / np.pi)
        * square_rate
        * (2.0 / jnp.sqrt(1.0 + 4.0 * square) - 1.0),
        background_mean=(L - 1.0) * 2.0 * lam / jnp.sqrt(np.pi * (1.0 + 2.0 * square)),
        exponents=exponents,
        weights=(2.0 / np.pi) * gap[:, None] * jnp.asarray(_WEIGHTS)[:, None] / exponents,
    )


def erf_slopes(o: Overlaps, m: Any, g2: Any, at: ErfTable) -> Overlaps:
    """The gradient of the erf risk: every term of `closed_form.erf_excess`, by hand.

    s1, s2, s3 are the derivatives of s0 = E[S] in the mean of the score; V1, V2, V3 those of V =
    Var(S).
    """
    kappa, nu, theta, eta, rho = o
    rate, a = at.rate, at.a
    A = rate * m * kappa
    A2 = A * A
    V = jnp.sum(at.weights * jnp.exp(-A2 * at.exponents), axis=0)
    s0 = erf(A)
    slope, inner_slope = (
        TWO_OVER_ROOT_PI * jnp.exp(-A2),
        TWO_OVER_ROOT_PI * a * jnp.exp(-a * a * A2),
    )
    s1 = rate * slope
    s2 = -2.0 * rate * A * s1
    s3 = (4.0 * A2 - 2.0) * rate * rate * s1
    drop = erf(a * A) - s0  # V1 = 2 s1 drop
    drop1 = rate * (inner_slope - slope)
    drop2 = -2.0 * rate * rate * A * (a * a * inner_slope - slope)
    V1, V2, V3 = (
        2.0 * s1 * drop,
        2.0 * (s2 * drop + s1 * drop1),
        2.0 * (s3 * drop + 2.0 * s2 * drop1 + s1 * drop2),
    )
    M, r = m * theta, g2 * rho
    total = M * s0 + r * s1 + at.background_mean * rho  # E[T]
    mismatch = s0 * rho - eta
    tilt, tilt1 = M * s1 + r * s2, M * s2 + r * s3
    of_mean = (
        2.0 * g2 * s1 * (s0 - nu)
        + (g2 + M * M) * V1
        + 2.0 * M * r * V2
        + r * r * (V3 + 2.0 * s1 * s2)
        + 2.0 * g2 * (rho * s1 * tilt + mismatch * tilt1)
        + 2.0 * total * tilt
    )
    return Overlaps.unchecked(
        m * of_mean,
        -2.0 * g2 * s0,
        2.0 * m * (M * V + r * V1 + g2 * mismatch * s1 + total * s0),
        -2.0 * g2 * tilt,
        2.0 * g2 * (M * V1 + r * (V2 + s1 * s1) + s0 * tilt + g2 * mismatch * s2)
        + 2.0 * at.background_variance * rho
        + 2.0 * total * (g2 * s1 + at.background_mean),
    )
