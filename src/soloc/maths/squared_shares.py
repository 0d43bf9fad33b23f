"""E[sum_l p_l^2] for p = softmax(beta chi) of standard normals chi: how few tokens share."""

import math

import numpy as np

_STEP = 0.25  # of log t, times the spread: the trapezoid rule is then exact to rounding
_REACH = 9.0  # standard deviations at which a normal no longer counts


def squared_shares(beta: float, L: float) -> float:
    """L int t E[E^2 e^(-tE)] E[e^(-tE)]^(L-1) dt, E = exp(beta chi), over u = log t."""
    if L == 1:
        return 1.0
    if beta == 0.0:
        return 1.0 / L
    if math.isinf(beta):
        return 1.0
    step = min(0.1, _STEP / beta)
    chi = np.arange(-_REACH, _REACH + step, step)
    density = step * np.exp(-0.5 * chi * chi) / math.sqrt(2.0 * math.pi)
    u = np.arange(-42.0 - _REACH * beta, 6.0 + _REACH * beta, 0.125)
    total = 0.0
    for part in np.array_split(u, 1 + len(u) // 64):
        x = np.minimum(part[:, None] + beta * chi, 50.0)
        decay = np.exp(-np.exp(x))
        twice = np.exp(2.0 * x) * decay @ density
        gone = np.minimum(-np.expm1(-np.exp(x)) @ density, 1.0 - 1e-16)
        others = np.exp((L - 1.0) * np.log1p(-gone))
        total += float(np.sum(twice * others))
    return float(L * 0.125 * total)
