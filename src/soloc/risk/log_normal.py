"""The exponential weight at any temperature: its weights are log-normal, and every moment is a
closed form in log space.

With S = exp(lam a) tilted means move the standardised score by s = lam gamma for each power of S:

    E_s[(S b - c)^2] = A_2 ((M + 2 gamma rho s)^2 + gamma^2) - 2 A_1 ((M + gamma rho s) gamma eta s
                       + gamma^2 nu) + gamma^2,   A_j = exp(j lam m kappa + j^2 s^2 / 2),

and so on. Where S stays close to 1 this cancels, and `quadrature` does better; where S is beyond
doubles it is all there is.
"""

from soloc.maths.engine import Array, engine_of
from soloc.risk.overlaps import Overlaps
from soloc.risk.signal_numbers import SignalNumbers

_WIDEST, _FARTHEST = 8.0, 300.0  # spread and mean of log S that the nodes of `quadrature` bear


def is_wild(numbers: SignalNumbers, lam: Array, o: Overlaps) -> Array:
    """Where the weights are beyond quadrature: then nothing in the closed form cancels."""
    xp = engine_of(lam, numbers.m, o.kappa).xp
    size = xp.abs(lam)
    of_signal = (size * numbers.gamma > _WIDEST) | (size * numbers.m * xp.abs(o.kappa) > _FARTHEST)
    return of_signal | ((size > _WIDEST) & (numbers.L > 1.0))


def exponential_excess(
    numbers: SignalNumbers, lam: Array, o: Overlaps, share: Array
) -> tuple[Array, Array]:
    """R - eps^2 of `share` exp(lam a) as (value, log_scale)."""
    m, gamma, others = numbers.m, numbers.gamma, numbers.L - 1.0
    xp = engine_of(lam, m, gamma, o.kappa, others).xp
    s, g2, M = lam * gamma, gamma**2, m * o.theta
    log_1 = lam * m * o.kappa + 0.5 * s * s
    log_2 = 2.0 * log_1 + s * s
    of_one = lam * lam
    behind = xp.where(others > 0, 2.0 * of_one, -xp.inf)
    log_scale = xp.maximum(xp.maximum(log_2, behind), 0.0)

    def scaled(log: Array) -> Array:
        return xp.exp(xp.minimum(log - log_scale, 0.0))

    signal = share**2 * scaled(log_2) * ((M + 2.0 * gamma * o.rho * s) ** 2 + g2) + scaled(0.0) * g2
    signal = signal - 2.0 * share * scaled(log_1) * (
        (M + gamma * o.rho * s) * gamma * o.eta * s + g2 * o.nu
    )
    # means of S b in units of exp(log_scale / 2): each is at most the root of a mean of squares
    root = xp.minimum(log_1 - 0.5 * log_scale, 0.0), 0.5 * of_one - 0.5 * log_scale
    of_signal = share * xp.exp(root[0]) * (M + gamma * o.rho * s)
    of_background = share * xp.exp(xp.minimum(root[1], 0.0)) * o.rho * lam
    square = share**2 * scaled(2.0 * of_one) * ((2.0 * o.rho * lam) ** 2 + 1.0)
    value = (
        signal
        + others * (square - of_background**2)
        + others * of_background * (2.0 * of_signal + others * of_background)
    )
    return value, log_scale
