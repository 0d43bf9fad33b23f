"""The Bayes risk, exact for every gamma, dimension and length, in log space.

The log-likelihood ratio of a token is, up to a constant, z = -B t^2 - sign(1-gamma^2) (m/gamma^2) t with B = (1/gamma^2 - 1)/2, where
t = |x - m0 k*| - |m0| is how far the token lies from a sphere around m0 k* = m k*/(1-gamma^2). The radius of a Gaussian token is a
noncentral chi variable; written in y = (radius - its centre)/sigma its density stays regular through gamma = 1, where y is Gaussian
and the posterior is softmax. The risk is then the Laplace integral of `laplace` with E = exp(z):

    R - eps^2 = E[(1 - p_s)^2 c_s^2] + (L-1) E[p_l^2 c_l^2],    c = x . v*.
"""

import math
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax.scipy.special import gammaln

from soloc.maths.chebyshev import Interpolant, interpolate
from soloc.maths.panels import edges_around, panel_rule
from soloc.risk.laplace import TokenLaws, TokenMeans, weight_moments

_REACH = 12.0  # standard deviations at which a radius no longer counts
_LEVELS, _ANGLES, _DEGREE = 7, 160, 80
_AT_ONCE = 16  # values of u integrated side by side
_LOG_ROOT_TWO_PI = 0.5 * math.log(2.0 * math.pi)


class RadialLaw(NamedTuple):
    """Law of y = radius/sigma - delta of a Gaussian token of standard deviation sigma at distance sigma * delta."""

    d: jax.Array
    inverse_delta: jax.Array
    sigma: jax.Array
    shift: jax.Array  #: t = sigma y + shift
    centre: jax.Array  #: about the mean of y; its standard deviation is at most 1
    angular: Interpolant  #: both results of `_angular_mean`, regularised, as functions of log(1 + X / (n+1))


class Ratio(NamedTuple):
    """The log-likelihood ratio z = -B t^2 - sign c t as a function of t."""

    B: jax.Array
    sign: jax.Array
    c: jax.Array

    def at(self, t: jax.Array) -> jax.Array:
        return -self.B * t**2 - self.sign * self.c * t

    def inverse(self, z: jax.Array) -> jax.Array:
        """The t with ratio z, or the nearest possible one."""
        return -2.0 * self.sign * z / (self.c + jnp.sqrt(jnp.maximum(self.c**2 - 4.0 * self.B * z, 0.0)))


def _angular_mean(n: jax.Array, xi: jax.Array) -> tuple[jax.Array, jax.Array]:
    """log of sqrt(2 pi X) exp(-X) I_{n+1/2}(X) at X = 1/xi, and the mean of w (1 - w xi/2) under its integrand.

    The integral is E[(1 - w xi/2)^n] over w ~ Gamma(n+1); in v with w = e^v / (1 + e^v xi/2) it is analytic and decays on both sides.
    """
    centre = 2.0 * n / (1.0 + n * xi + jnp.sqrt(1.0 + (n * xi) ** 2))
    v_mode = jnp.log(centre) - jnp.log1p(-0.5 * xi * centre)
    width = 1.0 / jnp.sqrt(n + 1.0)
    stretch = jnp.arcsinh(jnp.maximum(9.5, 38.0 * width))  # tails fall like exp(-(n+1) |v|)
    grid = stretch * jnp.linspace(-1.0, 1.0, _ANGLES)
    v = v_mode[..., None] + width * jnp.sinh(grid)
    q = 0.5 * xi[..., None] * jnp.exp(v)
    w = jnp.exp(v) / (1.0 + q)
    log_value = (n + 1.0) * (v - 2.0 * jnp.log1p(q)) - w
    top = jax.lax.stop_gradient(jnp.max(log_value, axis=-1))
    mass = jnp.cosh(grid) * jnp.exp(log_value - top[..., None])
    total = jnp.sum(mass, axis=-1)
    step = 2.0 * stretch * width / (_ANGLES - 1)
    return jnp.log(total * step) + top - gammaln(n + 1.0), jnp.sum(mass * w / (1.0 + q), axis=-1) / total


def _log_density(law: RadialLaw, y: jax.Array) -> tuple[jax.Array, jax.Array]:
    """log density of y, and E[c^2 | y]."""
    n = 0.5 * (law.d - 3.0)
    ratio = jnp.maximum(1.0 + y * law.inverse_delta, 1e-30)
    X = ratio / law.inverse_delta**2
    log_angular, log_mean = law.angular(jnp.log1p(X / (n + 1.0)))
    log_saturation = jnp.log1p((n + 1.0) / X)
    log_density = (n + 1.0) * (jnp.log(ratio) - log_saturation) - 0.5 * y**2 - _LOG_ROOT_TWO_PI + log_angular
    return log_density, law.sigma**2 * ratio * jnp.exp(log_mean - log_saturation)


def _mean_radius(d: jax.Array, inverse_delta: jax.Array) -> jax.Array:
    """sqrt(delta^2 + d - 1) - delta, about the mean of y."""
    excess_square = (d - 1.0) * inverse_delta
    return excess_square / (1.0 + jnp.sqrt(1.0 + excess_square * inverse_delta))


def _radial_law(
    d: jax.Array, inverse_delta: jax.Array, sigma: jax.Array, shift: jax.Array, farthest: tuple[jax.Array, jax.Array]
) -> RadialLaw:
    """The law whose y is asked for between the two values of t in `farthest`, and a little beyond."""
    n = 0.5 * (d - 3.0)
    centre = _mean_radius(d, inverse_delta)
    ends = jnp.stack([(t - shift) / sigma for t in farthest])

    def logarithm(y: jax.Array) -> jax.Array:
        return jnp.log1p(jnp.maximum(1.0 + y * inverse_delta, 1e-30) / inverse_delta**2 / (n + 1.0))

    def regularised(s: jax.Array) -> jax.Array:
        X = (n + 1.0) * jnp.expm1(s)
        log_saturation = jnp.log1p((n + 1.0) / X)
        log_angular, mean_w = _angular_mean(n, 1.0 / X)
        return jnp.stack([log_angular + (n + 1.0) * log_saturation, jnp.log(mean_w / (n + 1.0)) + log_saturation])

    low = logarithm(jnp.minimum(jnp.min(ends), centre) - _REACH)
    high = logarithm(jnp.maximum(jnp.max(ends), centre) + _REACH)
    angular = interpolate(regularised, *jax.lax.stop_gradient((low, high)), _DEGREE)
    return RadialLaw(d, inverse_delta, sigma, shift, centre, angular)


def _token_means(law: RadialLaw, ratio: Ratio, u: jax.Array, order: int) -> tuple[TokenMeans, jax.Array]:
    """Means of phi_i = exp(i x - e^x), x = u + z, for one u; x^2 rides along as E[c^2 | y]."""
    cliff = (ratio.inverse(-u) - law.shift) / law.sigma
    slope = law.sigma * jnp.abs(2.0 * ratio.B * (law.sigma * law.centre + law.shift) + ratio.sign * ratio.c)
    towards = jnp.where(cliff > law.centre, 1.0, -1.0)
    low, high = jnp.minimum(law.centre, cliff) - _REACH, jnp.maximum(law.centre, cliff) + _REACH
    low = jnp.maximum(low, -(1.0 - 1e-12) / law.inverse_delta)
    points = jnp.clip(jnp.stack([cliff, law.centre, law.centre + 2.0 * towards * slope]), low, high)
    units = jnp.stack([jnp.clip(1.0 / slope, 1e-12, 1.0), *jnp.ones(2)])
    edges = jnp.clip(edges_around(points, units, _LEVELS), low, high)
    y, w = jax.lax.stop_gradient(panel_rule(jnp.concatenate([low[None], edges, high[None]]), order + 3))
    log_density, c_square = _log_density(law, y)
    x = u + ratio.at(law.sigma * y + law.shift)
    rate = jnp.exp(x)
    rows = []
    for i in range(3):
        log_value = jnp.where(w > 0, i * x - rate + log_density, -jnp.inf)
        top = jax.lax.stop_gradient(jnp.max(log_value))
        mass = w * jnp.exp(log_value - top)
        total = jnp.sum(mass)
        rows.append(TokenMeans(jnp.log(total) + top, jnp.zeros_like(total), jnp.sum(mass * c_square) / total))
    log_rise = jnp.where(x < -36.0, x, jnp.log(-jnp.expm1(-jnp.exp(jnp.maximum(x, -36.0))))) + log_density
    log_rise = jnp.where(w > 0, log_rise, -jnp.inf)
    top = jax.lax.stop_gradient(jnp.max(log_rise))
    return TokenMeans(*map(jnp.stack, zip(*rows, strict=True))), jnp.log(jnp.sum(w * jnp.exp(log_rise - top))) + top


def bayes_laws(d: jax.Array, m: jax.Array, gamma: jax.Array) -> TokenLaws:
    """Token laws of the posterior: E is the likelihood ratio of the token."""
    g2 = gamma**2
    sign = jnp.where(gamma > 1.0, -1.0, 1.0)
    ratio = Ratio(B=0.5 * (1.0 - g2) / g2, sign=sign, c=m / g2)
    inverse = jnp.maximum(sign * (1.0 - g2) / jnp.maximum(m, 1e-150), 1e-100)  # 1 / |m0|
    tokens = ((inverse / gamma, gamma, -sign * m), (inverse, jnp.ones_like(m), jnp.zeros_like(m)))
    ends, centres = [], []
    for inverse_delta, sigma, shift in tokens:
        centre = _mean_radius(d, inverse_delta)
        centres.append(sigma * centre + shift)
        ends += [ratio.at(sigma * jnp.maximum(centre + far, -1.0 / inverse_delta) + shift) for far in (-45.0, 45.0)]
    low, high = -jnp.max(jnp.stack(ends)) - 60.0, -jnp.min(jnp.stack(ends)) + 60.0
    farthest = (ratio.inverse(-low), ratio.inverse(-high))
    signal, background = (_radial_law(d, *token, farthest) for token in tokens)

    def means(u: jax.Array, order: int) -> tuple[TokenMeans, TokenMeans, jax.Array]:
        def one(u: jax.Array) -> tuple[TokenMeans, TokenMeans, jax.Array]:
            background_means, rise = _token_means(background, ratio, u, order)
            return _token_means(signal, ratio, u, order)[0], background_means, rise

        flat = jax.lax.map(one, u.ravel(), batch_size=_AT_ONCE)
        restore = lambda row: jnp.moveaxis(row, 0, -1).reshape(*row.shape[1:], *u.shape)  # noqa: E731
        return jax.tree.map(restore, flat)

    typical = ratio.at(centres[0])
    slope = signal.sigma * jnp.abs(2.0 * ratio.B * (signal.sigma * signal.centre + signal.shift) + sign * ratio.c)
    return TokenLaws(
        means=means,
        low=low,
        high=high,
        cliff=-typical,
        cliff_width=jnp.maximum(slope, 1.0),
    )


def log_bayes(d: jax.Array, m: jax.Array, gamma: jax.Array, L: jax.Array) -> jax.Array:
    """log(Bayes risk - eps^2) of one setting."""
    moments = weight_moments(bayes_laws(d, m, gamma), L)
    return jnp.log(moments.ee[2] + moments.PP) + moments.log_miss
