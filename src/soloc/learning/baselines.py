"""Learning curves in closed form: known location, ridge regression, and the start from moments.

U(a, s) solves U = (s + U)/(s + U + a): the share of a linear signal that ridge regression of best
penalty leaves unexplained with `a` samples per dimension and noise s times the signal.
"""

from typing import Any, Literal

import numpy as np
import pandas as pd

from soloc.learning.regime import Regime, ratios_of, regime_of
from soloc.maths.numbers import check_real
from soloc.tasks.single_location import SingleLocation


def unexplained(ratio: Any, noise: Any) -> np.ndarray:
    """U(a, s), the positive root of U^2 + (a + s - 1) U = s; (0 without noise, for a >= 1)."""
    ratio, noise = np.asarray(ratio, float), np.asarray(noise, float)
    b = 1.0 - ratio - noise
    with np.errstate(invalid="ignore"):
        root = np.sqrt(b * b + 4.0 * noise)
        # the sum of two numbers of one sign, whichever b has
        out = np.where(b >= 0.0, 0.5 * (b + root), 2.0 * noise / (root - b))
    return np.where(np.isinf(ratio), 0.0, out)


def known_location_fixed_points(
    regime: Regime, ratios: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """q_k and q_v of a learner that is told the location."""
    lost_key = 1.0 / (1.0 + ratios * (regime.signal / regime.gamma) ** 2)
    return 1.0 - lost_key, 1.0 - unexplained(ratios, (regime.eps / regime.gamma) ** 2)


def known_location_ratio(regime: Regime, risk: float) -> float:
    """The n/d at which that learner has this risk."""
    noise = (regime.eps / regime.gamma) ** 2
    U = (risk - regime.eps**2) / regime.gamma**2
    return (noise + U) * (1.0 - U) / U


def known_location_curve(task: SingleLocation, ratios: Any) -> pd.DataFrame:
    """Risk against n/d of a learner that is told the location: ridge of best penalty on X_J0."""
    regime, wanted = regime_of(task), ratios_of(ratios)
    _, q_v = known_location_fixed_points(regime, wanted)
    risk = regime.eps**2 + regime.gamma**2 * (1.0 - q_v)
    return pd.DataFrame({"samples_per_dimension": wanted, "q_v": q_v, "risk": risk})


def linear_curve(
    task: SingleLocation,
    ratios: Any,
    features: Literal["sum", "concatenation"] = "sum",
    ridge: float | Literal["best"] = "best",
) -> pd.DataFrame:
    """Risk against n/d of linear regression on the tokens, at gamma = 1.

    Parameters
    ----------
    features : "sum" regresses on sum_l X_l / sqrt(L), which knows that positions are alike;
        "concatenation" on all L d numbers.
    ridge : the penalty lam of |Y - F b|^2 / n + lam |b|^2, 0 for the solution of least norm, or
        "best" for the lam of least risk at each ratio.
    """
    regime, wanted = regime_of(task), ratios_of(ratios)
    if regime.gamma != 1.0:
        raise ValueError(
            f"`gamma` must be 1 in the task of linear_curve, got {regime.gamma:g}: its closed form"
            " holds for tokens of one covariance."
        )
    if features not in ("sum", "concatenation"):
        raise ValueError(f"`features` must be 'sum' or 'concatenation', got {features!r}.")
    L = regime.L
    samples = wanted if features == "sum" else wanted / L
    left = 1.0 + regime.eps**2 - 1.0 / L  # what no linear function explains
    if isinstance(ridge, str):
        if ridge != "best":
            raise ValueError(f"`ridge` must be a number >= 0 or 'best', got {ridge!r}.")
        risk = left + unexplained(samples, L * left) / L
    else:
        check_real("ridge", ridge, "a number >= 0 or 'best'", 0.0)
        risk = _any_ridge(samples, left, L, float(ridge))
    return pd.DataFrame({"samples_per_dimension": wanted, "risk": risk})


def _any_ridge(samples: np.ndarray, left: float, L: int, ridge: float) -> np.ndarray:
    with np.errstate(divide="ignore"):
        phi = 1.0 / samples
    b = ridge + phi - 1.0
    with np.errstate(invalid="ignore", divide="ignore"):
        c = 0.5 * (b + np.sqrt(b * b + 4.0 * ridge))
        shrunk = (c / (1.0 + c)) ** 2
        risk = (left + shrunk / L) / (1.0 - phi / (1.0 + c) ** 2)
    return np.where(np.isinf(phi), left + 1.0 / L, risk)


def moment_start_curve(task: SingleLocation, ratios: Any) -> pd.DataFrame:
    """Alignment of the moment estimators k^ ~ sum X_l and v^ ~ sum Y X_l with the truth.

        cos^2(k^, k*) = alpha m^2 / (alpha m^2 + w),   w = L - 1 + gamma^2
        cos^2(v^, v*) = alpha gamma^4 / (alpha gamma^4 + w (gamma^2 + eps^2))

    They are the first iteration of AMP, in columns `cos_k` and `cos_v`.
    """
    regime, wanted = regime_of(task), ratios_of(ratios)
    g2, m2 = regime.gamma**2, regime.signal**2
    spread = regime.L - 1.0 + g2
    scale = {"cos_k": (m2, spread), "cos_v": (g2**2, spread * (g2 + regime.eps**2))}
    with np.errstate(divide="ignore"):
        columns = {
            name: np.sqrt(gain / (gain + noise / wanted)) if gain > 0 else 0.0 * wanted
            for name, (gain, noise) in scale.items()
        }
    return pd.DataFrame({"samples_per_dimension": wanted, **columns})
