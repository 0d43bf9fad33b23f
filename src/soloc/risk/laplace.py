"""Second moments of normalised attention weights at any length, by the Laplace transform of the normaliser.

With E_l = f(lam a_l) and S = sum_l E_l, 1/S^2 = int_0^inf t exp(-t S) dt, and given t the tokens are independent. All that a risk
needs are second moments of the weights p_l = E_l / S, such as E[p_s^2] and E[(1 - p_s)^2] for the signal token s. Each is an
integral over u = log t of products of one-token means of phi_i = (t E)^i exp(-t E), i = 0, 1, 2. In log space each of them is
positive and log-concave in u: nothing cancels, nothing underflows, and the cost depends on neither d nor L.
"""

from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp

from soloc.maths.panels import edges_around, panel_rule

_ZOOMS, _ZOOM_POINTS = 12, 9  # each zoom shrinks the bracket of a mode by 4
_LEVELS, _ORDER = 7, 8  # panels on each side of a feature, nodes in each
_COARSE, _FINE = 2, 8  # order of the one-token quadrature, to find features and to integrate
_SMALLEST_STEP, _LARGEST_STEP = -5, 22  # powers of 2 between which the width of a feature is sought


class TokenMeans(NamedTuple):
    """log E[phi_i] of one token, and the means of x and x^2 under phi_i, where x rides along with the score.

    The first axis is i = 0, 1, 2, the others are those of u.
    """

    log: jax.Array
    first: jax.Array
    second: jax.Array


class TokenLaws(NamedTuple):
    """What the Laplace integral asks of the two kinds of token, as functions of u = log t and of the order of the quadrature."""

    means: Callable[[jax.Array, int], tuple[TokenMeans, TokenMeans, jax.Array]]
    #: of the signal token, of a background token, and log E_b[1 - exp(-t E)]
    low: jax.Array  #: no integrand matters below this u
    high: jax.Array  #: nor above this one
    cliff: jax.Array  #: where the signal's exp(-t E) falls from 1 to 0
    cliff_width: jax.Array


class WeightMoments(NamedTuple):
    """Second moments of the weights; entry j of a tuple carries the factor x_s^j.

    s = p_s is the weight on the signal token, e = sum of the others, P = sum over the others of p_l x_l. Moments with s are in
    units of exp(`log_hit`), those without in units of exp(`log_miss`), since the two may differ by more than doubles can.
    """

    log_hit: jax.Array
    log_miss: jax.Array
    ss: tuple[jax.Array, jax.Array, jax.Array]
    se: tuple[jax.Array, jax.Array, jax.Array]
    ee: tuple[jax.Array, jax.Array, jax.Array]
    sP: tuple[jax.Array, jax.Array]
    eP: tuple[jax.Array, jax.Array]
    PP: jax.Array
    squares: jax.Array  #: E of the sum over the others of p_l^2


class _Integrands(NamedTuple):
    """Logarithms of the four products of one-token means, with the means that multiply them."""

    ss: jax.Array
    se: jax.Array
    single: jax.Array  #: one background token squared
    pair: jax.Array  #: two different background tokens
    rise: jax.Array  #: log E_b[1 - exp(-t E)]
    signal: TokenMeans
    background: TokenMeans


def _log_or_never(count: jax.Array) -> jax.Array:
    """log of a number of tokens, -inf when there is none."""
    return jnp.where(count > 0.5, jnp.log(jnp.maximum(count, 1.0)), -jnp.inf)


def _integrands(laws: TokenLaws, L: jax.Array, u: jax.Array, order: int) -> _Integrands:
    signal, background, rise = laws.means(u, order)
    close = rise < -0.7  # log E_b[exp(-t E)] through log1p where it is close to 0
    survival = jnp.where(close, jnp.log1p(-jnp.exp(jnp.where(close, rise, -1.0))), background.log[0])
    others, others_left = _log_or_never(L - 1.0), _log_or_never(L - 2.0)
    return _Integrands(
        ss=signal.log[2] + (L - 1.0) * survival,
        se=others + signal.log[1] + background.log[1] + (L - 2.0) * survival,
        single=others + signal.log[0] + background.log[2] + (L - 2.0) * survival,
        pair=others + others_left + signal.log[0] + 2.0 * background.log[1] + (L - 3.0) * survival,
        rise=rise,
        signal=signal,
        background=background,
    )


def _grid(laws: TokenLaws, L: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Nodes and weights in u that resolve the mode of every integrand and the two cliffs."""

    def curves(u: jax.Array) -> jax.Array:
        """Row j: the curve whose maximum is feature j, on row j of u; the last one peaks where L tokens rise together."""
        f = _integrands(laws, L, u, _COARSE)
        rows = jnp.stack([f.ss[0], f.single[1], f.pair[2], -jnp.abs(f.rise[3] + jnp.log(L))])
        return jnp.where(jnp.isnan(rows), -jnp.inf, rows)

    fractions = jnp.linspace(0.0, 1.0, _ZOOM_POINTS)

    def zoom(_: int, bracket: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        low, high = bracket
        u = low[:, None] + (high - low)[:, None] * fractions
        best = jnp.argmax(curves(u), axis=-1)
        at = lambda j: jnp.take_along_axis(u, jnp.clip(j, 0, _ZOOM_POINTS - 1)[:, None], axis=-1)[:, 0]  # noqa: E731
        return at(best - 1), at(best + 1)

    low, high = jax.lax.fori_loop(0, _ZOOMS, zoom, (jnp.full(4, laws.low), jnp.full(4, laws.high)))
    modes = 0.5 * (low + high)
    steps = 2.0 ** jnp.arange(_SMALLEST_STEP, _LARGEST_STEP)
    values = curves(modes[:, None] + jnp.concatenate([-steps, steps, jnp.zeros(1)]))
    fall = values[:, -1:] - jnp.minimum(values[:, : len(steps)], values[:, len(steps) : -1])  # on the steeper side
    units = steps[jnp.argmax(fall > 0.5, axis=-1)]
    edges = edges_around(jnp.append(modes, laws.cliff), jnp.append(units, laws.cliff_width), _LEVELS)
    return panel_rule(jnp.clip(edges, laws.low, laws.high), _ORDER)


def _largest(*rows: jax.Array) -> jax.Array:
    """The largest entry, 0 when all are -inf."""
    top = jax.lax.stop_gradient(jnp.max(jnp.stack(rows)))
    return jnp.where(jnp.isfinite(top), top, 0.0)


def weight_moments(laws: TokenLaws, L: jax.Array) -> WeightMoments:
    """Exact second moments of the weights for sequences of length L."""
    u, w = jax.lax.stop_gradient(_grid(laws, L))
    f = _integrands(laws, L, u, _FINE)
    first, second = f.signal.first, f.signal.second
    b1, b2 = f.background.first[1], f.background.first[2]
    log_hit, log_miss = (_largest(*rows) for rows in ((f.ss, f.se), (f.single, f.pair)))
    ss, se = (w * jnp.exp(row - log_hit) for row in (f.ss, f.se))
    single, pair = (w * jnp.exp(row - log_miss) for row in (f.single, f.pair))
    ee = single + pair
    eP = single * b2 + pair * b1
    return WeightMoments(
        log_hit=log_hit,
        log_miss=log_miss,
        ss=(jnp.sum(ss), jnp.sum(ss * first[2]), jnp.sum(ss * second[2])),
        se=(jnp.sum(se), jnp.sum(se * first[1]), jnp.sum(se * second[1])),
        ee=(jnp.sum(ee), jnp.sum(ee * first[0]), jnp.sum(ee * second[0])),
        sP=(jnp.sum(se * b1), jnp.sum(se * b1 * first[1])),
        eP=(jnp.sum(eP), jnp.sum(eP * first[0])),
        PP=jnp.sum(single * f.background.second[2] + pair * b1**2),
        squares=jnp.sum(single),
    )
