"""Starts: keys from moments of the data, whose sign and scale the objective decides, then random.

    v0  from the ridge regression of y on bag means:   E[Y sum_l X_l]          is proportional to v
    k0  from S^-1 sum_i y_i sum_l (z_il.v0) z_il:      E[Y sum_l (X_l.v) X_l]  is proportional to k

with z centred and S the covariance of instances. The first never failed in a pilot; random ones
sometimes localise nothing.
"""

from collections.abc import Callable, Iterator

import numpy as np

from soloc.estimators.coefficients import Coefficients
from soloc.estimators.fitting import short_fit, subset
from soloc.estimators.instances import Instances
from soloc.estimators.mean_pool import MeanPool
from soloc.estimators.objectives.data import Data
from soloc.estimators.objectives.objective import Objective
from soloc.estimators.objectives.squared import SquaredLoss

SHORT = 5  # iterations by which starts are compared
START_BAGS = 700  # bags on which starts are compared
LOGITS = 4.0  # slope of the logit per unit of least-squares slope at even odds
MIDDLE, OTHER_SCALES = 1.5, (0.5, 4.0)  # standard deviations of the scores over instances
COVARIANCE_ROWS = 20  # instances per feature from which the covariance is estimated


def number_starts(
    data: Data,
    losses: dict[str, type[Objective]],
    pooled: MeanPool,
    n_starts: int,
    rng: np.random.Generator,
    tol: float,
) -> dict[str, Coefficients]:
    """For each loss the start that it likes best after a few iterations, on some of the bags.

    The squared loss compares every start; the others begin where it ended and at the first
    (moment) start.
    """
    small = subset(data, START_BAGS, rng)
    squared = SquaredLoss(small)
    found: list[tuple[float, Coefficients]] = []
    moment: list[Coefficients] = []
    for direction in start_directions(data.instances, data.y, pooled.coef, n_starts, rng):
        key = best_scale(squared.value, direction)
        moment = moment or [squared.coefficients(key)]
        solution = short_fit(squared, key, max_iter=SHORT, tol=tol)
        found.append((solution.value, squared.coefficients(solution.point)))
    if not found:  # no feature varies
        found = [(0.0, squared.coefficients(np.zeros(squared.d)))]
    best = min(found, key=lambda pair: pair[0])[1]
    return {
        name: best if kind is SquaredLoss else best_of(kind(small), [best, *moment], tol)
        for name, kind in losses.items()
    }


def class_starts(
    data: Data,
    losses: dict[str, type[Objective]],
    pooled: MeanPool,
    n_starts: int,
    rng: np.random.Generator,
    tol: float,
) -> dict[str, Coefficients]:
    """The same for classes: least squares on one-hot labels decides sign and scale of the key."""
    small = subset(data, START_BAGS, rng)
    squared = SquaredLoss(small)
    centred = data.y - data.y.mean(axis=0)
    directions = start_directions(data.instances, centred, pooled.coef, n_starts, rng)
    keys = [best_scale(squared.value, direction) for direction in directions]
    found = [as_logits(squared.coefficients(key)) for key in keys or [np.zeros(squared.d)]]
    return {name: best_of(kind(small), found, tol) for name, kind in losses.items()}


def best_of(objective: Objective, candidates: list[Coefficients], tol: float) -> Coefficients:
    """The candidate that the objective likes best after a few iterations, with these made."""
    found = [
        short_fit(objective, objective.point(candidate), max_iter=SHORT, tol=tol)
        for candidate in candidates
    ]
    return objective.coefficients(min(found, key=lambda solution: solution.value).point)


def as_logits(found: Coefficients) -> Coefficients:
    """Coefficients of least squares as those whose values are logits."""
    context = None if found.context is None else LOGITS * found.context
    intercept = LOGITS * np.asarray(found.intercept)
    return Coefficients(found.key, LOGITS * found.value, context, intercept)


def start_directions(
    instances: Instances, y: np.ndarray, slope: np.ndarray, count: int, rng: np.random.Generator
) -> Iterator[np.ndarray]:
    """`count` key directions, each with scores of unit standard deviation over the instances.

    `slope` is that of the mean-pool ridge, `y` the centred labels, both with outputs last if any.
    """
    whiten = instance_whitener(instances)
    moment = second_moment(instances, y, slope)
    outputs = slope.reshape(len(slope), -1)
    candidates = [whiten(moment), outputs[:, np.argmax((outputs**2).sum(axis=0))]]
    candidates += [rng.standard_normal(len(slope)) for _ in range(count - 2)]
    for candidate in candidates[:count]:
        scores = instances.scores(candidate)
        deviation = float(scores.std(dtype=np.float64))
        if np.isfinite(deviation) and deviation > 1e-12:
            yield candidate / deviation


def best_scale(value: Callable[[np.ndarray], float], direction: np.ndarray) -> np.ndarray:
    """The direction with the sign that an objective prefers, then with the scale it prefers."""
    found = {sign * MIDDLE: value(sign * MIDDLE * direction) for sign in (1, -1)}
    sign = np.sign(min(found, key=lambda scale: found[scale]))
    found |= {sign * scale: value(sign * scale * direction) for scale in OTHER_SCALES}
    return min(found, key=lambda scale: found[scale]) * direction


def second_moment(instances: Instances, y: np.ndarray, slope: np.ndarray) -> np.ndarray:
    """sum_i y_i sum_l (z_il.v0) z_il, summed over outputs."""
    values = instances.values(slope)
    labels = np.repeat(y.astype(instances.dtype), instances.lengths, axis=0)
    per_instance = values * labels
    return instances.adjoint(per_instance if per_instance.ndim == 1 else per_instance.sum(axis=1))


def instance_whitener(instances: Instances):
    """Multiplication by the shrunk inverse covariance of evenly spaced instances."""
    d = instances.x.shape[1]
    if d > 1000:
        return lambda vector: vector
    step = max(1, instances.count // (COVARIANCE_ROWS * d))
    rows = instances.standard(slice(None, None, step))
    rows -= rows.mean(axis=0)
    covariance = rows.T @ rows / len(rows)
    covariance[np.diag_indices(d)] += (
        0.05 * max(np.trace(covariance) / d, 1e-12) + d / len(rows) * 0.05
    )
    return lambda vector: np.linalg.solve(covariance, vector)
