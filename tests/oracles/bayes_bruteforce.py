"""The Bayes risk of single-location regression by dense sums over radii: SciPy's Bessel functions,
no panels, no search for features.

A token of standard deviation sigma has distance r from m0 k* = m k* / (1 - gamma^2), a noncentral
chi variable over sigma, and the log-likelihood ratio -A r^2, A = (1/gamma^2 - 1)/2, up to a
constant; E[c^2 f(r)] is sigma^2 E[f(r)] in two more dimensions.
"""

import math
from typing import NamedTuple

import numpy as np
from scipy.special import gammaln, ive, logsumexp

_FALL = 130.0


class Token(NamedTuple):
    """Log-likelihood ratios z on a grid, and log weights of the law of the token, plain and times
    c^2.
    """

    z: np.ndarray
    plain: np.ndarray
    square: np.ndarray


def _token(d: float, sigma: float, distance: float, A: float, log_r: np.ndarray) -> Token:
    radius, delta = np.exp(log_r) / sigma, distance / sigma

    def log_weights(dimension: float) -> np.ndarray:
        order = 0.5 * dimension - 1.0
        if delta == 0.0:  # chi instead of noncentral chi
            bessel = order * np.log(0.5 * radius**2) - gammaln(order + 1.0)
            density = np.log(radius) - 0.5 * radius**2 + bessel
        else:
            with np.errstate(divide="ignore"):
                bessel = np.log(ive(order, delta * radius)) + order * np.log(radius / delta)
            density = np.log(radius) - 0.5 * (radius - delta) ** 2 + bessel
        return density + np.log(radius) + math.log(log_r[1] - log_r[0])

    return Token(
        -A * np.exp(2.0 * log_r), log_weights(d), log_weights(d + 2.0) + 2.0 * math.log(sigma)
    )


def _tokens(d: float, gamma: float, m: float | None, nodes: int) -> tuple[Token, Token]:
    """Of the signal and of the background, on equal steps of log r up to where the densities have
    fallen by exp(-_FALL).
    """
    m, A = math.sqrt(0.5 * d) if m is None else m, 0.5 * (gamma**-2.0 - 1.0)
    m0 = m / abs(1.0 - gamma**2)
    tokens = []
    for sigma, distance in ((gamma, gamma**2 * m0), (1.0, m0)):
        centre = math.hypot(distance, sigma * math.sqrt(d))
        reach = sigma * math.sqrt(2.0 * _FALL)
        low, high = max(centre - reach, centre * math.exp(-_FALL / d - 1.0)), centre + reach
        tokens.append(
            _token(d, sigma, distance, A, np.linspace(math.log(low), math.log(high), nodes))
        )
    return tokens[0], tokens[1]


def log_excess_of_two(d: float, gamma: float, m: float | None = None, nodes: int = 1200) -> float:
    """L = 2: E[p_b^2 (c_s^2 + c_b^2)] with p_b = expit(z_b - z_s), a double sum."""
    signal, background = _tokens(d, gamma, m, nodes)
    rows = []
    for z, square, plain in zip(background.z, background.square, background.plain, strict=True):
        log_share = -2.0 * np.logaddexp(0.0, signal.z - z)
        rows.append(
            np.logaddexp(
                logsumexp(log_share + signal.square) + plain,
                logsumexp(log_share + signal.plain) + square,
            )
        )
    return float(logsumexp(rows))


def log_excess(
    d: float,
    L: float,
    gamma: float,
    m: float | None = None,
    nodes: int = 3000,
    u_nodes: int = 300,
) -> float:
    """Any L: E[(1 - p_s)^2 c_s^2] + (L-1) E[p_b^2 c_b^2] through 1/S^2 = int t exp(-t S) dt, by
    equal steps in log t.
    """
    signal, background = _tokens(d, gamma, m, nodes)
    heavy = [token.z[token.plain > np.max(token.plain) - _FALL] for token in (signal, background)]
    low, high = -max(map(np.max, heavy)) - 60.0, -min(map(np.min, heavy)) + 60.0
    for count in (100, 100, 100, u_nodes):  # to where the integrand lives
        u, step = np.linspace(low, high, count, retstep=True)
        values = np.array([_integrand(signal, background, L, v) for v in u])
        alive = u[values > np.max(values) - 45.0]
        low, high = alive[0] - step, alive[-1] + step
    return float(logsumexp(values) + math.log(step))


def _integrand(signal: Token, background: Token, L: float, u: float) -> float:
    def mean(token: Token, weights: np.ndarray, power: int) -> float:
        x = np.minimum(u + token.z, 700.0)
        return float(logsumexp(power * x - np.exp(x) + weights))

    rise = np.sum(
        -np.expm1(-np.exp(np.minimum(u + background.z, 700.0))) * np.exp(background.plain)
    )
    survival = math.log1p(-rise) if rise < 0.5 else mean(background, background.plain, 0)
    one, two = mean(background, background.plain, 1), mean(background, background.plain, 2)
    ones = [math.log(L - 1.0) + two + (L - 2.0) * survival]
    if L > 2:
        ones.append(math.log(L - 1.0) + math.log(L - 2.0) + 2.0 * one + (L - 3.0) * survival)
    missed = logsumexp(ones) + mean(signal, signal.square, 0)
    wrong = (
        math.log(L - 1.0)
        + mean(background, background.square, 2)
        + mean(signal, signal.plain, 0)
        + (L - 2.0) * survival
    )
    return float(np.logaddexp(missed, wrong))
