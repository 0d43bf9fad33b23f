"""The Bayes risk, exact for every gamma, dimension, length and signal, in log space.

The likelihood ratio E = exp(ell) of a token has a closed Mellin transform. With a = 1 - gamma^2,

    log E_s[E^-p] = K(p) = -m^2 p (1-p) / (2 (1 - a p)) - (d/2) (log(1 - a p) - p log gamma^2)

and E_s[c^2 E^-p] = gamma^2 exp(K(p)) / (1 - a p), where c = x . v*. The location is a draw from the
posterior, and the c of different tokens have independent signs, so the excess is
E[c_s^2 (1 - p_s)]. Since 1/S = int exp(-t S) dt and the ratio of a background token is that of a
signal token with the law tilted by 1/E, with u = log t

    R - eps^2 = (L-1) int C(u) F(u) G(u)^(L-2) e^u du,
    F = E_s[exp(-t E)],   C = E_s[c^2 exp(-t E)],   1 - G = E_b[1 - exp(-t E)] = int_0^t F dt.

Mellin's inversion writes all three along one vertical line p = c + i omega,

    F = (1 / 2 pi i) int Gamma(p) e^(K(p) - p u) dp,

with gamma^2 / (1 - a p) more under C and e^u / (1 - p) more under 1 - G. The line goes through the
saddle point of the u where the integrand has its mode: there nothing cancels, however small F is,
and elsewhere F lies below its tangent in log space, so the error never exceeds the rounding of the
mode. Equal steps on the line make F periodic in u and nothing else; the period is chosen such that
no copy is seen.
"""

import numpy as np

from soloc.maths.engine import JAX, Array, engine_of
from soloc.maths.gamma import arctan_gap, gamma_ratio
from soloc.risk.mellin_line import Law, Line, Saddle, column, law_of, line_of, saddle_at

_NODES_IN_U = 256
_FINEST = 64 * 64  # nodes on a line: all that JAX takes, at most 16 times as many for NumPy
_AT_ONCE = 2**19  # complex numbers side by side in NumPy


def _along(law: Law, at: Saddle, saddle_u: Array, omega: Array) -> Array:
    """The integrands of F, C / gamma^2 and (1 - G) / e^u on the line, over the value at its real
    point; `saddle_u` is at.u as a constant, from which phases in u are counted.
    """
    xp = engine_of(omega).xp
    y = law.a * omega / at.q
    of_mean = 0.5 * law.m2 * law.g2 * omega**2 / (at.q**3 * (1.0 + y * y))
    real = of_mean + 0.25 * law.d * xp.log1p(y * y)
    phase = (
        of_mean * y + 0.5 * law.d * arctan_gap(y) + omega * (at.slope_of_gamma - (at.u - saddle_u))
    )
    plain = gamma_ratio(at.p, omega) * xp.exp(-real - 1j * phase)
    return xp.stack(
        [plain, plain / (at.q * (1.0 - 1j * y)), plain / (1.0 - at.p - 1j * omega)], axis=-2
    )


def _log_excess(law: Law, L: Array, line: Line, count: int) -> Array:
    """log of the excess by `count` nodes on the line, a square number."""
    engine = engine_of(L)
    xp = engine.xp
    root = round(count**0.5)
    at = saddle_at(law, line.c)
    saddle_u = engine.constant(at.u)
    width = (line.high - line.low) / (_NODES_IN_U - 1)
    u = line.low[..., None] + width[..., None] * np.arange(_NODES_IN_U)
    omega = line.step[..., None] * np.arange(count)
    trapezoid = np.where(np.arange(count) == 0, 0.5, 1.0) / np.pi
    values = _along(column(law), column(at), saddle_u[..., None], omega)
    values = values * (line.step[..., None] * trapezoid)[..., None, :]
    # exp(-i omega u) as a product of two short tables
    turn = (-1j * line.step[..., None] * (u - saddle_u[..., None]))[..., None]
    short, long = xp.exp(turn * np.arange(root)), xp.exp(turn * (root * np.arange(root)))
    rows = values.reshape(*values.shape[:-2], 3 * root, root)
    inner = short @ xp.swapaxes(rows, -1, -2)
    inner = inner.reshape(*inner.shape[:-1], 3, root)
    sums = xp.sum(xp.real(long[..., None, :] * inner), axis=-1)
    log_scale = at.value[..., None] - at.p[..., None] * (u - at.u[..., None])
    raised = (line.c < 0.0)[..., None]
    logs = []
    for j in range(3):
        part = xp.maximum(sums[..., j], 1e-300)
        outside = xp.log(part) + log_scale
        inside = xp.log1p(-xp.minimum(xp.exp(xp.where(raised, outside, -1.0)), 1.0 - 1e-16))
        logs.append(xp.where(raised, inside, outside))
    log_F, log_C, log_rise = logs
    log_G = xp.log1p(-xp.minimum(xp.exp(xp.minimum(u + log_rise, 0.0)), 1.0 - 1e-16))
    others = xp.log(xp.maximum(L - 1.0, 1.0))
    rows = log_F + log_C + u + xp.maximum(L - 2.0, 0.0)[..., None] * log_G
    top = engine.constant(xp.max(rows, axis=-1))
    total = xp.log(width * xp.sum(xp.exp(rows - top[..., None]), axis=-1))
    return xp.where(L > 1.5, total + top + others + law.log_g2, -xp.inf)


def log_bayes(d: Array, m: Array, gamma: Array, L: Array) -> Array:
    """log(Bayes risk - eps^2) of settings along an axis of NumPy, or of one setting of JAX."""
    engine = engine_of(d, m, gamma, L)
    if engine is JAX:
        line = engine.constant(line_of(law_of(*engine.constant((d, m, gamma))), engine.constant(L)))
        count = engine.xp.minimum(line.count, _FINEST)
        line = line._replace(step=line.step * line.count / count)
        return _log_excess(law_of(d, m, gamma), L, line, _FINEST)
    law = law_of(d, m, gamma)
    line = line_of(law, L)
    answer = np.empty_like(L)
    roots = np.ceil(np.sqrt(np.clip(line.count, 16.0, 16.0 * _FINEST)) / 4.0) * 4.0
    for root in np.unique(roots):
        chosen = np.flatnonzero(roots == root)
        block = max(1, int(_AT_ONCE // (3 * root * _NODES_IN_U)))
        for i in range(0, len(chosen), block):
            here = chosen[i : i + block]
            laws, lines = Law(*(part[here] for part in law)), Line(*(part[here] for part in line))
            answer[here] = _log_excess(laws, L[here], lines, int(root) ** 2)
    return answer
