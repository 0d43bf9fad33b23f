"""One-token means of softmax attention: a Gaussian score and E = exp(lam a), on nodes that keep sharp scores smooth."""

import math

from soloc.maths.engine import Array, engine_of
from soloc.maths.panels import panel_rule
from soloc.maths.special import wright_omega
from soloc.risk.laplace import COARSE, TokenLaws, TokenMeans

_REACH = 9.8  # standard deviations at which a Gaussian no longer counts
_LONGEST = 2.0  # longest panel, in standard deviations
_CLIFF, _BELOW, _GROWTH, _RAMP = 1.3, -3.0, 1.6, 9  # panels at the cliff exp(-e^x) in x, where they begin to grow, and how
_PANELS = 27
_AT_ONCE = 288  # values of u side by side times the order: what fits into a cache
_LOG_ROOT_TWO_PI = 0.5 * math.log(2.0 * math.pi)


def _mode(centre: Array, s: Array, i: float) -> tuple[Array, Array]:
    """alpha at which i x - e^x - alpha^2/2 is largest, x = centre + s alpha, and e^x there."""
    xp = engine_of(centre).xp
    shifted = centre + i * s * s
    tilt = xp.exp(xp.minimum(shifted - wright_omega(shifted + 2.0 * xp.log(s)), 600.0))
    return s * (i - tilt), tilt


def _nodes(centre: Array, s: Array, order: int) -> tuple[Array, Array, Array]:
    """Nodes and weights in alpha for exp(i x - e^x - alpha^2/2) with i = 0, 1, 2 at once, and the right end.

    Going left from where exp(-e^x) has vanished, panels have the scale of that cliff (1/s), then grow to that of the Gaussian.
    """
    engine = engine_of(centre)
    xp = engine.xp
    (left, low_tilt), (right, high_tilt) = _mode(centre, s, 0.0), _mode(centre, s, 2.0)
    vanished = (xp.log(high_tilt + 10.0 * xp.sqrt(high_tilt) + 50.0) - centre) / s
    is_cut = vanished < right + _REACH
    end = xp.where(is_cut, vanished, right + _REACH)
    width = 1.0 / xp.sqrt(1.0 + s * s * low_tilt)
    at_cliff = xp.minimum(_CLIFF / (s * xp.sqrt(xp.maximum(high_tilt, 1.0))), _LONGEST * width)
    step = xp.where(is_cut, at_cliff, _LONGEST)
    ratio = xp.maximum(_GROWTH, (_LONGEST / step) ** (1.0 / _RAMP))
    hold = xp.maximum((_BELOW - centre) / s, left)

    def next_edge(state: tuple[Array, Array], _: None) -> tuple[tuple[Array, Array], Array]:
        edge, step = state
        edge = edge - step
        longest = _LONGEST * xp.where(edge > left, width, 1.0)
        return (edge, xp.where(edge > hold, step, xp.minimum(step * ratio, longest))), edge

    _, edges = engine.scan(next_edge, (end, step), length=_PANELS)
    edges = xp.moveaxis(xp.concatenate([edges[::-1], end[None]]), 0, -1)
    alpha, w = panel_rule(xp.maximum(edges, (left - _REACH)[..., None]), order)
    return alpha, w, end


def gaussian_means(centre: Array, s: Array, order: int) -> tuple[TokenMeans, Array]:
    """E[exp(i x - e^x) alpha^j] for i, j = 0, 1, 2, x = centre + s alpha, alpha standard normal; for row 1 log E[1 - exp(-e^x)]."""
    engine = engine_of(centre)
    xp, mean = engine.xp, engine.weighted_sum
    alpha, w, end = engine.constant(_nodes(centre, s, order))
    x = centre[..., None] + s[..., None] * alpha
    rate, square = xp.exp(x), alpha * alpha
    x, rate = engine.once((x, rate))  # or every sum below would recompute them
    log_value = -rate - 0.5 * square
    rows = []
    for i in range(3):
        log_value = log_value + x if i else log_value
        top = engine.constant(xp.max(log_value, axis=-1))
        mass = engine.once(w * xp.exp(log_value - top[..., None]))
        total = xp.sum(mass, axis=-1)
        log_total = xp.log(total) + top - _LOG_ROOT_TWO_PI
        if order > COARSE:
            rows.append(TokenMeans(log_total, mean(mass, alpha) / total, mean(mass, square) / total))
        else:  # the search for features reads the logarithms alone
            rows.append(TokenMeans(log_total, log_total, log_total))
    return TokenMeans(*map(xp.stack, zip(*rows, strict=True))), _log_rise(x[1], rate[1], square[1], w[1], end[1])


def _log_rise(x: Array, rate: Array, square: Array, w: Array, end: Array) -> Array:
    """log E[1 - exp(-rate)] over nodes whose Gaussian exponent is square / 2."""
    engine = engine_of(x)
    xp = engine.xp
    peak = xp.maximum(xp.max(xp.minimum(x, 0.0) - 0.5 * square, axis=-1), -0.5 * xp.maximum(end, 0.0) ** 2)
    height = engine.constant(peak)
    far = xp.maximum(end, 20.0)  # to the right of the nodes exp(-e^x) is 0 and the rest is a Gaussian tail
    tail = xp.where(
        end < 20.0,
        math.sqrt(0.5 * math.pi) * engine.erfc(xp.minimum(end, 20.0) / math.sqrt(2.0)) * xp.exp(-xp.maximum(height, -250.0)),
        xp.exp(-0.5 * far**2 - height) * (1.0 - 1.0 / far**2) / far,
    )
    log_gauss = -0.5 * square - height[..., None]
    lifted = xp.where(x < -36.0, xp.exp(x + log_gauss), -xp.expm1(-rate) * xp.exp(xp.minimum(log_gauss, 300.0)))
    return xp.log(engine.weighted_sum(w, lifted) + tail) + height - _LOG_ROOT_TWO_PI


def softmax_laws(m: Array, gamma: Array, lam: Array, kappa: Array) -> TokenLaws:
    """Token laws of softmax(lam a) for lam >= 0 and the signal's score a = m kappa + gamma alpha."""
    engine = engine_of(lam)
    xp = engine.xp
    lam = xp.maximum(lam, 1e-30)
    shift, s = lam * m * kappa, lam * gamma
    spread = 60.0 + 45.0 * (lam + s)

    def means(u: Array, order: int) -> tuple[TokenMeans, TokenMeans, Array]:
        def of_both(u: Array) -> tuple[TokenMeans, TokenMeans, Array]:
            scales = xp.stack([xp.broadcast_to(s, u.shape), xp.broadcast_to(lam, u.shape)])
            both, rise = gaussian_means(xp.stack([u + shift, u]), scales, order)
            return TokenMeans(*(row[:, 0] for row in both)), TokenMeans(*(row[:, 1] for row in both)), rise

        return engine.in_blocks(of_both, u, _AT_ONCE // order)

    return TokenLaws(
        means=means,
        low=xp.minimum(-shift, 0.0) - spread,
        high=xp.maximum(-shift, 0.0) + spread,
        cliff=-shift,
        cliff_width=xp.maximum(s, 1.0),
    )
