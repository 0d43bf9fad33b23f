"""Slopes of the erf risk in the overlaps, written down: a handful of exp and erf for each step."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from soloc.maths.arithmetic import erf_beside, exp_of_negative
from soloc.maths.one_kernel import apart
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
    #: of exp(-A^2 exponents), on the second axis: 1, a^2 and the nodes of the variance of erf,
    #: which is sum_n weights_n exp(-A^2 exponents_(n+2))
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
    of_variance = 1.0 + (a[:, None] + gap[:, None] * nodes) ** 2
    of_erf = jnp.stack([jnp.ones_like(a), a * a], axis=1)
    return ErfTable(
        rate=lam / jnp.sqrt(1.0 + 2.0 * square * g2),
        a=a,
        background_variance=(L - 1.0)
        * (4.0 / np.pi)
        * square_rate
        * (2.0 / jnp.sqrt(1.0 + 4.0 * square) - 1.0),
        background_mean=(L - 1.0) * 2.0 * lam / jnp.sqrt(np.pi * (1.0 + 2.0 * square)),
        exponents=jnp.concatenate([of_erf, of_variance], axis=1),
        weights=(2.0 / np.pi) * gap[:, None] * jnp.asarray(_WEIGHTS)[:, None] / of_variance,
    )


def erf_slopes(o: Overlaps, m: Any, g2: Any, at: ErfTable) -> Overlaps:
    """The gradient of the erf risk: every term of `closed_form.erf_excess`, by hand.

    s1, s2, s3 are the derivatives of s0 = E[S] in the mean of the score; V1, V2, V3 those of V =
    Var(S). Exponentials and error functions are computed once, whoever uses them.
    """
    kappa, nu, theta, eta, rho = o
    rate, a = at.rate, at.a
    A = rate * m * kappa
    A2 = A * A
    decays = apart(exp_of_negative, -A2 * at.exponents)
    V = sum(weight * decay for weight, decay in zip(at.weights, decays[2:], strict=True))
    s0, inner = apart(erf_beside, jnp.stack([A, a * A]), decays[:2])
    slope, inner_slope = TWO_OVER_ROOT_PI * decays[0], TWO_OVER_ROOT_PI * a * decays[1]
    s1 = rate * slope
    s2 = -2.0 * rate * A * s1
    s3 = (4.0 * A2 - 2.0) * rate * rate * s1
    drop = inner - s0  # V1 = 2 s1 drop
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
