"""Fixed points of the Bayes-optimal learner's order parameters, from both ends.

    qhat_k = alpha m^2 F1,   qhat_v = alpha F2 / tau,   q = qhat / (1 + qhat)

with tau = eps^2 + 1 - q_v; one step is one iteration of AMP. The state is x = -log(1 - q), which
is log(1 + qhat) and keeps its digits at both ends. The map grows in both coordinates (more
information never hurts), so plain iteration from x = 0 climbs to the smallest fixed point, which
AMP reaches, and from above falls to the largest. For the same reason a fixed point at one ratio is
a valid start below that at a larger ratio.
"""

from typing import NamedTuple

import numpy as np

from soloc.learning.regime import Regime
from soloc.learning.responsibility import attention_on_decisive, mean_log_sum, responsibility

_TOLERANCE = 1e-11
_PATIENCE = 60  # steps after which the tolerance grows: only within 1e-8 of a fold is it needed
_STEPS = 3000
_CAREFUL = 0.3  # no step longer than this is lengthened
_LONGEST = 30.0  # times the plain step
_FOUND = 30.0  # -log(1 - q_v) from which on a value without noise will be found exactly


class FixedPoint(NamedTuple):
    """Order parameters at one ratio n/d; `log_lost` is -log(1 - q) of the key and of the value."""

    ratio: float
    log_lost: np.ndarray
    steps: int

    @property
    def q(self) -> np.ndarray:
        """Overlaps of the posterior means of k and v with the truth."""
        return -np.expm1(-self.log_lost)


def uninformed(regime: Regime, ratio: float, below: FixedPoint | None = None) -> FixedPoint:
    """The fixed point that AMP reaches from nothing; `below` is that of a smaller ratio."""
    start = np.zeros(2) if below is None else below.log_lost
    return _settle(regime, ratio, start)


def informed(regime: Regime, ratio: float, above: FixedPoint | None = None) -> FixedPoint:
    """The fixed point next to the truth; `above` is that of a larger ratio.

    Without noise and with more equations than unknowns v* is found exactly: q_v = 1.
    """
    if regime.eps == 0.0 and ratio > 1.0:
        return _exactly_found(regime, ratio, 0)
    if above is None or not np.all(np.isfinite(above.log_lost)):
        # no state is above this one: both locations and values are known at best
        precision = 1.0 / max(regime.eps**2, 1e-12)
        start = np.log1p(ratio * np.array([regime.signal**2, precision]))
    else:
        start = above.log_lost
    return _settle(regime, ratio, start)


def step(regime: Regime, ratio: float, log_lost: np.ndarray) -> np.ndarray:
    """One iteration of state evolution."""
    a2, s2, tau = _scales(regime, log_lost)
    found = responsibility(a2, s2, regime.L)
    return np.log1p(ratio * np.array([regime.signal**2 * found.mean, found.with_square / tau]))


def mass(regime: Regime, point: FixedPoint) -> float:
    """Attention that the learner gives to the decisive token of a new sequence."""
    return attention_on_decisive(float(regime.signal**2 * point.q[0]), regime.L)


def free_entropy(regime: Regime, point: FixedPoint) -> float:
    """Of two fixed points the one with the larger value is the Bayes-optimal learner.

    phi = (q_k + log(1-q_k) + q_v + log(1-q_v)) / 2 + alpha E[log Z_out]
    """
    if np.any(np.isinf(point.log_lost)):
        return np.inf
    return float(
        0.5 * np.sum(point.q - point.log_lost) + point.ratio * mean_log_likelihood(regime, point)
    )


def mean_log_likelihood(regime: Regime, point: FixedPoint) -> float:
    """E[log Z_out] of one sequence."""
    a2, s2, tau = _scales(regime, point.log_lost)
    return (
        mean_log_sum(a2, s2, regime.L)
        - 0.5 * a2
        - np.log(regime.L)
        - 0.5 * np.log(2.0 * np.pi * tau)
    )


def _scales(regime: Regime, log_lost: np.ndarray) -> tuple[float, float, float]:
    q_k, q_v = -np.expm1(-log_lost)
    tau = regime.eps**2 + np.exp(-log_lost[1])
    return float(regime.signal**2 * q_k), float(q_v / tau), float(tau)


def _settle(regime: Regime, ratio: float, start: np.ndarray) -> FixedPoint:
    """Iterate, with steps lengthened by the secant rule (Anderson's, of depth 2) as they shrink.

    Near a fold, where two fixed points meet, the residual is convex, and a secant from outside
    stops short of the nearer one: the lengthened steps do not jump over it.
    """
    x, growths = start, 0
    history: list[tuple[np.ndarray, np.ndarray]] = []
    for count in range(_STEPS):
        residual = step(regime, ratio, x) - x
        size = np.abs(residual).max()
        if size < _TOLERANCE * max(1.0, count / _PATIENCE) ** 4:
            return FixedPoint(ratio, x + residual, count)
        if regime.eps == 0.0 and x[1] > _FOUND:
            return _exactly_found(regime, ratio, count)
        if history and size > np.abs(history[-1][1]).max():
            history, growths = [], growths + 1
        else:
            growths = 0
        history = [*history[-2:], (x, residual)]
        if size > _CAREFUL:
            move = residual
        elif growths > 1:  # leaving a bottleneck, ever faster
            move = residual * min(2.0 ** (growths - 1), _CAREFUL / size)
        else:
            move = _lengthened(history)
        x = x + (move if np.all(x + move >= 0.0) else residual)
    raise ValueError(
        f"`ratios` must keep away from a jump of the curve by more than rounding, got {ratio},"
        f" where {_STEPS} steps did not settle; move it by a millionth."
    )


def _exactly_found(regime: Regime, ratio: float, steps: int) -> FixedPoint:
    """q_v = 1: every answer then tells its location."""
    return FixedPoint(ratio, np.array([np.log1p(ratio * regime.signal**2), np.inf]), steps)


def _lengthened(history: list[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    """The step to where the secant through the last points has no residual."""
    residual = history[-1][1]
    if len(history) < 2:
        return residual
    places, residuals = (np.stack(part, axis=1) for part in zip(*history, strict=True))
    moves, changes = np.diff(places), np.diff(residuals)
    share = np.linalg.lstsq(changes, residual, rcond=1e-4)[0]
    move = residual - (moves + changes) @ share
    move *= min(1.0, _LONGEST * np.linalg.norm(residual) / np.linalg.norm(move))
    return move if move @ residual > 0.0 else residual
