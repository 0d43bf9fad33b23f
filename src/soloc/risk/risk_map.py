"""The risk over the alignments (kappa, nu), on a slice of the other overlaps: a map to look at."""

from typing import Any, NamedTuple

import numpy as np

from soloc.risk.overlaps import Overlaps, residual_gram
from soloc.risk.population import excess_or_infinity
from soloc.tasks.single_location import SingleLocation


class RiskMap(NamedTuple):
    """Rows by nu, columns by kappa."""

    risk: np.ndarray  #: NaN where it is not possible, and beyond all doubles
    possible: np.ndarray  #: where unit vectors can have these overlaps


def risk_map(
    task: SingleLocation,
    weight: Any,
    axis: np.ndarray,
    theta: float = 0.0,
    eta: float = 0.0,
    rho: float = 0.0,
) -> RiskMap:
    """The exact population risk at every pair of `axis`, with the other overlaps held.

    v* enters the risk through E[T Y] alone, so the risk is affine in nu: exact values at the two
    ends of what nu can be give all between them, as positive mixtures, and nothing cancels.
    """
    left_k, left_v, cross = residual_gram(axis[None, :], axis[:, None], theta, eta, rho)
    possible = (left_k >= 0.0) & (left_v >= 0.0) & (left_k * left_v >= cross**2)
    risk = np.full(possible.shape, np.nan)
    columns = np.flatnonzero(possible.any(axis=0))
    if not len(columns):
        return RiskMap(risk, possible)
    kappa = axis[columns]
    low, high = _ends(kappa, theta, eta, rho)
    ends = np.zeros((5, 2, len(columns)))
    ends[0], ends[1] = kappa, np.stack([low, high])
    ends[2:] = np.asarray([theta, eta, rho])[:, None, None]
    at = excess_or_infinity(task, weight, Overlaps.unchecked(*ends))
    width = high - low
    up = np.clip((axis[:, None] - low) / np.where(width > 0.0, width, 1.0), 0.0, 1.0)
    with np.errstate(over="ignore", invalid="ignore"):
        risk[:, columns] = (1.0 - up) * at[0] + up * at[1] + task.eps**2
    return RiskMap(np.where(possible & np.isfinite(risk), risk, np.nan), possible)


def _ends(kappa: np.ndarray, theta: float, eta: float, rho: float) -> tuple[np.ndarray, np.ndarray]:
    """Least and largest nu of unit vectors: where the parts of k and v outside the frame align."""
    square = 1.0 - kappa**2
    cross = rho - kappa * theta
    left = np.maximum(square - eta**2, 0.0)
    inside = square > 0.0
    safe = np.where(inside, square, 1.0)
    middle = np.where(inside, cross * eta / safe, 0.0)
    half = np.sqrt(np.maximum(left * (square * (1.0 - theta**2) - cross**2), 0.0)) / safe
    half = np.where(inside, half, np.sqrt(1.0 - theta**2))
    return middle - half, middle + half
