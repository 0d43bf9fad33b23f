"""The Bayes risk, exact for every gamma, dimension and length, in log space.

The log-likelihood ratio of a token is, up to a constant, z = -B t^2 - sign(1-gamma^2) (m/gamma^2) t with B = (1/gamma^2 - 1)/2, where
t = |x - m0 k*| - |m0| is how far the token lies from a sphere around m0 k* = m k*/(1-gamma^2). The radius of a Gaussian token is a
noncentral chi variable; written in y = (radius - its centre)/sigma its density stays regular through gamma = 1, where y is Gaussian
and the posterior is softmax. The risk is then the Laplace integral of `laplace` with E = exp(z):

    R - eps^2 = E[(1 - p_s)^2 c_s^2] + (L-1) E[p_l^2 c_l^2],    c = x . v*.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from soloc.maths.chebyshev import interpolate
from soloc.maths.engine import Array, engine_of
from soloc.maths.panels import edges_around, panel_rule
from soloc.risk.laplace import TokenLaws, TokenMeans, weight_moments

_REACH = 12.0  # standard deviations at which a radius no longer counts
_LEVELS, _ANGLES, _DEGREE = 7, 160, 80
_AT_ONCE = 64  # values of u side by side
_LOG_ROOT_TWO_PI = 0.5 * math.log(2.0 * math.pi)


class RadialLaw(NamedTuple):
    """Law of y = radius/sigma - delta of a Gaussian token of standard deviation sigma at distance sigma * delta."""

    d: Array
    inverse_delta: Array
    sigma: Array
    shift: Array  #: t = sigma y + shift
    centre: Array  #: about the mean of y; its standard deviation is at most 1
    angular: Callable[[Array], Array]  #: both results of `_angular_mean`, regularised, as functions of log(1 + X / (n+1))


class Ratio(NamedTuple):
    """The log-likelihood ratio z = -B t^2 - sign c t as a function of t."""

    B: Array
    sign: Array
    c: Array

    def at(self, t: Array) -> Array:
        return -self.B * t**2 - self.sign * self.c * t

    def inverse(self, z: Array) -> Array:
        """The t with ratio z, or the nearest possible one."""
        xp = engine_of(z, self.c).xp
        return -2.0 * self.sign * z / (self.c + xp.sqrt(xp.maximum(self.c**2 - 4.0 * self.B * z, 0.0)))


def _angular_mean(n: Array, xi: Array) -> tuple[Array, Array]:
    """log of sqrt(2 pi X) exp(-X) I_{n+1/2}(X) at X = 1/xi, and the mean of w (1 - w xi/2) under its integrand.

    The integral is E[(1 - w xi/2)^n] over w ~ Gamma(n+1); in v with w = e^v / (1 + e^v xi/2) it is analytic and decays on both sides.
    """
    engine = engine_of(n, xi)
    xp = engine.xp
    centre = 2.0 * n / (1.0 + n * xi + xp.sqrt(1.0 + (n * xi) ** 2))
    v_mode = xp.log(centre) - xp.log1p(-0.5 * xi * centre)
    width = 1.0 / xp.sqrt(n + 1.0)
    stretch = xp.arcsinh(xp.maximum(9.5, 38.0 * width))  # tails fall like exp(-(n+1) |v|)
    grid = stretch * np.linspace(-1.0, 1.0, _ANGLES)
    v = v_mode[..., None] + width * xp.sinh(grid)
    q = 0.5 * xi[..., None] * xp.exp(v)
    w = xp.exp(v) / (1.0 + q)
    log_value = (n + 1.0) * (v - 2.0 * xp.log1p(q)) - w
    top = engine.constant(xp.max(log_value, axis=-1))
    mass = xp.cosh(grid) * xp.exp(log_value - top[..., None])
    total = xp.sum(mass, axis=-1)
    step = 2.0 * stretch * width / (_ANGLES - 1)
    return xp.log(total * step) + top - engine.gammaln(n + 1.0), xp.sum(mass * w / (1.0 + q), axis=-1) / total


def _log_density(law: RadialLaw, y: Array) -> tuple[Array, Array]:
    """log density of y, and E[c^2 | y]."""
    xp = engine_of(y).xp
    n = 0.5 * (law.d - 3.0)
    ratio = xp.maximum(1.0 + y * law.inverse_delta, 1e-30)
    X = ratio / law.inverse_delta**2
    log_angular, log_mean = law.angular(xp.log1p(X / (n + 1.0)))
    log_saturation = xp.log1p((n + 1.0) / X)
    log_density = (n + 1.0) * (xp.log(ratio) - log_saturation) - 0.5 * y**2 - _LOG_ROOT_TWO_PI + log_angular
    return log_density, law.sigma**2 * ratio * xp.exp(log_mean - log_saturation)


def _mean_radius(d: Array, inverse_delta: Array) -> Array:
    """sqrt(delta^2 + d - 1) - delta, about the mean of y."""
    xp = engine_of(d, inverse_delta).xp
    excess_square = (d - 1.0) * inverse_delta
    return excess_square / (1.0 + xp.sqrt(1.0 + excess_square * inverse_delta))


def _radial_law(
    d: Array, inverse_delta: Array, sigma: Array, shift: Array, farthest: tuple[Array, Array]
) -> RadialLaw:
    """The law whose y is asked for between the two values of t in `farthest`, and a little beyond."""
    engine = engine_of(d, inverse_delta)
    xp = engine.xp
    n = 0.5 * (d - 3.0)
    centre = _mean_radius(d, inverse_delta)
    ends = xp.stack([(t - shift) / sigma for t in farthest])

    def logarithm(y: Array) -> Array:
        return xp.log1p(xp.maximum(1.0 + y * inverse_delta, 1e-30) / inverse_delta**2 / (n + 1.0))

    def regularised(s: Array) -> Array:
        X = (n + 1.0) * xp.expm1(s)
        log_saturation = xp.log1p((n + 1.0) / X)
        log_angular, mean_w = _angular_mean(n, 1.0 / X)
        return xp.stack([log_angular + (n + 1.0) * log_saturation, xp.log(mean_w / (n + 1.0)) + log_saturation])

    low = logarithm(xp.minimum(xp.min(ends), centre) - _REACH)
    high = logarithm(xp.maximum(xp.max(ends), centre) + _REACH)
    low, high = engine.constant((low, high))
    angular = interpolate(regularised, low, high, _DEGREE)
    return RadialLaw(d, inverse_delta, sigma, shift, centre, angular)


def _token_means(law: RadialLaw, ratio: Ratio, u: Array, order: int) -> tuple[TokenMeans, Array]:
    """Means of phi_i = exp(i x - e^x), x = u + z, at u of any shape; x^2 rides along as E[c^2 | y]."""
    engine = engine_of(u)
    xp = engine.xp
    cliff = (ratio.inverse(-u) - law.shift) / law.sigma
    slope = law.sigma * xp.abs(2.0 * ratio.B * (law.sigma * law.centre + law.shift) + ratio.sign * ratio.c)
    towards = xp.where(cliff > law.centre, 1.0, -1.0)
    low, high = xp.minimum(law.centre, cliff) - _REACH, xp.maximum(law.centre, cliff) + _REACH
    low = xp.maximum(low, -(1.0 - 1e-12) / law.inverse_delta)
    middle = xp.zeros_like(u) + law.centre
    points = xp.stack([cliff, middle, law.centre + 2.0 * towards * slope], axis=-1)
    points = xp.clip(points, low[..., None], high[..., None])
    units = xp.stack([xp.clip(1.0 / slope, 1e-12, 1.0), xp.ones_like(slope), xp.ones_like(slope)])
    edges = xp.clip(edges_around(points, units, _LEVELS), low[..., None], high[..., None])
    y, w = engine.constant(panel_rule(xp.concatenate([low[..., None], edges, high[..., None]], axis=-1), order + 3))
    log_density, c_square = _log_density(law, y)
    x = u[..., None] + ratio.at(law.sigma * y + law.shift)
    rate = xp.exp(x)
    rows = []
    for i in range(3):
        log_value = xp.where(w > 0, i * x - rate + log_density, -xp.inf)
        top = engine.constant(xp.max(log_value, axis=-1))
        mass = w * xp.exp(log_value - top[..., None])
        total = xp.sum(mass, axis=-1)
        rows.append(TokenMeans(xp.log(total) + top, xp.zeros_like(total), xp.sum(mass * c_square, axis=-1) / total))
    log_rise = xp.where(x < -36.0, x, xp.log(-xp.expm1(-xp.exp(xp.maximum(x, -36.0))))) + log_density
    log_rise = xp.where(w > 0, log_rise, -xp.inf)
    top = engine.constant(xp.max(log_rise, axis=-1))
    rise = xp.log(xp.sum(w * xp.exp(log_rise - top[..., None]), axis=-1)) + top
    return TokenMeans(*map(xp.stack, zip(*rows, strict=True))), rise


def bayes_laws(d: Array, m: Array, gamma: Array) -> TokenLaws:
    """Token laws of the posterior: E is the likelihood ratio of the token."""
    engine = engine_of(d, m, gamma)
    xp = engine.xp
    g2 = gamma**2
    sign = xp.where(gamma > 1.0, -1.0, 1.0)
    ratio = Ratio(B=0.5 * (1.0 - g2) / g2, sign=sign, c=m / g2)
    inverse = xp.maximum(sign * (1.0 - g2) / xp.maximum(m, 1e-150), 1e-100)  # 1 / |m0|
    tokens = ((inverse / gamma, gamma, -sign * m), (inverse, xp.ones_like(m), xp.zeros_like(m)))
    ends, centres = [], []
    for inverse_delta, sigma, shift in tokens:
        centre = _mean_radius(d, inverse_delta)
        centres.append(sigma * centre + shift)
        ends += [ratio.at(sigma * xp.maximum(centre + far, -1.0 / inverse_delta) + shift) for far in (-45.0, 45.0)]
    low, high = -xp.max(xp.stack(ends)) - 60.0, -xp.min(xp.stack(ends)) + 60.0
    farthest = (ratio.inverse(-low), ratio.inverse(-high))
    signal, background = (_radial_law(d, *token, farthest) for token in tokens)

    def means(u: Array, order: int) -> tuple[TokenMeans, TokenMeans, Array]:
        def one(u: Array) -> tuple[TokenMeans, TokenMeans, Array]:
            background_means, rise = _token_means(background, ratio, u, order)
            return _token_means(signal, ratio, u, order)[0], background_means, rise

        return engine.in_blocks(one, u, _AT_ONCE)

    typical = ratio.at(centres[0])
    slope = signal.sigma * xp.abs(2.0 * ratio.B * (signal.sigma * signal.centre + signal.shift) + sign * ratio.c)
    return TokenLaws(
        means=means,
        low=low,
        high=high,
        cliff=-typical,
        cliff_width=xp.maximum(slope, 1.0),
    )


def log_bayes(d: Array, m: Array, gamma: Array, L: Array) -> Array:
    """log(Bayes risk - eps^2) of one setting."""
    moments = weight_moments(bayes_laws, (d, m, gamma), L)
    return engine_of(moments.squares).xp.log(moments.ee[2] + moments.PP) + moments.log_miss
