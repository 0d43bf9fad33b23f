"""One-token means of softmax attention: a Gaussian score and E = exp(lam a), so that x = log(t E)
is Gaussian as well.

A wide Gaussian sees phi_i(x) = exp(i x - e^x) as three pieces: powers of e^x on the left, whose
truncated means are closed forms, nothing on the right, and between them a window whose nodes serve
every t. Under a narrow Gaussian the integrand is one smooth bump.
"""

import math
from functools import cache
from typing import NamedTuple

import jax
import numpy as np

from soloc.maths.engine import Array, engine_of
from soloc.maths.panels import panel_rule
from soloc.maths.special import wright_omega
from soloc.risk.laplace import COARSE, TokenLaws, TokenMeans

# standard deviation of x below which its density is narrower than the cliff exp(-e^x)
_NARROW = 1.0
_LEFT, _RIGHT = -12.5, 5.5  # below, exp(-e^x) = 1 - e^x + e^2x/2; above, it no longer counts
_WINDOW = np.concatenate([np.linspace(_LEFT, -2.5, 5), np.linspace(-2.5, _RIGHT, 9)[1:]])
# power of e^x in phi_0, phi_1, phi_2 and 1 - phi_0, and the factors of three powers from there on
_LOWEST = (0, 1, 2, 1)
_SERIES = np.array([[1.0, -1.0, 0.5]] * 3 + [[1.0, -1.0 / 2.0, 1.0 / 6.0]])
_STEPS = np.arange(-40.0, 36.0)  # nodes on both sides of the bump
# in its widths; in standard deviations, for the sake of the cliff
_STEP, _LONGEST_STEP = 0.62, 0.29
_FAR = -28.0  # where the distribution function of a Gaussian is taken from its asymptotic series
_AT_ONCE = 128  # values of u side by side: their nodes fit into a cache
_LOG_HALF = math.log(0.5)
_LOG_ROOT_TWO_PI = 0.5 * math.log(2.0 * math.pi)


class _Below(NamedTuple):
    """A standard Gaussian y below b: `log` of its probability, times exp(b^2/2) where b is far, and
    what its moments need.
    """

    far: Array
    log: Array
    size: Array  #: -b, where b is far
    near: Array  #: b, elsewhere
    probability: Array
    q: Array  #: 1 - q/b^2 is the asymptotic series 1 - 1/b^2 + 3/b^4 - ...
    after: Array  #: and q is 1 - after/b^2


def _below(b: Array) -> _Below:
    engine = engine_of(b)
    xp = engine.xp
    far = b < _FAR
    size, near = xp.where(far, -b, -_FAR), xp.where(far, 0.0, b)
    z = 1.0 / (size * size)
    tail = 1.0 - 7.0 * z * (1.0 - 9.0 * z * (1.0 - 11.0 * z * (1.0 - 13.0 * z * (1.0 - 15.0 * z))))
    after = 3.0 * (1.0 - 5.0 * z * tail)
    q = 1.0 - z * after
    probability = engine.once(0.5 * engine.erfc(near * -math.sqrt(0.5)))
    log = xp.log(xp.where(far, (1.0 - z * q) * (math.sqrt(0.5 / math.pi) / size), probability))
    return _Below(far, log, size, near, probability, q, after)


class _Part(NamedTuple):
    """log of the part that a stretch of x has in E[phi_i], its first two moments of the score, and
    the part of E[1 - phi_0].
    """

    log: Array
    first: Array
    second: Array
    rise: Array


def _left_part(u: Array, s: Array, order: int) -> _Part:
    """x < _LEFT: E[e^{n x}; x < c] = exp(n u + n^2 s^2 / 2) P(y < b), b = (c - u)/s - n s, and
    combinations of n = 0 ... 4.
    """
    xp = engine_of(u).xp
    n = np.arange(5.0 if order > COARSE else 3.0).reshape(-1, *(1,) * u.ndim)
    edge, tilt = (_LEFT - u) / s, n * s
    b = edge - tilt
    below = _below(b)
    log = below.log + xp.where(below.far, n * _LEFT - 0.5 * edge * edge, n * (u + 0.5 * s * tilt))
    if order <= COARSE:
        return _Part(log, log, log, log[1])
    z = 1.0 / (below.size * below.size)
    gap, gap_square = (
        below.q / (below.size * (1.0 - z * below.q)),
        z * (below.after - below.q) / (1.0 - z * below.q),
    )
    mills = xp.exp(-0.5 * below.near * below.near - _LOG_ROOT_TWO_PI) / below.probability
    first = xp.where(below.far, edge - gap, tilt - mills)
    second = xp.where(
        below.far,
        edge * (edge - 2.0 * gap) + gap_square,
        1.0 + tilt * tilt - (b + 2.0 * tilt) * mills,
    )

    def three(powers: Array) -> Array:
        return xp.stack([powers[n : n + 3] for n in _LOWEST])

    log = three(log)
    terms = xp.exp(log - log[:, :1]) * _SERIES.reshape(4, 3, *(1,) * u.ndim)
    total = xp.sum(terms, axis=1)
    shares, log_total = terms / total[:, None], log[:, 0] + xp.log(total)
    first, second = (xp.sum(shares * three(moments), axis=1)[:3] for moments in (first, second))
    return _Part(log_total[:3], first, second, log_total[3])


@cache
def _window(order: int) -> tuple[np.ndarray, np.ndarray]:
    """Nodes x, and columns whose sums against the density of x are E[phi_i], E[1 - phi_0], E[phi_i
    x] and E[phi_i x^2].
    """
    x, w = panel_rule(_WINDOW, order + 2)
    phi = np.stack([np.exp(i * x - np.exp(x)) for i in range(3)])
    columns = [*(w * phi), w * -np.expm1(-np.exp(x))]
    if order > COARSE:
        columns += [*(w * phi * x), *(w * phi * x**2)]
    return x, np.stack(columns, axis=-1)


def _window_part(u: Array, s: Array, order: int) -> _Part:
    """_LEFT < x < _RIGHT, in units of the density where the window is closest to its mode: there
    phi_i is never out of range.
    """
    engine = engine_of(u)
    xp = engine.xp
    x, columns = _window(order)
    nearest = xp.clip(u, _LEFT, _RIGHT)

    def against_density(u: Array) -> Array:
        near = xp.clip(u, _LEFT, _RIGHT)[..., None]
        density = xp.exp((near - x) * (near + x - 2.0 * u[..., None]) * (0.5 / (s * s)))
        return xp.moveaxis(density @ columns, -1, 0)

    sums = engine.in_blocks(against_density, u, _AT_ONCE)
    masses = xp.maximum(sums[:4], 1e-300)  # 0 only where the left part is all that counts
    log = xp.log(masses) - (0.5 * ((nearest - u) / s) ** 2 + xp.log(s) + _LOG_ROOT_TWO_PI)
    if order <= COARSE:
        return _Part(log[:3], log[:3], log[:3], log[3])
    mean, square = sums[4:7] / masses[:3], sums[7:] / masses[:3]
    first = (mean - u) / s
    return _Part(log[:3], first, first * first + (square - mean * mean) / (s * s), log[3])


def _wide(u: Array, s: Array, order: int) -> tuple[TokenMeans, Array]:
    """Means under a Gaussian of standard deviation s >= _NARROW."""
    engine = engine_of(u)
    xp = engine.xp
    left, window = engine.once((_left_part(u, s, order), _window_part(u, s, order)))
    log = xp.logaddexp(left.log, window.log)
    b = (u - _RIGHT) / s
    right = _below(b)
    log_right = right.log - xp.where(right.far, 0.5 * b * b, 0.0)
    rise = _rise(log[0], xp.logaddexp(xp.logaddexp(left.rise, window.rise), log_right))
    if order <= COARSE:
        return TokenMeans(log, log, log), rise
    share = xp.exp(left.log - log)
    first = share * left.first + (1.0 - share) * window.first
    return TokenMeans(log, first, share * left.second + (1.0 - share) * window.second), rise


def _narrow(u: Array, s: Array, order: int) -> tuple[TokenMeans, Array]:
    """Means under a Gaussian of standard deviation s < _NARROW, by equal steps around the mode of
    phi_1: nearly a Gaussian.
    """
    engine = engine_of(u)
    xp, mean = engine.xp, engine.weighted_sum
    shifted = u + s * s
    tilt = xp.exp(xp.minimum(shifted - wright_omega(shifted + 2.0 * xp.log(s)), 600.0))
    step = xp.minimum(_STEP / xp.sqrt(1.0 + s * s * tilt), _LONGEST_STEP)
    centre, step = engine.constant((s * (1.0 - tilt), step))
    x = u + s * centre
    rate = xp.exp(x)
    away = step[..., None] * (_STEPS if order > COARSE else _STEPS[::3])
    growth = xp.exp(s * away)
    log_gauss = -away * (centre[..., None] + 0.5 * away)
    # 0 up to rounding, as is the slope of log(mass) at the mode
    slope = xp.clip(s * (1.0 - rate) - centre, -1.0, 1.0)[..., None]
    mass = xp.exp(
        slope * away - rate[..., None] * (xp.expm1(s * away) - s * away) - 0.5 * away * away
    )
    growth, mass = engine.once((growth, mass))  # or every sum below would recompute them
    log_unit = (
        xp.log(step if order > COARSE else 3.0 * step) - 0.5 * centre * centre - _LOG_ROOT_TWO_PI
    )
    rows = []
    for i, mass_i in enumerate((mass / growth, mass, mass * growth)):
        total = xp.sum(mass_i, axis=-1)
        log_total = xp.log(total) + log_unit + i * x - rate
        if order <= COARSE:
            rows.append(TokenMeans(log_total, log_total, log_total))
            continue
        first, square = mean(mass_i, away) / total, mean(mass_i, away * away) / total
        rows.append(TokenMeans(log_total, centre + first, centre * (centre + 2.0 * first) + square))
    means = TokenMeans(*map(xp.stack, zip(*rows, strict=True)))
    rates = xp.maximum(rate[..., None] * growth, 1e-300)
    lifted = mean(-xp.expm1(-rates) / rates, xp.exp(xp.minimum(s * away + log_gauss, 300.0)))
    return means, _rise(means.log[0], xp.log(lifted) + log_unit + x)


def _rise(log_survival: Array, log_rise: Array) -> Array:
    """log E[1 - phi_0] from E[phi_0] where that is small, else as it was summed."""
    xp = engine_of(log_rise).xp
    small = log_survival < _LOG_HALF
    return xp.where(small, xp.log1p(-xp.exp(xp.where(small, log_survival, _LOG_HALF))), log_rise)


def gaussian_means(u: Array, s: Array, order: int) -> tuple[TokenMeans, Array]:
    """E[exp(i x - e^x) alpha^j] for i, j = 0, 1, 2, x = u + s alpha, alpha standard normal, and log
    E[1 - exp(-e^x)].
    """
    engine = engine_of(u, s)
    xp = engine.xp
    means, rise = engine.either(
        s < _NARROW,
        lambda: engine.in_blocks(lambda u: _narrow(u, xp.minimum(s, _NARROW), order), u, _AT_ONCE),
        lambda: _wide(u, xp.maximum(s, _NARROW), order),
    )
    return means, rise


def softmax_laws(m: Array, gamma: Array, lam: Array, kappa: Array) -> TokenLaws:
    """Token laws of softmax(lam a), lam >= 0; the signal's score is m kappa + gamma alpha."""
    engine = engine_of(lam)
    xp = engine.xp
    lam = xp.maximum(lam, 1e-30)
    shift, s = lam * m * kappa, lam * gamma
    spread = 60.0 + 45.0 * (lam + s)

    def means(u: Array, order: int) -> tuple[TokenMeans, TokenMeans, Array]:
        of_both = engine.each(
            lambda u, s: gaussian_means(u, s, order), xp.stack([u + shift, u]), xp.stack([s, lam])
        )
        (signal, _), (background, rise) = (
            jax.tree.map(lambda rows, j=j: rows[j], of_both) for j in range(2)
        )
        return signal, background, rise

    return TokenLaws(
        means=means,
        low=xp.minimum(-shift, 0.0) - spread,
        high=xp.maximum(-shift, 0.0) + spread,
        cliff=-shift,
        cliff_width=xp.maximum(s, 1.0),
    )
