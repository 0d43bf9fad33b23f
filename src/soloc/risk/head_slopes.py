"""Slopes of the risk of several erf heads in the Gram matrix, closed: what training steps follow.

The risk of `several_heads` is made of moments E[S_1^(i) S_2^(j)] of derivatives of erf at two
correlated scores with means A and covariance s^2 k_1.k_2. Their slopes are moments again,

    d/dA_1 -> one more derivative of S_1,    d/d(s^2 k_1.k_2) -> one more of both,
    d/d(s^2 |k_1|^2) -> half of two more of S_1,

so that nothing is differentiated by machine: a tenth of the operations. Runs are on the last axis,
where a compiled program goes through them side by side.
"""

import math
from typing import NamedTuple

import jax.numpy as jnp
from jax.scipy.special import erf

from soloc.maths.engine import JAX, Array
from soloc.maths.sign_correlation import covariance_in_a_loop

_ROOT_HALF = math.sqrt(0.5)


class Kinds(NamedTuple):
    """The laws of the kinds of token, the background last: T of them on the first axis."""

    count: Array  #: (T, R)
    square: Array  #: (T, R) s^2
    w: Array  #: (T, R)
    m: Array  #: (R,)


class _Own(NamedTuple):
    """Inner products of the heads' own vectors, and of them with the truth."""

    kk: Array  #: (H, H, R)
    kv: Array  #: k_h . v_j
    vv: Array
    A: Array  #: (T, H, R) mu . k_h
    B: Array  #: mu . v_h
    C: Array  #: (T, R) mu . v*
    wk: Array  #: (T, H, R) v* . k_h
    wv: Array  #: v* . v_h
    ww: Array  #: (T, R) |v*|^2


class _One(NamedTuple):
    """E[S], E[S'], ... of one head on every kind of token, (T, H, R) each."""

    t: Array
    a: Array
    e: Array
    E1: Array
    E2: Array
    E3: Array
    E4: Array


class _Two(NamedTuple):
    """Covariances C of two heads, D = E[S_1' S_2'], and their slopes in A: (T, H, H, R) each.

    C1 = E[S_1' (S_2 - e_2)], C11 = E[S_1'' (S_2 - e_2)], ..., D1 = E[S_1'' S_2'], ...
    """

    C: Array
    C1: Array
    C11: Array
    C111: Array
    C1111: Array
    D: Array
    D1: Array
    D11: Array
    D12: Array


class _Moments(NamedTuple):
    """What value and slopes share."""

    own: _Own
    one: _One
    two: _Two
    q: Array  #: (H, R) k_h . v_h
    uk: Array  #: (T, H, R) u . k_h, u = sum_h e_h v_h - w v*
    uv: Array  #: (T, H, R) u . v_h
    sigma: Array  #: (T, H, R) E[S_h' b_h]
    mu: Array  #: (T, R) E[sum (S_h - e_h) b_h]
    mean: Array  #: (T, R) of the error of a token


def _moments(kinds: Kinds, lam: Array, gram: Array) -> _Moments:
    own = _own(kinds, gram, lam.shape[0])
    s2, w = kinds.square[:, None], kinds.w[:, None]
    one = _one(own, s2, lam)
    q = _diagonal(own.kv)
    mu = jnp.sum(s2 * q * one.E1, axis=1)
    return _Moments(
        own=own,
        one=one,
        two=_two(own, s2, one),
        q=q,
        uk=jnp.sum(own.kv * one.e[:, None], axis=2) - w * own.wk,
        uv=jnp.sum(own.vv * one.e[:, None], axis=2) - w * own.wv,
        sigma=own.B * one.E1 + s2 * q * one.E2,
        mu=mu,
        mean=jnp.sum(one.e * own.B, axis=1) - kinds.w * own.C + mu,
    )


def value(kinds: Kinds, lam: Array, gram: Array) -> Array:
    """R - eps^2, (R,), as `heads_excess` but for its care near the truth: it watches steps.

    `lam` is (H, R) and `gram` (2H + 2H*, 2H + 2H*, R).
    """
    return _value(kinds, _moments(kinds, lam, gram))


def _value(kinds: Kinds, moments: _Moments) -> Array:
    own, one, two, q = moments[:4]
    s2, w = kinds.square[:, None, None], kinds.w[:, None]
    q1, B1, B2 = q[:, None], own.B[:, :, None], own.B[:, None]
    vk = jnp.swapaxes(own.kv, 0, 1)
    pairs = (
        (B1 * B2 + s2 * own.vv) * two.C
        + 2.0 * s2 * (q1 * B2 + own.kv * B1) * two.C1
        + s2 * s2 * (2.0 * q1 * own.kv * two.C11 + (q1 * q[None] + vk * own.kv) * two.D)
    )
    square = jnp.sum(one.e * (moments.uv - w * own.wv), axis=1) + kinds.w**2 * own.ww
    along = jnp.sum(moments.uk * moments.sigma, axis=1)
    variance = kinds.square * (square + 2.0 * along) - moments.mu**2
    variance = variance + jnp.sum(pairs, axis=(1, 2))
    total = jnp.sum(kinds.count * moments.mean, axis=0)
    return jnp.sum(kinds.count * variance, axis=0) + total * total


def slopes_and_value(kinds: Kinds, lam: Array, gram: Array) -> tuple[Array, Array]:
    """Row i: coefficients of the gradient in the i-th vector of the heads, (2H, 2H + 2H*, R).

    Beside it the `value`.
    """
    moments = _moments(kinds, lam, gram)
    own, one, two, q, uk, uv, sigma, mu, mean = moments
    n, w, s2 = kinds.count[:, None], kinds.w[:, None], kinds.square[:, None]
    # what a unit more of a token's mean costs, and of the part of it that also is in the variance
    of_mean = 2.0 * jnp.sum(kinds.count * mean, axis=0) * n
    of_mu = of_mean - 2.0 * n * mu[:, None]

    # of what one head adds: V = s^2 |u|^2 + 2 s^2 sum_h (u.k_h) sigma_h - mu^2, M = e.B - w C + mu
    g_sigma = 2.0 * n * s2 * uk
    g0 = 2.0 * n * s2 * (uv + jnp.sum(own.kv * sigma[:, :, None], axis=1)) + of_mean * own.B
    g1 = g_sigma * own.B + of_mu * s2 * q
    g2 = g_sigma * s2 * q
    gB = g_sigma * one.E1 + of_mean * one.e
    gq = g_sigma * s2 * one.E2 + of_mu * s2 * one.E1
    gkv = 2.0 * n[:, None] * s2[:, None] * sigma[:, :, None] * one.e[:, None]
    gvv = n[:, None] * s2[:, None] * one.e[:, :, None] * one.e[:, None]
    g_wk, g_wv = -2.0 * n * s2 * w * sigma, -2.0 * n * s2 * w * one.e
    gA = g0 * one.E1 + g1 * one.E2 + g2 * one.E3
    g_square = 0.5 * s2 * (g0 * one.E2 + g1 * one.E3 + g2 * one.E4)

    # of pairs: P = alpha C + beta C1 + gamma C11 + delta D, summed over ordered pairs
    n2, s22 = n[:, None], s2[:, None]
    q1, q2, B1, B2 = q[:, None], q[None], own.B[:, :, None], own.B[:, None]
    vk = jnp.swapaxes(own.kv, 0, 1)
    alpha = n2 * (B1 * B2 + s22 * own.vv)
    beta = 2.0 * n2 * s22 * (q1 * B2 + own.kv * B1)
    gamma = 2.0 * n2 * s22 * s22 * q1 * own.kv
    delta = n2 * s22 * s22 * (q1 * q2 + vk * own.kv)
    beta_t, gamma_t = jnp.swapaxes(beta, 1, 2), jnp.swapaxes(gamma, 1, 2)
    C1_t, D1_t = jnp.swapaxes(two.C1, 1, 2), jnp.swapaxes(two.D1, 1, 2)
    E1, E2 = (x[:, :, None] for x in (one.E1, one.E2))
    E1_t, E2_t = (x[:, None] for x in (one.E1, one.E2))
    gA = gA + jnp.sum(
        2.0 * alpha * two.C1 + beta * two.C11 + gamma * two.C111 + 2.0 * delta * two.D1
        + beta_t * (two.D - E1 * E1_t) + gamma_t * (D1_t - E1 * E2_t),
        axis=2,
    )  # fmt: skip
    g_square = g_square + 0.5 * s2 * jnp.sum(
        2.0 * alpha * two.C11 + beta * two.C111 + gamma * two.C1111 + 2.0 * delta * two.D11
        + beta_t * (two.D1 - E2 * E1_t) + gamma_t * (two.D12 - E2 * E2_t),
        axis=2,
    )  # fmt: skip
    gkk = s22 * (alpha * two.D + beta * two.D1 + gamma * two.D11 + delta * two.D12)
    gB = gB + 2.0 * n * jnp.sum(B2 * two.C + s22 * (q2 * C1_t + own.kv * two.C1), axis=2)
    gq = gq + 2.0 * n * s2 * jnp.sum(B2 * two.C1 + s22 * (own.kv * two.C11 + q2 * two.D), axis=2)
    gkv = gkv + 2.0 * n2 * s22 * (B1 * two.C1 + s22 * (q1 * two.C11 + vk * two.D))
    gvv = gvv + n2 * s22 * two.C

    eye = jnp.eye(lam.shape[0])[:, :, None]
    kk = jnp.sum(gkk, axis=0) + eye * jnp.sum(g_square, axis=0)[:, None]
    kv = jnp.sum(gkv, axis=0) + eye * jnp.sum(gq, axis=0)[:, None]
    vv = jnp.sum(gvv, axis=0)
    # the background, last, has no direction of its own
    along = [jnp.swapaxes(x[:-1], 0, 1) for x in (kinds.m * gA, g_wk, kinds.m * gB, g_wv)]
    of_keys = jnp.concatenate([kk + jnp.swapaxes(kk, 0, 1), kv, along[0], along[1]], axis=1)
    of_values = jnp.concatenate(
        [jnp.swapaxes(kv, 0, 1), vv + jnp.swapaxes(vv, 0, 1), along[2], along[3]], axis=1
    )
    return jnp.concatenate([of_keys, of_values]), _value(kinds, moments)


def _own(kinds: Kinds, gram: Array, H: int) -> _Own:
    stars = (gram.shape[0] - 2 * H) // 2
    keys, values = slice(0, H), slice(H, 2 * H)
    k_star, v_star = slice(2 * H, 2 * H + stars), slice(2 * H + stars, None)

    def with_background(x: Array) -> Array:
        return jnp.concatenate([x, jnp.zeros_like(x[:1])])

    return _Own(
        kk=gram[keys, keys],
        kv=gram[keys, values],
        vv=gram[values, values],
        A=kinds.m * with_background(gram[k_star, keys]),
        B=kinds.m * with_background(gram[k_star, values]),
        C=kinds.m * with_background(_diagonal(gram[k_star, v_star])),
        wk=with_background(gram[v_star, keys]),
        wv=with_background(gram[v_star, values]),
        ww=with_background(_diagonal(gram[v_star, v_star])),
    )


def _diagonal(matrix: Array) -> Array:
    """(n, n, R) -> (n, R), by slices: a gather is slow inside a compiled loop."""
    return jnp.stack([matrix[i, i] for i in range(matrix.shape[0])])


def _one(own: _Own, s2: Array, lam: Array) -> _One:
    t = math.sqrt(2.0) * lam / jnp.sqrt(1.0 + 2.0 * lam * lam * s2 * _diagonal(own.kk))
    a = t * own.A
    # computed once: fused into what uses them, they would be computed, and compiled, for each
    t, a, e, E1 = JAX.once(
        (t, a, erf(_ROOT_HALF * a), math.sqrt(2.0 / math.pi) * t * jnp.exp(-0.5 * a * a))
    )
    E2 = -a * t * E1
    E3 = -t * t * E1 - a * t * E2
    return _One(t, a, e, E1, E2, E3, -2.0 * t * t * E2 - a * t * E3)


def _two(own: _Own, s2: Array, one: _One) -> _Two:
    H = own.kk.shape[0]
    t1, t2 = one.t[:, :, None], one.t[:, None]
    a1, a2 = jnp.broadcast_arrays(one.a[:, :, None], one.a[:, None])
    along = t1 * t1 * s2[:, None] * own.kk  # r t_1 / t_2
    r = t1 * t2 * s2[:, None] * own.kk
    left = (1.0 - r) * (1.0 + r)
    C1 = one.E1[:, :, None] * (erf(_ROOT_HALF * (a2 - r * a1) / jnp.sqrt(left)) - one.e[:, None])
    square = (a1 - a2) ** 2 + 2.0 * (1.0 - r) * a1 * a2
    D = (2.0 / math.pi) * t1 * t2 * jnp.exp(-0.5 * square / left) / jnp.sqrt(left)
    C, C1, D, r, left = JAX.once((_covariances(one.a, r, H), C1, D, r, left))
    x1, x2 = (a1 - r * a2) / left, (a2 - r * a1) / left
    D1 = -t1 * x1 * D
    D11 = t1 * t1 * (x1 * x1 - 1.0 / left) * D
    C11 = -a1 * t1 * C1 - along * D
    C111 = -t1 * t1 * C1 - a1 * t1 * C11 - along * D1
    return _Two(
        C=C,
        C1=C1,
        C11=C11,
        C111=C111,
        C1111=-2.0 * t1 * t1 * C11 - a1 * t1 * C111 - along * D11,
        D=D,
        D1=D1,
        D11=D11,
        D12=t1 * t2 * (x1 * x2 + r / left) * D,
    )


def _covariances(a: Array, r: Array, H: int) -> Array:
    """Those of the kinds by quadrature, every pair once; of the background an arcsine."""
    pairs = [(i, j) for i in range(H) for j in range(i, H)]
    first, second, correlation = (
        jnp.stack(parts, axis=1)
        for parts in zip(*((a[:-1, i], a[:-1, j], r[:-1, i, j]) for i, j in pairs), strict=True)
    )
    found = covariance_in_a_loop(first, second, correlation)
    place = {pair: at for at, pair in enumerate(pairs)}
    rows = [
        jnp.stack([found[:, place[min(i, j), max(i, j)]] for j in range(H)], axis=1)
        for i in range(H)
    ]
    return jnp.concatenate([jnp.stack(rows, axis=1), (2.0 / math.pi) * jnp.arcsin(r[-1:])])
