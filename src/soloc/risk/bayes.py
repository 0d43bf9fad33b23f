"""The Bayes risk, exact for every gamma, dimension and length, in log space.

The log-likelihood ratio of a token is, up to a constant, z = -B t^2 - sign(1-gamma^2) (m/gamma^2) t
with B = (1/gamma^2 - 1)/2, where t = |x - m0 k*| - |m0| is how far the token lies from a sphere
around m0 k* = m k*/(1-gamma^2). The radius of a Gaussian token is a noncentral chi variable;
written in y = (radius - its centre)/sigma its density stays regular through gamma = 1, where y is
Gaussian and the posterior is softmax. The risk is then the Laplace integral of `laplace` with E =
exp(z):

    R - eps^2 = E[(1 - p_s)^2 c_s^2] + (L-1) E[p_l^2 c_l^2],    c = x . v*.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from soloc.maths.chebyshev import interpolate
from soloc.maths.engine import Array, engine_of
from soloc.maths.panels import panel_rule
from soloc.risk.laplace import COARSE, TokenLaws, TokenMeans, weight_moments

_REACH = 12.0  # standard deviations at which a radius no longer counts
_CLOSEST = 1e-12  # the smallest radius, over delta
# edges around the cliff in x, in its units
_CLIFF = np.array([-32.0, -16.0, -8.0, -4.0, -2.0, -1.0, 0.0, 1.0, 2.0, 4.0, 8.0])
_TAIL = np.array([1.2, 3.0, 7.0, 16.0, 36.0])  # edges on one side of a mode, in its widths
_MODE = np.concatenate([-_TAIL, np.zeros(1), _TAIL])
_HALVINGS = 12  # of the bracket of the cliff
_ANGLES, _DEGREE = 160, 80
_AT_ONCE = 64  # values of u side by side
_LOG_ROOT_TWO_PI = 0.5 * math.log(2.0 * math.pi)


class Radius(NamedTuple):
    """y = radius/sigma - delta of a Gaussian token of standard deviation sigma at distance sigma *
    delta.
    """

    d: Array
    inverse_delta: Array
    sigma: Array
    shift: Array  #: t = sigma y + shift
    ends: tuple[Array, Array]  #: no y beyond them is asked for


class RadialLaw(NamedTuple):
    """Law of y."""

    radius: Radius
    #: both results of `_angular_mean`, regularised, as functions of log(1 + X / (n+1))
    angular: Callable[[Array], Array]


class Ratio(NamedTuple):
    """The log-likelihood ratio z = -B t^2 - sign c t as a function of t."""

    B: Array
    sign: Array
    c: Array

    def at(self, t: Array) -> Array:
        return -self.B * t**2 - self.sign * self.c * t

    def slope(self, t: Array) -> Array:
        return -2.0 * self.B * t - self.sign * self.c

    def inverse(self, z: Array) -> Array:
        """The t with ratio z, or the nearest possible one."""
        xp = engine_of(z, self.c).xp
        return (
            -2.0 * self.sign * z / (self.c + xp.sqrt(xp.maximum(self.c**2 - 4.0 * self.B * z, 0.0)))
        )


def _angular_mean(n: Array, xi: Array) -> tuple[Array, Array]:
    """log of sqrt(2 pi X) exp(-X) I_{n+1/2}(X) at X = 1/xi, and the mean of w (1 - w xi/2) under
    its integrand.

    The integral is E[(1 - w xi/2)^n] over w ~ Gamma(n+1). In v with w = (n+1) e^v / (1 + (n+1) e^v
    xi/2) it is analytic and decays on both sides.
    """
    engine = engine_of(n, xi)
    xp = engine.xp
    centre = 2.0 * n / (1.0 + n * xi + xp.sqrt(1.0 + (n * xi) ** 2))
    v_mode = xp.log(centre / (n + 1.0)) - xp.log1p(-0.5 * xi * centre)
    width = 1.0 / xp.sqrt(n + 1.0)
    # tails fall like exp(-(n+1) v^2 / (2 + |v|))
    stretch = xp.arcsinh(19.0 * width + xp.sqrt((19.0 * width) ** 2 + 76.0))
    grid = stretch * np.linspace(-1.0, 1.0, _ANGLES)
    v = v_mode[..., None] + width * xp.sinh(grid)
    growth = xp.exp(v)
    q = 0.5 * (n + 1.0) * xi[..., None] * growth
    relative_w = growth / (1.0 + q)
    log_value = (n + 1.0) * (v - 2.0 * xp.log1p(q) - (relative_w - 1.0))
    top = engine.constant(xp.max(log_value, axis=-1))
    mass = xp.cosh(grid) * xp.exp(log_value - top[..., None])
    total = xp.sum(mass, axis=-1)
    step = 2.0 * stretch * width / (_ANGLES - 1)
    mean = (n + 1.0) * xp.sum(mass * relative_w / (1.0 + q), axis=-1) / total
    return xp.log(total * step) + top - _stirling_remainder(n + 1.0), mean


def _stirling_remainder(z: Array) -> Array:
    """log Gamma(z) - z log z + z, without their cancellation where z is large."""
    engine = engine_of(z)
    xp = engine.xp
    small, large = xp.minimum(z, 30.0), xp.maximum(z, 30.0)
    r = 1.0 / large**2
    series = (
        _LOG_ROOT_TWO_PI
        - 0.5 * xp.log(large)
        + (1.0 / 12.0 - r * (1.0 / 360.0 - r * (1.0 / 1260.0 - r / 1680.0))) / large
    )
    return xp.where(z < 30.0, engine.gammaln(small) - small * xp.log(small) + small, series)


def _log_density(law: RadialLaw, y: Array) -> tuple[Array, Array]:
    """log density of y, and E[c^2 | y]."""
    xp = engine_of(y).xp
    d, inverse_delta, sigma, *_ = law.radius
    n = 0.5 * (d - 3.0)
    ratio = xp.maximum(1.0 + y * inverse_delta, _CLOSEST)
    X = ratio / inverse_delta**2
    log_angular, log_mean = law.angular(xp.log1p(X / (n + 1.0)))
    log_saturation = xp.log1p((n + 1.0) / X)
    log_density = (
        (n + 1.0) * (xp.log(ratio) - log_saturation) - 0.5 * y**2 - _LOG_ROOT_TWO_PI + log_angular
    )
    return log_density, sigma**2 * ratio * xp.exp(log_mean - log_saturation)


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
    places = xp.stack([(t - shift) / sigma for t in farthest])
    lowest = xp.maximum(
        xp.minimum(xp.min(places), centre) - _REACH, (_CLOSEST - 1.0) / inverse_delta
    )
    highest = xp.maximum(xp.max(places), centre) + _REACH

    def logarithm(y: Array) -> Array:
        return xp.log1p(
            xp.maximum(1.0 + y * inverse_delta, _CLOSEST) / inverse_delta**2 / (n + 1.0)
        )

    def regularised(s: Array) -> Array:
        X = (n + 1.0) * xp.expm1(s)
        log_saturation = xp.log1p((n + 1.0) / X)
        log_angular, mean_w = _angular_mean(n, 1.0 / X)
        return xp.stack(
            [log_angular + (n + 1.0) * log_saturation, xp.log(mean_w / (n + 1.0)) + log_saturation]
        )

    low, high = engine.constant((logarithm(lowest), logarithm(highest)))
    angular = interpolate(regularised, low, high, _DEGREE)
    return RadialLaw(Radius(d, inverse_delta, sigma, shift, (lowest, highest)), angular)


class _Slopes(NamedTuple):
    """Derivatives in y: of the log density, its second one with its sign changed, and of z; by
    Amos' bound for Bessel functions.
    """

    density: Array
    bend: Array
    z: Array


def _slopes(radius: Radius, ratio: Ratio, y: Array) -> _Slopes:
    xp = engine_of(y).xp
    d, inverse_delta, sigma, shift, _ = radius
    h = 0.5 * (d - 1.0)
    inverse_radius = inverse_delta / xp.maximum(1.0 + y * inverse_delta, _CLOSEST)
    q = h * inverse_radius * inverse_delta
    root = xp.sqrt(1.0 + q * q)
    density = h * inverse_radius * (1.0 + q / (1.0 + root)) - y
    return _Slopes(
        density,
        1.0 + h * inverse_radius**2 * (1.0 + q / root),
        sigma * ratio.slope(sigma * y + shift),
    )


def _panels(radius: Radius, ratio: Ratio, u: Array) -> Array:
    """Edges in y of panels that resolve phi_0, phi_1, phi_2 and 1 - phi_0 for every u, along a new
    last axis.

    exp(i z) times the density is the law of another radius, of precision 1 + i beta, as far as the
    cliff where exp(-e^x) falls. A law whose mode lies beyond the cliff leaves there a bump at e^x =
    1 + d log density / dx and an exponential tail.
    """
    engine = engine_of(u)
    xp = engine.xp
    d, inverse_delta, sigma, shift, ends = radius
    u = u[..., None]

    def place(x: Array) -> Array:
        return xp.clip((ratio.inverse(x - u) - shift) / sigma, *ends)

    def growth(x: Array) -> Array:
        slopes = _slopes(radius, ratio, place(x))
        return xp.log1p(xp.maximum(slopes.density / slopes.z, 0.0))

    def halve(bracket: tuple[Array, Array]) -> tuple[Array, Array]:
        left, right = bracket
        middle = 0.5 * (left + right)
        falls = middle > growth(middle)
        return xp.where(falls, left, middle), xp.where(falls, middle, right)

    bracket = xp.zeros_like(u), growth(xp.zeros_like(u))
    left, right = engine.repeat(
        halve,
        bracket,
        _HALVINGS,
        lambda ends: bool(np.all(ends[1] - ends[0] < np.exp(-0.5 * ends[1]))),
    )
    x_cliff = 0.5 * (left + right)
    cliff = place(x_cliff)
    at_cliff = _slopes(radius, ratio, cliff)

    i = np.arange(3.0)
    beta, beta_delta = (
        2.0 * ratio.B * sigma**2,
        sigma * (ratio.sign * ratio.c + 2.0 * ratio.B * shift),
    )
    has_mode = 1.0 + i * beta > 1e-9
    precision = xp.where(has_mode, 1.0 + i * beta, 1.0)
    shrunk = (d - 1.0) * inverse_delta / precision
    over_delta = xp.sqrt(shrunk * inverse_delta + 1.0 / precision**2)
    mode = (shrunk - i * beta_delta * (1.0 + precision) / precision**2) / (1.0 + over_delta)
    whole = has_mode & (u + ratio.at(sigma * mode + shift) < x_cliff)
    point = xp.clip(xp.where(whole, mode, cliff), *ends)
    slopes = _slopes(radius, ratio, point)
    push = xp.where(
        whole, 0.0, xp.maximum(i * xp.abs(slopes.z) + xp.sign(slopes.z) * slopes.density, 0.0)
    )
    width = 1.0 / (xp.sqrt(xp.maximum(slopes.bend + i * beta, 1e-12)) + push)
    # where 1 - phi_0 ends, and which way
    beyond = xp.sign(at_cliff.z) / (xp.sqrt(at_cliff.bend) + xp.abs(at_cliff.density))

    edges = [
        place(x_cliff + xp.exp(-0.5 * x_cliff) * _CLIFF),
        (point[..., None] + width[..., None] * _MODE).reshape(*u.shape[:-1], -1),
        cliff + beyond * _TAIL,
    ]
    return xp.sort(xp.clip(xp.concatenate(edges, axis=-1), *ends), axis=-1)


class _Nodes(NamedTuple):
    """Nodes of the quadrature over one law (last axis), for every u."""

    x: Array  #: u + z
    rate: Array  #: e^x
    log_density: Array
    c_square: Array  #: E[c^2 | y]
    w: Array


def _nodes(law: RadialLaw, ratio: Ratio, u: Array, order: int) -> _Nodes:
    engine = engine_of(u)
    xp = engine.xp
    edges = engine.once(_panels(*engine.constant((law.radius, ratio, u))))
    y, w = engine.once(panel_rule(edges, order + (3 if order > COARSE else 1)))
    log_density, c_square = _log_density(law, y)
    x = u[..., None] + ratio.at(law.radius.sigma * y + law.radius.shift)
    rate = xp.exp(xp.minimum(x, 300.0))  # no more, or gradients would multiply infinity by 0
    return _Nodes(x, rate, xp.where(w > 0, log_density, -xp.inf), c_square, w)


def _means(nodes: _Nodes) -> TokenMeans:
    """Means of phi_i = exp(i x - e^x); c^2 rides along."""
    engine = engine_of(nodes.x)
    xp = engine.xp
    rows, log_value = [], nodes.log_density - nodes.rate
    for i in range(3):
        if i > 0:
            log_value = log_value + nodes.x
        top = engine.constant(xp.max(log_value, axis=-1))
        mass = nodes.w * xp.exp(log_value - top[..., None])
        total = xp.sum(mass, axis=-1)
        rows.append(
            TokenMeans(
                xp.log(total) + top,
                xp.zeros_like(total),
                engine.weighted_sum(mass, nodes.c_square) / total,
            )
        )
    return TokenMeans(*map(xp.stack, zip(*rows, strict=True)))


def _log_rise(nodes: _Nodes) -> Array:
    """log E[1 - phi_0]."""
    engine = engine_of(nodes.x)
    xp = engine.xp
    log_rise = xp.where(nodes.x < -36.0, nodes.x, xp.log(-xp.expm1(-xp.maximum(nodes.rate, 1e-17))))
    log_value = log_rise + nodes.log_density
    top = engine.constant(xp.max(log_value, axis=-1))
    return xp.log(engine.weighted_sum(nodes.w, xp.exp(log_value - top[..., None]))) + top


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
        ends += [
            ratio.at(sigma * xp.maximum(centre + far, -1.0 / inverse_delta) + shift)
            for far in (-45.0, 45.0)
        ]
    low, high = -xp.max(xp.stack(ends)) - 60.0, -xp.min(xp.stack(ends)) + 60.0
    farthest = (ratio.inverse(-low), ratio.inverse(-high))
    signal, background = (_radial_law(d, *token, farthest) for token in tokens)

    def means(u: Array, order: int) -> tuple[TokenMeans, TokenMeans, Array]:
        def one(u: Array) -> tuple[TokenMeans, TokenMeans, Array]:
            of_signal, of_background = (
                _nodes(law, ratio, u, order) for law in (signal, background)
            )
            return _means(of_signal), _means(of_background), _log_rise(of_background)

        return engine.in_blocks(one, u, _AT_ONCE)

    return TokenLaws(
        means=means,
        low=low,
        high=high,
        cliff=-ratio.at(centres[0]),
        cliff_width=xp.maximum(gamma * xp.abs(ratio.slope(centres[0])), 1.0),
    )


def log_bayes(d: Array, m: Array, gamma: Array, L: Array) -> Array:
    """log(Bayes risk - eps^2) of one setting."""
    moments = weight_moments(bayes_laws, (d, m, gamma), L)
    return engine_of(moments.squares).xp.log(moments.ee[2] + moments.PP) + moments.log_miss
