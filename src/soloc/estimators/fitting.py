"""Fitting: from data, an objective and a start to coefficients."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, Protocol

import numpy as np

from soloc.estimators.coefficients import Coefficients
from soloc.estimators.objectives.objective import Objective
from soloc.estimators.solver import History, Inverse, Solution, minimise

EM_STEPS = 2  # steps that each have a metric of their own
RENEWAL = 40  # iterations of the quasi-Newton method in one metric


class Fittable(Protocol):
    """An objective, or the same of bags that stay on disk."""

    def point(self, coefficients: Coefficients) -> np.ndarray:
        """All that is searched, as one vector."""

    def coefficients(self, point: np.ndarray) -> Coefficients:
        """The vector as coefficients."""

    def __call__(self, point: np.ndarray) -> tuple[float, np.ndarray]:
        """Objective per bag, and its gradient."""

    def metric(self, point: np.ndarray) -> Inverse | None:
        """Multiplication by an approximate inverse Hessian."""


class Fitted(NamedTuple):
    """Coefficients and how they were reached."""

    coefficients: Coefficients
    history: History


def fit_objective(
    objective: Fittable,
    start: Coefficients,
    *,
    max_iter: int,
    tol: float,
    em_steps: int = EM_STEPS,
    progress: Callable[[History], Any] | None = None,
) -> Fitted:
    """EM steps, each in a fresh metric, then L-BFGS in one that is renewed now and then.

    For the squared loss the metric is that of Gauss-Newton.
    """
    point = objective.point(start)
    total = History()
    while not total.converged and total.iterations < max_iter:
        left = max_iter - total.iterations
        size = 1 if total.iterations < em_steps and left > 1 else min(RENEWAL, left)
        watch = None if progress is None else partial(report, progress, total)
        solution = minimise(
            objective, point, objective.metric(point), max_iter=size, tol=tol, progress=watch
        )
        stuck = solution.history.iterations == 0 and not solution.history.converged
        point, total = solution.point, total.followed_by(solution.history)
        if stuck:
            break
    if not total.converged and total.iterations >= max_iter:
        total.reason = f"`max_iter` = {max_iter} was reached"
    if progress is not None and total.iterations == 0:  # nothing was left to gain
        progress(total)
    return Fitted(objective.coefficients(point), total)


def report(progress: Callable[[History], Any], before: History, now: History) -> None:
    """Tell `progress` the whole history, although the solver knows only its own part."""
    progress(before.followed_by(now))


def short_fit(objective: Objective, point: np.ndarray, *, max_iter: int, tol: float) -> Solution:
    """A few iterations in one metric: enough to compare starts."""
    return minimise(objective, point, objective.metric(point), max_iter=max_iter, tol=tol)
