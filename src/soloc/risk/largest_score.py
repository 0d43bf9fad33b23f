"""Who has the largest score? Expected attention on the token with the largest score along k*.

Tokens are standard normal, chi_l = X_l . k*, J the token with the largest chi_l (or drawn from
softmax(beta chi)), and the scores of a predictor are a_l = kappa chi_l + sqrt(1 - kappa^2) g_l.
Values are independent of scores, so that on the manifold theta = eta = rho = 0 a risk needs two
numbers of a weight p: its expected hit E[p_J] and its expected square E[sum_l p_l^2].
"""

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.special import log_ndtr, ndtr

from soloc.predictors.pointwise import Pointwise
from soloc.risk.laplace import weight_moments
from soloc.risk.quadrature import gaussian_rule
from soloc.risk.softmax import gaussian_means, softmax_laws

_LOG_ROOT_TWO_PI = 0.5 * math.log(2.0 * math.pi)
_FINE = 8  # order of the one-token quadrature
_STEP = 0.1  # of standard normals: the trapezoid rule is then exact to rounding
_LOG_STEP = 0.25  # of log t: as well
_NEGLIGIBLE = 42.0  # an event this rare, in logarithms, no longer counts
_REACH = 9.0  # standard deviations at which a normal no longer counts
_LOWEST_LOG_T, _HIGHEST_LOG_T = -42.0, 6.0  # beyond, exp(v - e^v) no longer counts
_SPLINE_STEP = 0.02  # times the spread, from 1 on
_PLACES, _PLACE_WEIGHTS = np.polynomial.legendre.leggauss(64)
_CLOSE, _CLOSE_WEIGHTS = 0.5 * (1.0 + _PLACES), 0.5 * _PLACE_WEIGHTS
_ANGLES, _ANGLE_WEIGHTS = np.polynomial.legendre.leggauss(48)


def squared_softmax(lam: float, L: float) -> float:
    """P2 = E[sum_l p_l^2] of softmax attention on L standard normal scores."""
    if L == 1:
        return 1.0
    numbers = tuple(map(np.float64, (0.0, 1.0, lam, 0.0)))
    with np.errstate(all="ignore"):  # integrands that vanish: the answer is looked at
        moments = weight_moments(softmax_laws, numbers, float(L))
    return float(L * moments.ss[0] * np.exp(moments.log_hit))


def _largest_of(L: float, split: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Places and probabilities of the largest of L standard normals, density L phi Phi^(L-1).

    `split` puts a seam at 0, where a function of the largest may bend.
    """
    low = _last(lambda x: (L - 1.0) * log_ndtr(x) < -_NEGLIGIBLE) if L > 1 else -_REACH
    high = _last(lambda x: math.log(L) + log_ndtr(-x) > -_NEGLIGIBLE)
    x, widths = _joined((low, 0.0, high) if split and low < 0.0 < high else (low, high))
    log_density = math.log(L) - 0.5 * x * x - _LOG_ROOT_TWO_PI + (L - 1.0) * log_ndtr(x)
    return x, widths * np.exp(log_density)


def _joined(seams: Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights of Gauss and Legendre between the seams, where integrands may bend."""
    parts = list(pairwise(seams))
    nodes = np.hstack([a + (b - a) * _CLOSE for a, b in parts])
    return nodes, np.hstack([(b - a) * _CLOSE_WEIGHTS for a, b in parts])


def _last(holds: Callable[[float], bool]) -> float:
    """The place up to which a condition holds, between -12 and 40."""
    low, high = -12.0, 40.0
    for _ in range(60):
        x = 0.5 * (low + high)
        low, high = (x, high) if holds(x) else (low, x)
    return low


def hit_of_softmax(lam: float, kappa: float, L: float) -> float:
    """E[p_J] of softmax(lam a) when J has the largest chi; or of softmax(lam chi), J = argmax a.

    Given chi_J = x the other chi are normals below x. With v = log t + lam kappa x,

        E[p_J] = int dv E[phi_1(v + s g)] E_x[B(v, x)^(L-1)],    s = lam sqrt(1 - kappa^2),
        1 - B(v, x) = E[1 - exp(-e^(v - lam kappa D + s g)) | D > 0],    D = x - chi.
    """
    if L == 1:
        return 1.0
    if lam == 0.0 or kappa == 0.0:
        return 1.0 / L
    if lam * kappa < 0.0:  # the token with the smallest score along the reversed key
        lam, kappa = abs(lam), -abs(kappa)
    x, chance = _largest_of(L)
    s, rate = lam * math.sqrt(max(1.0 - kappa * kappa, 0.0)), lam * kappa
    step = _LOG_STEP * max(1.0, s)
    v = np.arange(_LOWEST_LOG_T - _REACH * s, _HIGHEST_LOG_T + _REACH * s, step)
    reach = (90.0 + 2.0 * _REACH * s) / abs(rate)  # beyond, others are negligible beside J
    farthest = x + _REACH if rate < 0.0 else np.minimum(x + _REACH, reach)
    D = farthest[:, None] * _CLOSE**2
    density = 2.0 * _CLOSE * _CLOSE_WEIGHTS * farthest[:, None]
    density = density * np.exp(
        -0.5 * (x[:, None] - D) ** 2 - _LOG_ROOT_TWO_PI - log_ndtr(x)[:, None]
    )
    rise = _smooth_rise(s, v[0] - max(rate, 0.0) * D.max(), v[-1] + max(-rate, 0.0) * D.max())
    hits = _mean_of_first(v, s)
    missing = np.einsum("xd,vxd->vx", density, rise(v[:, None, None] - rate * D))
    others = np.exp((L - 1.0) * np.log1p(-np.minimum(missing, 1.0 - 1e-16)))
    return float(step * np.sum(hits * (others @ chance)))


def _mean_of_first(v: np.ndarray, s: float) -> np.ndarray:
    """E[exp(y - e^y)], y = v + s g."""
    if s < 1e-8:
        return np.asarray(np.exp(v - np.exp(v)))
    means, _ = gaussian_means(v, np.float64(s), _FINE)
    return np.asarray(np.exp(means.log[1]))


def _smooth_rise(s: float, low: float, high: float) -> Any:
    """v -> E[1 - exp(-e^(v + s g))]: closed without spread, else a spline of its logarithm."""
    if s < 1e-8:
        return lambda v: -np.expm1(-np.exp(v))
    from scipy.interpolate import CubicSpline  # here: a fifth of all that `soloc risk` imports

    grid = np.linspace(low, high, 2 + int((high - low) / (_SPLINE_STEP * max(1.0, s))))
    log_rise = CubicSpline(grid, gaussian_means(grid, np.float64(s), _FINE)[1])
    return lambda v: np.exp(log_rise(v))


def agreement_of_maxima(kappa: float, L: float) -> float:
    """P(argmax a = argmax chi) = L E[Phi2(chi, a; kappa)^(L-1)] of correlated normals."""
    if L == 1 or kappa >= 1.0:
        return 1.0
    if kappa <= -1.0:
        return 0.0
    z = np.arange(-_REACH, 16.0 + _STEP, _STEP)
    weights = _STEP * np.exp(-0.5 * z * z - _LOG_ROOT_TWO_PI)
    narrow = np.arange(-_REACH, _REACH + _STEP, _STEP)
    narrow_weights = _STEP * np.exp(-0.5 * narrow * narrow - _LOG_ROOT_TWO_PI)
    along = math.sqrt(0.5 * (1.0 + kappa)) * z[:, None]
    across = math.sqrt(0.5 * (1.0 - kappa)) * narrow
    log_both = _log_both_below(along + across, along - across, kappa)
    return float(L * weights @ np.exp((L - 1.0) * log_both) @ narrow_weights)


def _log_both_below(x: np.ndarray, y: np.ndarray, kappa: float) -> np.ndarray:
    """log P(chi < x, a < y) through the chance of the opposite, which is small where it matters."""
    end = math.asin(kappa)
    t = 0.5 * end * (1.0 + _ANGLES)
    square = x * x + y * y
    joint = np.zeros_like(square)
    for angle, weight in zip(t, _ANGLE_WEIGHTS, strict=True):
        exponent = -(square - 2.0 * x * y * math.sin(angle)) / (2.0 * math.cos(angle) ** 2)
        joint += weight * np.exp(exponent)
    joint *= 0.5 * end / (2.0 * math.pi)
    above_x, above_y = ndtr(-x), ndtr(-y)
    missing = above_x + above_y - above_x * above_y - joint
    return np.asarray(np.log1p(-np.clip(missing, 0.0, 1.0 - 1e-16)))


def hit_of_pointwise(weight: Pointwise, kappa: float, L: float) -> float:
    """E[sigma(lam a_J)] when J has the largest chi."""
    x, chance = _largest_of(L, split=True)
    return float(chance @ _seen(weight, kappa, x)) / _share(weight, L)


def _seen(weight: Pointwise, kappa: float, chi: np.ndarray) -> np.ndarray:
    """E[sigma(lam a) | chi], a = kappa chi + s g; weights may bend where a = 0."""
    s = math.sqrt(max(1.0 - kappa * kappa, 0.0))
    if s == 0.0:
        return np.asarray(weight.value(weight.lam * kappa * chi))
    bend = np.clip(-kappa * chi / s, -_REACH, _REACH)[:, None]
    g = np.hstack([bend - (_REACH + bend) * _CLOSE, bend + (_REACH - bend) * _CLOSE])
    density = np.hstack([(_REACH + bend) * _CLOSE_WEIGHTS, (_REACH - bend) * _CLOSE_WEIGHTS])
    density = density * np.exp(-0.5 * g * g - _LOG_ROOT_TWO_PI)
    return np.asarray(
        np.sum(density * weight.value(weight.lam * (kappa * chi[:, None] + s * g)), axis=1)
    )


def share_of_pointwise(weight: Pointwise, kappa: float, L: float, beta: float) -> float:
    """E[sum_l sigma(lam a_l) softmax(beta chi)_l] = L E[sigma(lam a) q(chi)].

    q(chi) = E[softmax_l | chi_l = chi] = int dw exp(w - e^w) E[exp(-e^(w - beta (chi - g)))]^(L-1).
    """
    chi, widths = _joined((-_REACH, -0.5 * _REACH, 0.0, 0.5 * _REACH, _REACH))
    normal = widths * np.exp(-0.5 * chi * chi - _LOG_ROOT_TWO_PI)
    given = _seen(weight, kappa, chi)
    if beta == 0.0 or L == 1:
        return float(normal @ given) / _share(weight, L)
    w = np.arange(_LOWEST_LOG_T, _HIGHEST_LOG_T, _LOG_STEP)
    u = w[:, None] - beta * chi
    rise = _smooth_rise(beta, float(u.min()), float(u.max()))(u)
    others = np.exp((L - 1.0) * np.log1p(-np.minimum(rise, 1.0 - 1e-16)))
    share = _LOG_STEP * np.exp(w - np.exp(w)) @ others
    return float(L * (normal * given) @ share) / _share(weight, L)


def squared_pointwise(weight: Pointwise, L: float) -> float:
    """E[sum_l sigma(lam a_l)^2] = L E[sigma(lam g)^2]."""
    lam = np.abs(np.atleast_1d(np.asarray(weight.lam, float)))
    g, normal = gaussian_rule(weight, np.zeros(1), lam)
    return float(L * normal @ np.asarray(weight.value(lam * g)) ** 2) / _share(weight, L) ** 2


def _share(weight: Pointwise, L: float) -> float:
    return L if weight.per_length else 1.0
