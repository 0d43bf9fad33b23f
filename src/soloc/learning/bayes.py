"""The learning curve of the Bayes-optimal learner [replica; AMP agrees], and what it asks of data.

The optimal prediction is softmax attention with the posterior means of k and v, and its risk is

    R = eps^2 + 1 - q_v F0(m^2 q_k, L)

at the fixed point of `state_evolution`. Two fixed points are two phases: AMP stops at the lower
one, the free entropy says which is optimal, and where they differ learning is hard.
"""

from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from soloc.learning.baselines import known_location_fixed_points, known_location_ratio
from soloc.learning.regime import Regime, ratios_of, regime_of
from soloc.learning.responsibility import attention_on_decisive, responsibility
from soloc.learning.state_evolution import FixedPoint, free_entropy, informed, uninformed
from soloc.maths.numbers import check_real
from soloc.tasks.single_location import SingleLocation

UNINFORMED, INFORMED, KNOWN = "uninformed", "informed", "known location"
_DIFFERENT = 1e-3  # overlaps closer than this are one fixed point
_AT_A_JUMP = 1e-5  # relative precision of n/d in `samples_for` where the curve jumps
_JUMP = 1e-3  # of the risk
_MOST_SAMPLES = 1e9  # per dimension


def bayes_curve(task: SingleLocation, ratios: Any) -> pd.DataFrame:
    """Risk of the Bayes-optimal learner against n/d, in the limit n, d -> infinity.

    Parameters
    ----------
    task : its `signal` (given), `L`, `gamma` and `eps` count, its dimension does not.
    ratios : values of n/d, 0 and infinity included.

    Returns
    -------
    One row per ratio with `samples_per_dimension`, the overlaps `q_k`, `q_v`, the `risk`, the
    `mass` of attention on the decisive token, the `start`, the `free_entropy` and whether the row
    is `optimal`. The rows of the uninformed start come first; those of the informed one follow for
    the ratios where it ends elsewhere. For gamma != 1 the norms of tokens tell the location, and
    `start` says so.
    """
    regime, wanted = regime_of(task), ratios_of(ratios)
    if regime.gamma != 1.0:
        return _known(regime, wanted)
    points: dict[str, dict[float, FixedPoint]] = {UNINFORMED: {}, INFORMED: {}}
    point: FixedPoint | None = None
    for ratio in sorted(set(wanted[np.isfinite(wanted)])):
        point = points[UNINFORMED][ratio] = uninformed(regime, ratio, point)
    point = None
    for ratio in sorted(points[UNINFORMED], reverse=True):
        point = points[INFORMED][ratio] = informed(regime, ratio, point)
    rows = [_row(regime, ratio, UNINFORMED, points[UNINFORMED].get(ratio)) for ratio in wanted]
    for place, ratio in enumerate(wanted):
        if np.isinf(ratio):
            continue
        low, high = (points[start][ratio] for start in (UNINFORMED, INFORMED))
        if np.abs(high.q - low.q).max() > _DIFFERENT:
            other = _row(regime, ratio, INFORMED, high)
            other["optimal"] = other["free_entropy"] > rows[place]["free_entropy"]
            rows[place]["optimal"] = not other["optimal"]
            rows.append(other)
    return pd.DataFrame(rows)


def samples_for(
    task: SingleLocation, risk: float, start: Literal["uninformed", "informed"] = "uninformed"
) -> float:
    """The smallest n/d at which the Bayes-optimal learner has this risk.

    `start="uninformed"` asks for what AMP reaches, `"informed"` for the branch next to the truth.
    """
    regime = regime_of(task)
    check_real("risk", risk, "a finite number")
    if start not in (UNINFORMED, INFORMED):
        raise ValueError(f"`start` must be 'uninformed' or 'informed', got {start!r}.")
    null = regime.eps**2 + regime.gamma**2
    least = regime.eps**2
    if regime.gamma == 1.0:
        least = null - attention_on_decisive(regime.signal**2, regime.L)
    if not least < risk < null:
        raise ValueError(
            f"`risk` must lie between {least:.6g}, which no amount of data beats, and {null:.6g},"
            f" which needs none, got {risk:g}."
        )
    if regime.gamma != 1.0:
        return known_location_ratio(regime, risk)
    return _first_ratio_below(regime, risk, start)


class Tails(NamedTuple):
    """Coefficients of d/n, as data grow: of 1 - q_k, of 1 - q_v and of the risk above its limit."""

    key: float
    value: float
    risk: float


def tails(task: SingleLocation) -> Tails:
    """The scaling law 1 - q_k ~ key d/n, 1 - q_v ~ value d/n, R - R(infinity) ~ risk d/n."""
    regime = regime_of(task)
    if regime.signal == 0.0:
        raise ValueError("`signal` must be positive for the key to be learned, got 0.")
    m2, noise = regime.signal**2, regime.eps**2
    if regime.gamma != 1.0:
        return Tails(regime.gamma**2 / m2, noise / regime.gamma**2, noise)
    if noise == 0.0:
        key, value = 1.0 / m2, 0.0
    else:
        found = responsibility(m2, 1.0 / noise, regime.L)
        key, value = 1.0 / (m2 * found.mean), noise / found.with_square
    mass, slope = _mass_and_slope(m2, regime.L)
    return Tails(key, value, mass * value + m2 * slope * key)


def _mass_and_slope(a2: float, L: int) -> tuple[float, float]:
    """F0 and its derivative in a^2, by differences of fourth order."""
    h = 0.01 * min(a2, 1.0)
    ahead, behind, far, back = (
        attention_on_decisive(a2 + j * h, L) for j in (1.0, -1.0, 2.0, -2.0)
    )
    slope = (8.0 * (ahead - behind) - (far - back)) / (12.0 * h)
    return attention_on_decisive(a2, L), slope


def _row(regime: Regime, ratio: float, start: str, point: FixedPoint | None) -> dict[str, Any]:
    """A row at a fixed point, or at the limit of all data when there is none."""
    q_k, q_v = (1.0, 1.0) if point is None else map(float, point.q)
    mass = attention_on_decisive(regime.signal**2 * q_k, regime.L)
    return {
        "samples_per_dimension": ratio,
        "q_k": q_k,
        "q_v": q_v,
        "risk": regime.eps**2 + 1.0 - q_v * mass,
        "mass": mass,
        "start": start,
        "free_entropy": np.nan if point is None else free_entropy(regime, point),
        "optimal": True,
    }


def _known(regime: Regime, ratios: np.ndarray) -> pd.DataFrame:
    q_k, q_v = known_location_fixed_points(regime, ratios)
    return pd.DataFrame(
        {
            "samples_per_dimension": ratios,
            "q_k": q_k,
            "q_v": q_v,
            "risk": regime.eps**2 + regime.gamma**2 * (1.0 - q_v),
            "mass": 1.0,
            "start": KNOWN,
            "free_entropy": np.nan,
            "optimal": True,
        }
    )


def _first_ratio_below(regime: Regime, risk: float, start: str) -> float:
    """Bisection in log(n/d), sharpened by secants: right also where the curve jumps over `risk`."""

    def excess(ratio: float, neighbour: FixedPoint | None) -> tuple[float, FixedPoint]:
        point = (uninformed if start == UNINFORMED else informed)(regime, ratio, neighbour)
        return _row(regime, ratio, start, point)["risk"] - risk, point

    below: FixedPoint | None = None  # at a ratio that is too small; a start for larger ones
    above: FixedPoint | None = None
    low, high = 0.0, 1.0
    low_excess, high_excess = regime.eps**2 + 1.0 - risk, -1.0
    while True:
        high_excess, point = excess(high, below if start == UNINFORMED else None)
        if high_excess <= 0.0:
            above = point
            break
        low, low_excess, below = high, high_excess, point
        high *= 4.0
        if high > _MOST_SAMPLES:
            raise ValueError(
                f"`risk` must be reachable with at most {_MOST_SAMPLES:g} samples per dimension,"
                f" got {risk:g}, which is too close to the limit of all data."
            )
    halve = False
    while high - low > (_AT_A_JUMP if low_excess - high_excess > _JUMP else 1e-12) * high:
        share = 0.5 if halve else np.clip(low_excess / (low_excess - high_excess), 0.02, 0.98)
        middle = low + share * (high - low)
        found, point = excess(middle, below if start == UNINFORMED else above)
        shrunk = (high - low) * 0.5
        if found > 0.0:
            low, low_excess, below = middle, found, point
        else:
            high, high_excess, above = middle, found, point
        halve = high - low > shrunk
        if abs(found) < 1e-12:
            return float(middle)
    return float(high)
