"""One-token means of any normalised kernel f(lam a) / sum f: nodes around the kernel's bend and
around the cliff exp(-t f).
"""

import math
from collections.abc import Callable

from soloc.maths.engine import Array, engine_of
from soloc.maths.panels import edges_around, panel_rule
from soloc.maths.special import erfcx_of_large
from soloc.risk.laplace import COARSE, TokenLaws, TokenMeans, WeightMoments

_REACH = 9.8  # standard deviations at which a Gaussian no longer counts
_LEVELS = 9
_MORE = 2  # nodes more in a panel than elsewhere: a kernel bends at its cliff and at its bend
_AT_ONCE = 64  # values of u side by side
_FAR = -20.0  # where the distribution function of a Gaussian is taken from its asymptotic series
_LOG_ROOT_TWO_PI, _ROOT_TWO_OVER_PI = 0.5 * math.log(2.0 * math.pi), math.sqrt(2.0 / math.pi)

LogKernel = Callable[[Array], Array]


def _cliff(log_kernel: LogKernel, u: Array, centre: Array, s: Array) -> Array:
    """alpha at which t f(x) crosses 1, x = centre + s alpha, for an increasing kernel."""

    engine = engine_of(u)
    xp = engine.xp

    def halve(bracket: tuple[Array, Array], _: None) -> tuple[tuple[Array, Array], None]:
        low, high = bracket
        middle = 0.5 * (low + high)
        above = u + log_kernel(centre + s * middle) > 0
        return (xp.where(above, low, middle), xp.where(above, middle, high)), None

    ends = xp.full_like(u, -_REACH), xp.full_like(u, _REACH)
    return engine.scan(halve, ends, length=40)[0][0]


def kernel_means(
    log_kernel: LogKernel, u: Array, centre: Array, s: Array, order: int
) -> tuple[TokenMeans, Array]:
    """E[(t f)^i exp(-t f) alpha^j] for i, j = 0, 1, 2 and log E[1 - exp(-t f)], f at x = centre + s
    alpha, t = exp(u).
    """
    engine = engine_of(u)
    xp = engine.xp
    cliff = _cliff(log_kernel, u, centre, s)
    sharpest = xp.full_like(u, xp.minimum(1.0 / s, 1.0))
    bend = xp.clip(xp.full_like(u, -centre / s), -_REACH, _REACH)
    # a kernel that vanishes at its bend
    at_cliff = xp.where(cliff > bend, xp.minimum(sharpest, cliff - bend), sharpest)
    points = xp.stack([cliff, bend, xp.zeros_like(u)], axis=-1)
    units = xp.stack([at_cliff, sharpest, xp.ones_like(u)], axis=-1)
    edges = edges_around(points, units, _LEVELS)
    edges = xp.concatenate(
        [xp.full((*u.shape, 1), -_REACH), edges, xp.full((*u.shape, 1), _REACH)], axis=-1
    )
    nodes = order if order <= COARSE else order + _MORE
    alpha, w = engine.constant(panel_rule(xp.clip(edges, -_REACH, _REACH), nodes))
    # nodes of a kernel that vanishes move with its bend: slopes of slopes would else miss what
    # crosses the kink, and drown in the cancellation of 1/x^2
    vanishes = log_kernel(-xp.ones_like(s)) == -xp.inf
    alpha = alpha + xp.where(vanishes, bend - engine.constant(bend), 0.0)[..., None]
    log_rate = u[..., None] + log_kernel(centre + s * alpha)
    rate = xp.exp(log_rate)
    gauss = w * xp.exp(-0.5 * alpha**2)
    rows = []
    for i in range(3):
        log_value = xp.where(w > 0, -rate if i == 0 else i * log_rate - rate, -xp.inf)
        top = engine.constant(xp.max(log_value, axis=-1))
        top = xp.where(xp.isfinite(top), top, 0.0)  # a kernel that is 0 as far as it counts
        mass = engine.once(gauss * xp.exp(log_value - top[..., None]))
        total = xp.sum(mass, axis=-1)
        some = total > 0
        total = xp.where(some, total, 1.0)
        first, second = (
            xp.sum(mass * alpha, axis=-1) / total,
            xp.sum(mass * alpha**2, axis=-1) / total,
        )
        log = xp.where(some, xp.log(total) + top - _LOG_ROOT_TWO_PI, -xp.inf)
        rows.append(TokenMeans(log, first, second))
    rise = xp.log(xp.sum(gauss * -xp.expm1(-rate), axis=-1)) - _LOG_ROOT_TWO_PI
    return TokenMeans(*map(xp.stack, zip(*rows, strict=True))), rise


def kernel_laws(
    log_kernel: LogKernel, m: Array, gamma: Array, lam: Array, kappa: Array
) -> TokenLaws:
    """Token laws of a normalised kernel for lam >= 0 and the signal's score a = m kappa + gamma
    alpha.
    """
    engine = engine_of(lam)
    xp = engine.xp
    lam = xp.maximum(lam, 1e-12)
    shift, s = lam * m * kappa, lam * gamma

    def means(u: Array, order: int) -> tuple[TokenMeans, TokenMeans, Array]:
        def of_both(u: Array) -> tuple[TokenMeans, TokenMeans, Array]:
            signal, _ = kernel_means(log_kernel, u, shift, s, order)
            background, rise = kernel_means(log_kernel, u, xp.zeros_like(shift), lam, order)
            return signal, background, rise

        signal, background, rise = engine.in_blocks(of_both, u, _AT_ONCE)
        return signal, background, rise

    lowest, highest = (
        xp.minimum(shift - _REACH * s, -_REACH * lam),
        xp.maximum(shift + _REACH * s, _REACH * lam),
    )
    bottom = log_kernel(lowest)
    bottom = xp.where(xp.isfinite(bottom), bottom, log_kernel(xp.minimum(s, lam)))
    return TokenLaws(
        means=means,
        low=-log_kernel(highest) - 60.0,
        high=-bottom + 60.0,
        cliff=xp.clip(
            -log_kernel(xp.maximum(shift, lowest)), -log_kernel(highest) - 60.0, -bottom + 60.0
        ),
        cliff_width=xp.maximum(xp.minimum(s, 60.0), 1.0),
        vanishes=log_kernel(-xp.ones_like(lam)) == -xp.inf,
    )


def add_all_zero(
    moments: WeightMoments, m: Array, gamma: Array, kappa: Array, L: Array, lam: Array
) -> WeightMoments:
    """Count the event that a kernel vanishing on negative scores is zero on every token: then e = 1
    and the answer is 0. At lam = 0 that is certain.
    """
    engine = engine_of(moments.squares, m, lam)
    xp = engine.xp
    edge = -m * kappa / gamma  # the signal's kernel is zero for x below it
    log_below = engine.log_ndtr(edge)
    near = xp.maximum(edge, _FAR)
    mills = xp.where(  # density over distribution function
        edge < _FAR,
        _ROOT_TWO_OVER_PI / erfcx_of_large(xp.maximum(-edge, -_FAR) * math.sqrt(0.5)),
        xp.exp(-0.5 * near**2 - _LOG_ROOT_TWO_PI - engine.log_ndtr(near)),
    )
    log_zero = (L - 1.0) * math.log(0.5) + log_below
    zeroth, first, second = moments.ee
    log_some = xp.where(zeroth > 0, moments.log_miss, -xp.inf)  # of what some token answers
    log_miss = xp.where(lam == 0, 0.0, xp.maximum(log_some, log_zero))
    some = xp.where(lam == 0, 0.0, xp.exp(log_some - log_miss))
    none = xp.where(lam == 0, 1.0, xp.exp(log_zero - log_miss))
    mills, square = xp.where(lam == 0, 0.0, mills), xp.where(lam == 0, 0.0, edge * mills)
    hit = xp.where(lam == 0, 0.0, 1.0)
    return WeightMoments(
        log_hit=moments.log_hit,
        log_miss=log_miss,
        ss=tuple(hit * part for part in moments.ss),
        se=tuple(hit * part for part in moments.se),
        ee=(
            some * zeroth + none,
            some * first - none * mills,
            some * second + none * (1.0 - square),
        ),
        sP=tuple(hit * part for part in moments.sP),
        eP=tuple(some * part for part in moments.eP),
        PP=some * moments.PP,
        squares=some * moments.squares,
    )
