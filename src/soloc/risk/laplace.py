"""Second moments of normalised attention weights at any length, by the Laplace transform of the
normaliser.

With E_l = f(lam a_l) and S = sum_l E_l, 1/S^2 = int_0^inf t exp(-t S) dt, and given t the tokens
are independent. All that a risk needs are second moments of the weights p_l = E_l / S, such as
E[p_s^2] and E[(1 - p_s)^2] for the signal token s. Each is an integral over u = log t of products
of one-token means of phi_i = (t E)^i exp(-t E), i = 0, 1, 2. In log space each of them is positive
and log-concave in u: nothing cancels, nothing underflows, and the cost depends on neither d nor L.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from soloc.maths.engine import JAX, Array, engine_of
from soloc.maths.panels import edges_around, joined, panel_rule

_ZOOMS, _FRACTIONS = 7, np.linspace(0.0, 1.0, 25)  # each zoom shrinks the bracket of a mode by 12
# a curve that falls by less within its bracket has its mode found: no curve bends faster than 2
_FLAT = 0.1
_LEVELS, _ORDER = 7, 10  # panels on each side of a feature, nodes in each
_JOINED, _JOINED_ORDER = 2.0, 16  # length of joined panels at a feature in its units, nodes in each
COARSE, _FINE = 2, 8  # order of the one-token quadrature, to find features and to integrate
_NEGLIGIBLE = 50.0  # an integrand this far below its mode, in logarithms, no longer counts
_SMALLEST_STEP, _LARGEST_STEP = -3, 22  # powers of 2 between which the width of a feature is sought


class TokenMeans(NamedTuple):
    """log E[phi_i] of one token, and the means of x and x^2 under phi_i, where x rides along with
    the score.

    The first axis is i = 0, 1, 2, the others are those of u.
    """

    log: Array
    first: Array
    second: Array


class TokenLaws(NamedTuple):
    """What the Laplace integral asks of the two kinds of token, as functions of u = log t and of
    the order of the quadrature.
    """

    means: Callable[[Array, int], tuple[TokenMeans, TokenMeans, Array]]
    #: of the signal token, of a background token, and log E_b[1 - exp(-t E)]
    low: Array  #: no integrand matters below this u
    high: Array  #: nor above this one
    cliff: Array  #: where the signal's exp(-t E) falls from 1 to 0
    cliff_width: Array
    vanishes: Array | bool = False  #: E may be 0, so that a token alone need not have weight 1


class WeightMoments(NamedTuple):
    """Second moments of the weights; entry j of a tuple carries the factor x_s^j.

    s = p_s is the weight on the signal token, e = sum of the others, P = sum over the others of p_l
    x_l. Moments with s are in units of exp(`log_hit`), those without in units of exp(`log_miss`),
    since the two may differ by more than doubles can.
    """

    log_hit: Array
    log_miss: Array
    ss: tuple[Array, Array, Array]
    se: tuple[Array, Array, Array]
    ee: tuple[Array, Array, Array]
    sP: tuple[Array, Array]
    eP: tuple[Array, Array]
    PP: Array
    squares: Array  #: E of the sum over the others of p_l^2


class _Integrands(NamedTuple):
    """Logarithms of the four products of one-token means, with the means that multiply them."""

    ss: Array
    se: Array
    single: Array  #: one background token squared
    pair: Array  #: two different background tokens
    rise: Array  #: log E_b[1 - exp(-t E)]
    signal: TokenMeans
    background: TokenMeans


class _Bracket(NamedTuple):
    """Where each curve has its mode, and how far it falls from there within the bracket."""

    low: Array
    mode: Array
    high: Array
    fall: Array


def _log_or_never(count: Array) -> Array:
    """log of a number of tokens, -inf when there is none."""
    xp = engine_of(count).xp
    return xp.where(count > 0.5, xp.log(xp.maximum(count, 1.0)), -xp.inf)


def _integrands(laws: TokenLaws, L: Array, u: Array, order: int) -> _Integrands:
    xp = engine_of(u).xp
    signal, background, rise = laws.means(u, order)
    close = rise < -0.7  # log E_b[exp(-t E)] through log1p where it is close to 0
    survival = xp.where(close, xp.log1p(-xp.exp(xp.where(close, rise, -1.0))), background.log[0])
    survival = xp.maximum(survival, -1e300)  # not -inf, which no token would multiply by 0
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


def _grid(laws: TokenLaws, L: Array) -> tuple[Array, Array]:
    """Nodes and weights in u that resolve the mode of every integrand and the two cliffs."""

    engine = engine_of(L)
    xp = engine.xp

    def curves(u: Array) -> Array:
        """Row j: the curve whose maximum is feature j, on row j of u; the last one peaks where L
        tokens rise together.
        """
        f = _integrands(laws, L, u, COARSE)
        rows = xp.stack([f.ss[0], f.single[1], f.pair[2], -xp.abs(f.rise[3] + xp.log(L))])
        return xp.where(xp.isnan(rows), -xp.inf, rows)

    def zoom(bracket: _Bracket) -> _Bracket:
        u = bracket.low[:, None] + (bracket.high - bracket.low)[:, None] * _FRACTIONS
        values = curves(u)
        best = xp.argmax(values, axis=-1)[:, None]
        sides = xp.clip(best + np.array([-1, 0, 1]), 0, len(_FRACTIONS) - 1)
        (low, mode, high), (left, top, right) = (
            xp.take_along_axis(rows, sides, axis=-1).T for rows in (u, values)
        )
        return _Bracket(low, mode, high, top - xp.minimum(left, right))

    ends = xp.full(4, laws.low), xp.full(4, laws.high)
    whole = _Bracket(ends[0], ends[0], ends[1], xp.full(4, xp.inf))
    modes = engine.repeat(
        zoom, whole, _ZOOMS, lambda bracket: not np.any(bracket.fall > _FLAT)
    ).mode
    largest = (
        _LARGEST_STEP
        if engine is JAX
        else min(_LARGEST_STEP, 2 + int(np.log2(laws.high - laws.low)))
    )
    steps = 2.0 ** np.arange(_SMALLEST_STEP, largest)
    values = curves(modes[:, None] + np.concatenate([-steps, steps, np.zeros(1)]))
    left, right = (
        values[:, -1:] - values[:, : len(steps)],
        values[:, -1:] - values[:, len(steps) : -1],
    )

    def reaching(fall: Array, depth: float, never: float) -> Array:
        """The smallest step after which the curve has fallen by `depth`."""
        fallen = fall > depth
        return xp.where(
            xp.any(fallen, axis=-1), xp.asarray(steps)[xp.argmax(fallen, axis=-1)], never
        )

    # the last row is a feature, not an integrand
    low = xp.maximum(modes - reaching(left, _NEGLIGIBLE, np.inf), laws.low)[:3]
    high = xp.minimum(modes + reaching(right, _NEGLIGIBLE, np.inf), laws.high)[:3]
    units = reaching(xp.maximum(left, right), 0.5, steps[0])  # on the steeper side
    points, units = xp.append(modes, laws.cliff), xp.append(units, laws.cliff_width)
    edges = xp.clip(edges_around(points, units, _LEVELS), xp.min(low), xp.max(high))
    if engine is JAX:
        return panel_rule(edges, _ORDER)
    # NumPy has no fixed shape: few long panels of high order do better than many short ones, and
    # nodes between integrands that
    # have no neighbour are left out; `se` is the geometric mean of its neighbours at most.
    u, w = panel_rule(joined(edges, points, _JOINED * units), _JOINED_ORDER)
    counts = np.any((u >= low[:, None]) & (u <= high[:, None]), axis=0)
    return u[counts], w[counts]


def _largest(*rows: Array) -> Array:
    """The largest entry, 0 when all are -inf."""
    engine = engine_of(*rows)
    xp = engine.xp
    top = engine.constant(xp.max(xp.stack(rows)))
    return xp.where(xp.isfinite(top), top, 0.0)


def weight_moments(
    laws_of: Callable[..., TokenLaws], numbers: tuple[Array, ...], L: Array
) -> WeightMoments:
    """Exact second moments of the weights for sequences of length L, whose tokens have the laws of
    these numbers.
    """
    engine = engine_of(L)
    xp = engine.xp
    laws = laws_of(*numbers)
    # nodes are constants: JAX must not differentiate the search for them, which takes its compiler
    # as long as all the rest
    u, w = engine.constant(
        _grid(laws_of(*engine.constant(numbers)), engine.constant(L))
        if engine is JAX
        else _grid(laws, L)
    )
    f = _integrands(laws, L, u, _FINE)
    first, second = f.signal.first, f.signal.second
    b1, b2 = f.background.first[1], f.background.first[2]
    log_hit, log_miss = (_largest(*rows) for rows in ((f.ss, f.se), (f.single, f.pair)))
    ss, se = (w * xp.exp(row - log_hit) for row in (f.ss, f.se))
    single, pair = (w * xp.exp(row - log_miss) for row in (f.single, f.pair))
    ee = single + pair
    eP = single * b2 + pair * b1
    alone = (L == 1.0) & xp.logical_not(laws.vanishes)
    hits = (xp.sum(ss), xp.sum(ss * first[2]), xp.sum(ss * second[2]))
    return WeightMoments(
        log_hit=xp.where(alone, 0.0, log_hit),
        log_miss=log_miss,
        ss=(
            xp.where(alone, 1.0, hits[0]),
            xp.where(alone, 0.0, hits[1]),
            xp.where(alone, 1.0, hits[2]),
        ),
        se=(xp.sum(se), xp.sum(se * first[1]), xp.sum(se * second[1])),
        ee=(xp.sum(ee), xp.sum(ee * first[0]), xp.sum(ee * second[0])),
        sP=(xp.sum(se * b1), xp.sum(se * b1 * first[1])),
        eP=(xp.sum(eP), xp.sum(eP * first[0])),
        PP=xp.sum(single * f.background.second[2] + pair * b1**2),
        squares=xp.sum(single),
    )
