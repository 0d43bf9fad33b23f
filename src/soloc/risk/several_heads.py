"""Several erf heads on several kinds of decisive tokens: the exact risk from one Gram matrix.

Tokens are independent given the locations, and f(x) = sum_h erf(lam_h x.k_h) x.v_h does not depend
on the position, so that for every law of the locations

    R - eps^2 = sum_g n_g Var_g(f - w_g c_g) + (sum_g n_g E_g[f - w_g c_g])^2,    c_g = x.v*_g,

where the background counts as one more kind, with m = 0, gamma = 1 and w = 0. With e_h = E[S_h] and
u = sum_h e_h v_h - w v*_g the error of a token is x.u + sum_h (S_h - e_h) b_h. Every moment with b
follows by Gaussian integration by parts from the covariances of the S_h, which are those of signs;
near the truth u is small and nothing cancels.
"""

import math
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from soloc.maths.data import Data, core
from soloc.maths.engine import Array, engine_of
from soloc.maths.sign_correlation import sign_moments
from soloc.predictors.heads import Heads
from soloc.predictors.pointwise import Erf
from soloc.risk.gram import Gram
from soloc.risk.head_slopes import Kinds, slopes_and_value, value
from soloc.risk.registry import Slopes, Watched, register
from soloc.tasks.several_locations import SeveralLocations

_ROOT_HALF = math.sqrt(0.5)


@dataclass(frozen=True)
class KindNumbers(Data):
    """The numbers of a task with H* kinds; leading axes broadcast with the runs."""

    m: Array
    gamma: Array
    L: Array
    per_kind: Array = field(metadata=core(1))  #: (..., H*) tokens of each kind
    importance: Array = field(metadata=core(1))  #: (..., H*) weight of each kind in the answer

    @staticmethod
    def of(task: SeveralLocations) -> "KindNumbers":
        """Those of a task."""
        each = np.asarray(task.per_kind, float), np.asarray(task.importance, float)
        return KindNumbers(task.m, task.gamma, task.L, *each)


class _Heads(NamedTuple):
    """Temperatures and inner products of the heads' own vectors, with an axis for the tokens."""

    lam: Array  #: (..., 1, H)
    kk: Array  #: (..., 1, H, H)
    kv: Array  #: k_h . v_j
    vv: Array


class _Tokens(NamedTuple):
    """The laws N(mu, s^2 I) of the kinds of token, and the share w x.v* that each should add."""

    count: Array  #: (..., T)
    s: Array
    along_keys: Array  #: (..., T, H) mu . k_h
    along_values: Array  #: (..., T, H) mu . v_h
    along_wanted: Array  #: (..., T) mu . v*
    w: Array
    wanted_keys: Array  #: (..., T, H) v* . k_h
    wanted_values: Array  #: (..., T, H) v* . v_h
    wanted_square: Array  #: (..., T) |v*|^2


class _Spread(NamedTuple):
    """What the fluctuations S_h - e_h of a token add."""

    mean: Array  #: E[sum (S_h - e_h) b_h]
    variance: Array
    slope: Array  #: (..., H) E[S_h' b_h]
    scaled: Array  #: (..., H) a_h / sqrt 2, of which e_h is the erf


def heads_excess(numbers: KindNumbers, lam: Array, gram: Array) -> Array:
    """R - eps^2 of heads at inverse temperatures lam (..., H), from the Gram matrix of
    (k_1..k_H, v_1..v_H, k*_1..k*_H*, v*_1..v*_H*).
    """
    engine = engine_of(gram, lam, numbers.m)
    xp = engine.xp
    H = lam.shape[-1]
    keys, values = slice(0, H), slice(H, 2 * H)
    own = gram[..., None, :, :]
    heads = _Heads(
        lam[..., None, :],
        own[..., keys, keys],
        own[..., keys, values],
        own[..., values, values],
    )
    tokens = _tokens(numbers, gram, H)
    spread = _spread(heads, tokens)
    e = engine.erf(spread.scaled)
    u_keys = xp.sum(e[..., :, None] * xp.swapaxes(heads.kv, -1, -2), axis=-2)
    u_keys = u_keys - tokens.w[..., None] * tokens.wanted_keys  # u . k_h
    square = tokens.s * tokens.s
    variance = square * _misfit(heads, tokens, e, engine.erfc(xp.abs(spread.scaled)))
    variance = variance + 2.0 * square * xp.sum(u_keys * spread.slope, axis=-1) + spread.variance
    mean = xp.sum(e * tokens.along_values, axis=-1) - tokens.w * tokens.along_wanted + spread.mean
    return xp.sum(tokens.count * variance, axis=-1) + xp.sum(tokens.count * mean, axis=-1) ** 2


def _tokens(numbers: KindNumbers, gram: Array, H: int) -> _Tokens:
    """The kinds of token, the background last."""
    xp = engine_of(gram, numbers.m).xp
    kinds = numbers.per_kind.shape[-1]
    keys, values = slice(0, H), slice(H, 2 * H)
    k_star, v_star = slice(2 * H, 2 * H + kinds), slice(2 * H + kinds, 2 * H + 2 * kinds)
    m = numbers.m[..., None]

    def with_background(x: Array, background: float, axis: int = -1) -> Array:
        last = xp.full_like(xp.take(x, xp.asarray([0]), axis=axis), background)
        return xp.concatenate([x, last], axis=axis)

    others = numbers.L - xp.sum(numbers.per_kind, axis=-1)
    ones = xp.ones_like(gram[..., 0, k_star])
    truth = gram[..., v_star, v_star]
    mean_of_wanted = xp.diagonal(gram[..., k_star, v_star], axis1=-2, axis2=-1)
    return _Tokens(
        count=xp.concatenate([numbers.per_kind * ones, others[..., None] * ones[..., :1]], axis=-1),
        s=with_background(numbers.gamma[..., None] * ones, 1.0),
        along_keys=with_background(m[..., None] * gram[..., k_star, keys], 0.0, -2),
        along_values=with_background(m[..., None] * gram[..., k_star, values], 0.0, -2),
        along_wanted=with_background(m * mean_of_wanted, 0.0),
        w=with_background(numbers.importance * ones, 0.0),
        wanted_keys=with_background(gram[..., v_star, keys], 0.0, -2),
        wanted_values=with_background(gram[..., v_star, values], 0.0, -2),
        wanted_square=with_background(xp.diagonal(truth, axis1=-2, axis2=-1), 1.0),
    )


def _spread(heads: _Heads, tokens: _Tokens) -> _Spread:
    """Moments of sum_h (S_h - e_h) b_h on each kind of token."""
    xp = engine_of(heads.kk, tokens.s).xp
    square = (tokens.s * tokens.s)[..., None]
    s2 = square[..., None]
    own_k = xp.diagonal(heads.kk, axis1=-2, axis2=-1)
    own_kv = xp.diagonal(heads.kv, axis1=-2, axis2=-1)
    t = math.sqrt(2.0) * heads.lam / xp.sqrt(1.0 + 2.0 * heads.lam**2 * square * own_k)
    a = t * tokens.along_keys
    first = math.sqrt(2.0 / math.pi) * t * xp.exp(-0.5 * a * a)  # E[S_h']
    second = -a * t * first  # E[S_h'']
    t1, t2 = t[..., :, None], t[..., None, :]
    r = t1 * t2 * s2 * heads.kk
    a1, a2 = xp.broadcast_arrays(a[..., :, None], a[..., None, :])
    signs = sign_moments(a1, a2, r)
    C1, C2, mixed = t1 * signs.first, t2 * signs.second, t1 * t2 * signs.mixed
    C11 = -a1 * t1 * C1 - r * t1 * t1 * signs.mixed
    C22 = -a2 * t2 * C2 - r * t2 * t2 * signs.mixed
    B1, B2 = tokens.along_values[..., :, None], tokens.along_values[..., None, :]
    k1v1, k2v2 = own_kv[..., :, None], own_kv[..., None, :]
    k1v2, k2v1 = heads.kv, xp.swapaxes(heads.kv, -1, -2)
    pairs = (B1 * B2 + s2 * heads.vv) * signs.covariance
    pairs = pairs + s2 * ((k1v1 * B2 + k1v2 * B1) * C1 + (k2v1 * B2 + k2v2 * B1) * C2)
    both = k1v1 * k2v2 + k2v1 * k1v2
    pairs = pairs + s2 * s2 * (k1v1 * k1v2 * C11 + k2v1 * k2v2 * C22 + both * mixed)
    mean = xp.sum(square * own_kv * first, axis=-1)
    return _Spread(
        mean=mean,
        variance=xp.sum(pairs, axis=(-2, -1)) - mean * mean,
        slope=tokens.along_values * first + square * own_kv * second,
        scaled=_ROOT_HALF * a,
    )


def _misfit(heads: _Heads, tokens: _Tokens, e: Array, missing: Array) -> Array:
    """|sum_h e_h v_h - w v*|^2, in which the head nearest to v* is compared with it first."""
    engine = engine_of(e)
    xp = engine.xp
    vv = xp.broadcast_to(heads.vv, (*e.shape, e.shape[-1]))
    wanted = xp.broadcast_to(tokens.wanted_values, e.shape)
    best = engine.constant(xp.argmax(xp.abs(e * wanted), axis=-1))[..., None]

    def at_best(x: Array) -> Array:
        return xp.take_along_axis(x, best, axis=-1)[..., 0]

    nearest, w = at_best(e), tokens.w
    size = xp.sqrt(at_best(xp.diagonal(vv, axis1=-2, axis2=-1)))
    length = xp.sqrt(tokens.wanted_square)
    # |e v - w v*|^2 = (|e| |v| - w |v*|)^2 + 2 |e| w (|v| |v*| - side v.v*)
    short = (size - w * length) - size * at_best(missing)
    apart = size * length - xp.where(nearest < 0.0, -1.0, 1.0) * at_best(wanted)
    near = short * short + 2.0 * xp.abs(nearest) * w * apart
    rest = xp.where(xp.arange(e.shape[-1]) == best, 0.0, e)
    v_best = xp.take_along_axis(vv, best[..., None], axis=-2)[..., 0, :]
    cross = nearest[..., None] * v_best - w[..., None] * wanted
    square = xp.sum(rest[..., :, None] * rest[..., None, :] * vv, axis=(-2, -1))
    return near + 2.0 * xp.sum(rest * cross, axis=-1) + square


def _excess(numbers: KindNumbers, heads: Heads, gram: Gram) -> Array:
    """The risk of the pair, refused where it is not exact or sizes do not fit."""
    if not all(isinstance(weight, Erf) and not weight.per_length for weight in heads.weights):
        names = ", ".join(type(weight).__name__ for weight in heads.weights)
        raise TypeError(
            f"`weights` must all be Erf for the exact risk of several heads, got {names};"
            " monte_carlo_risk serves every weight and gives its error."
        )
    kinds, rows = numbers.per_kind.shape[-1], gram.matrix.shape[-1]
    if rows != 2 * (len(heads) + kinds):
        raise ValueError(
            f"`state` must be a Gram matrix of {2 * (len(heads) + kinds)} rows for {len(heads)}"
            f" heads and {kinds} kinds, got {rows}."
        )
    xp = engine_of(gram.matrix, numbers.m, *(weight.lam for weight in heads.heads)).xp
    lam = xp.stack(xp.broadcast_arrays(*(xp.asarray(w.lam) for w in heads.heads)), axis=-1)
    return heads_excess(jax.tree.map(xp.asarray, numbers), lam, xp.asarray(gram.matrix))


class _SideBySide(NamedTuple):
    """The same with runs on the last axis."""

    kinds: Kinds
    lam: Array  #: (H, R)
    gram: Array  #: (2H + 2H*, 2H + 2H*, R)


def _side_by_side(gram: Gram, numbers: KindNumbers, heads: Heads, lam: Any) -> _SideBySide:
    matrix = jnp.moveaxis(gram.matrix.reshape(-1, *gram.matrix.shape[-2:]), 0, -1)

    def one_each(x: Any) -> Any:
        return jnp.broadcast_to(jnp.ravel(x), matrix.shape[-1:])

    m, gamma, L = map(one_each, (numbers.m, numbers.gamma, numbers.L))
    per_kind, importance = (
        jnp.moveaxis(jnp.broadcast_to(x, (len(m), x.shape[-1])), 0, -1)
        for x in (numbers.per_kind, numbers.importance)
    )
    ones = jnp.ones_like(importance)
    kinds = Kinds(
        count=jnp.concatenate([per_kind, (L - jnp.sum(per_kind, axis=0))[None]]),
        square=jnp.concatenate([gamma * gamma * ones, ones[:1]]),
        w=jnp.concatenate([importance, 0.0 * ones[:1]]),
        m=m,
    )
    lams = jnp.stack([one_each(weight.lam) for weight in heads.with_lam(lam).heads])
    return _SideBySide(kinds, lams, matrix)


def _both_at(gram: Gram, numbers: KindNumbers, heads: Heads, lam: Any) -> tuple[Gram, Array]:
    """Row i holds the coefficients of the gradient in row i; the truth does not move."""
    moves, values = slopes_and_value(*_side_by_side(gram, numbers, heads, lam))
    still = jnp.zeros((moves.shape[1] - moves.shape[0], *moves.shape[1:]))
    rows = jnp.moveaxis(jnp.concatenate([moves, still]), -1, 0).reshape(gram.matrix.shape)
    slopes: Gram = jax.tree.unflatten(jax.tree.structure(gram), [rows])
    return slopes, values.reshape(gram.matrix.shape[:-2])


def _slopes_at(gram: Gram, numbers: KindNumbers, heads: Heads, lam: Any) -> Gram:
    return _both_at(gram, numbers, heads, lam)[0]


def _value_at(gram: Gram, numbers: KindNumbers, heads: Heads, lam: Any) -> Array:
    values = value(*_side_by_side(gram, numbers, heads, lam))
    return values.reshape(gram.matrix.shape[:-2])


_SLOPES = Slopes(lambda lam, numbers: lam, _slopes_at, Watched(_both_at, _value_at))

register(
    SeveralLocations,
    Heads,
    state=Gram,
    excess=_excess,
    numbers=KindNumbers.of,
    closed_slopes=lambda task, heads: _SLOPES,
)
