"""The landscape of the population risk: critical points, which minimum wins, who ends where."""

from functools import partial
from typing import Any

import jax
import numpy as np
import pandas as pd
from scipy.special import ndtri

from soloc.dynamics.critical_points import CriticalPoint, critical_points, overlaps_of
from soloc.dynamics.exact import exact_trainee
from soloc.dynamics.flow import flow_at, flow_path
from soloc.dynamics.motion import motion_of
from soloc.dynamics.records import flattened
from soloc.dynamics.starts import uniform_on_sphere
from soloc.maths.numbers import check_count
from soloc.risk.overlaps import NAMES, Overlaps
from soloc.tasks.single_location import SingleLocation

_TRUTH = np.asarray([1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0])  # coordinates of k = k*, v = v*
_OPPOSED = np.asarray([1.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0])  # k = k*, v = -v*
_FLIP = np.asarray([-1.0, -1.0, -1.0, -1.0, 1.0])  # the overlaps of (-k, -v)
_AT_TRUTH = Overlaps(1.0, 1.0)
_LONGEST = 1e6  # time after which a flow is taken as it is


def landscape(
    task: SingleLocation, weight: Any, *, starts: int = 200, seed: int = 0
) -> pd.DataFrame:
    """All critical points found from `starts` random points and the truth, lowest risk first.

    One row each. Columns: the overlaps, risk, name, kind (minimum, saddle, maximum, or degenerate
    where the risk is flat to rounding), the number of descending directions in R^d x R^d, the
    smallest nonzero eigenvalue (`rate`) and the spectrum of the Hessian: values within the
    frame of (k*, v*, k, v), and `outside`, two values that count d - 4 times each.
    """
    points = find_points(task, weight, starts=starts, seed=seed)
    rows = [
        dict(zip(NAMES, point.overlaps, strict=True))
        | {"risk": point.risk + float(task.eps) ** 2, "name": _name(point), "kind": point.kind}
        | {
            "descending": point.descending,
            "rate": point.rate,
            "spectrum": point.spectrum,
            "outside": point.outside,
        }
        for point in points
    ]
    return pd.DataFrame(rows)


def find_points(
    task: SingleLocation, weight: Any, *, starts: int = 200, seed: int = 0
) -> list[CriticalPoint]:
    """The critical points themselves."""
    check_count("starts", starts)
    trained = exact_trainee(task, weight, _AT_TRUTH)
    if any(np.ndim(x) for x in jax.tree.leaves(trained.leaves)):
        raise ValueError(
            "`task` and `weight` must hold single numbers to have one landscape, got arrays: call"
            " it for each."
        )
    random = np.random.default_rng(seed).normal(size=(starts, 8))
    # half of them close to orthogonal to the truth, as in high dimension
    random[starts // 2 :, [0, 1, 4, 5]] *= 0.1
    begin = np.concatenate([[_TRUTH, -_TRUTH, _OPPOSED, -_OPPOSED], random, -random])
    return critical_points(flattened(trained, ()), begin, float(task.d))


def name_of(overlaps: np.ndarray) -> str:
    """Solution near +-(k*, v*), swapped where k is near +-v* and does not see k*, else other."""
    kappa, nu, _, eta, _ = np.abs(overlaps)
    if kappa * nu > 0.9 and overlaps[0] * overlaps[1] > 0.0:
        return "solution"
    return "swapped" if eta > 0.9 and kappa < 0.1 and nu < 0.1 else "other"


def _name(point: CriticalPoint) -> str:
    return "other" if point.kind in ("saddle", "maximum") else name_of(point.overlaps)


def swap_lam(
    task: SingleLocation, weight: Any, *, between: tuple[float, float] = (0.02, 1.0)
) -> float:
    """The lam below which the swapped minimum has the lower risk, and the truth is not global.

    The swapped minimum at a lam is where the flow ends that starts at k = v*, v half way between k*
    and the rest.
    """
    from scipy.optimize import brentq  # here: a third of a second to import, which most never need

    def advantage(lam: float) -> float:
        at = weight.with_lam(lam)
        swapped = limits(task, at, Overlaps(0.0, 0.0, 0.7, 1.0, 0.0))
        both = np.stack([overlaps_of(_TRUTH), [float(x) for x in swapped]], axis=1)
        truth, other = exact_trainee(task, at, swapped).excess(lam, both)
        return float(truth - other)

    low, high = between
    if not advantage(low) > 0.0 > advantage(high):
        raise ValueError(
            "`between` must enclose the crossing: the swapped minimum wins at neither or both of"
            f" {low} and {high}."
        )
    return float(brentq(advantage, low, high, xtol=1e-7))


def limits(
    task: SingleLocation, weight: Any, start: Overlaps, *, tolerance: float = 1e-7
) -> Overlaps:
    """Where the gradient flow from `start` ends: followed until its speed is below `tolerance`."""
    trained = exact_trainee(task, weight, start)
    velocity = partial(flow_at, motion_of(type(start)), trained.slopes, trained.layout)
    time, end = 30.0, start
    while True:
        end = flow_path(task, weight, end, until=time, records=1).final
        y = np.stack([np.ravel(x) for x in end], axis=1)
        shape = np.shape(end.kappa)
        lam = np.broadcast_to(np.asarray(weight.lam, dtype=float), shape).ravel()
        with jax.enable_x64(True):
            speed = np.abs(np.asarray(velocity(y, lam, *flattened(trained, shape).leaves))).max()
        if speed < tolerance or time > _LONGEST:
            return Overlaps.unchecked(*end)
        time *= 4.0


def shares(task: SingleLocation, weight: Any, key: jax.Array, *, runs: int = 1000) -> pd.DataFrame:
    """The share of uniform starts on the sphere whose flow ends at each critical point.

    With 95 % Wilson intervals. Points that differ only by the sign of (k, v), or by that of
    (v, v*), count as one.
    """
    points = find_points(task, weight)
    ends = limits(task, weight, uniform_on_sphere(task.d, runs, key))
    five = np.stack([np.asarray(x) for x in ends], axis=1)
    classes: list[CriticalPoint] = []
    for point in points:
        if not any(
            _same_up_to_sign(point.overlaps, other.overlaps[None]).any() for other in classes
        ):
            classes.append(point)
    counts = [int(_same_up_to_sign(point.overlaps, five).sum()) for point in classes]
    rows = [
        dict(zip(NAMES, np.abs(point.overlaps), strict=True))
        | {
            "name": _name(point),
            "kind": point.kind,
            "risk": point.risk + float(task.eps) ** 2,
            "runs": count,
        }
        | dict(zip(("share", "low", "high"), wilson(count, runs), strict=True))
        for point, count in zip(classes, counts, strict=True)
        if count > 0
    ]
    if sum(counts) < runs:
        left = runs - sum(counts)
        rows.append(
            {"name": "unfinished", "runs": left}
            | dict(zip(("share", "low", "high"), wilson(left, runs), strict=True))
        )
    return pd.DataFrame(rows)


def _same_up_to_sign(overlaps: np.ndarray, five: np.ndarray) -> np.ndarray:
    """Which rows of `five` are the point or a sign image, as precisely as a finished flow is."""
    mirror = np.asarray([1.0, 1.0, -1.0, -1.0, -1.0])
    images = [overlaps, overlaps * _FLIP, overlaps * mirror, overlaps * _FLIP * mirror]
    near = [np.abs(five - image).max(axis=1) < 1e-3 for image in images]
    return np.asarray(np.any(near, axis=0))


def wilson(count: int, n: int, level: float = 0.95) -> tuple[float, float, float]:
    """Share with its Wilson (1927) score interval: share, low, high."""
    z = float(ndtri(0.5 + 0.5 * level))
    share = count / n
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return share, max(0.0, centre - float(half)), min(1.0, centre + float(half))
