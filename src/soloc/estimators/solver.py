"""The solver: L-BFGS in the metric of an approximate Hessian, with a record of how it converged."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

MEMORY = 12  # pairs kept by L-BFGS
HALVINGS = 25  # line search gives up after this many
SUFFICIENT = 1e-4  # Armijo's constant

ValueGradient = Callable[[np.ndarray], tuple[float, np.ndarray]]
Inverse = Callable[[np.ndarray], np.ndarray]


@dataclass
class History:
    """How a fit converged: objective after each iteration, in order, and why it stopped."""

    objective: list[float] = field(default_factory=list)
    evaluations: int = 0
    converged: bool = False
    reason: str = ""

    @property
    def iterations(self) -> int:
        """Steps taken."""
        return max(len(self.objective) - 1, 0)

    def followed_by(self, later: "History") -> "History":
        """This history and that of a run which began where this one ended."""
        trace = self.objective[:-1] + later.objective
        return History(trace, self.evaluations + later.evaluations, later.converged, later.reason)


class Solution(NamedTuple):
    """Where the solver stopped, its objective, and the history."""

    point: np.ndarray
    value: float
    history: History


def minimise(
    objective: ValueGradient,
    start: np.ndarray,
    inverse: Inverse | None = None,
    *,
    max_iter: int,
    tol: float,
    progress: Callable[[History], Any] | None = None,
) -> Solution:
    """L-BFGS from `start`, whose initial inverse Hessian is `inverse` (the identity when None).

    Stops when the predicted decrease of the objective falls below `tol` (1 + |objective|), or when
    two successive iterations gained less than a tenth of that.
    """
    history = History()
    point = start
    value, gradient = objective(point)
    history.evaluations, history.objective = 1, [value]
    steps: list[np.ndarray] = []
    changes: list[np.ndarray] = []
    small = 0
    for _ in range(max_iter):
        direction = -two_loop(gradient, steps, changes, inverse)
        slope = float(gradient @ direction)
        # rounding, or a metric that no longer fits: forget and follow the gradient
        if not slope < 0:
            steps, changes = [], []
            direction = -(gradient if inverse is None else inverse(gradient))
            slope = float(gradient @ direction)
        if -slope <= 2 * tol * (1 + abs(value)):
            history.converged, history.reason = True, "the predicted decrease is below `tol`"
            break
        found = line_search(objective, point, value, direction, slope, history)
        if found is None:
            if steps:  # try once more without memory before giving up
                steps, changes = [], []
                continue
            history.converged = -slope <= 1e-3 * (1 + abs(value))
            history.reason = (
                "the line search found no decrease: rounding"
                if history.converged
                else ("the line search found no decrease")
            )
            break
        new_point, new_value, new_gradient = found
        step, change = new_point - point, new_gradient - gradient
        if step @ change > 1e-10 * np.sqrt((step @ step) * (change @ change)):
            steps, changes = [*steps[1 - MEMORY :], step], [*changes[1 - MEMORY :], change]
        small = small + 1 if value - new_value <= 0.1 * tol * (1 + abs(value)) else 0
        point, value, gradient = new_point, new_value, new_gradient
        history.objective.append(value)
        if progress is not None:
            progress(history)
        if small >= 2:
            history.converged, history.reason = True, "two iterations gained less than `tol` / 10"
            break
    else:
        history.reason = f"`max_iter` = {max_iter} was reached"
    return Solution(point, value, history)


def two_loop(
    gradient: np.ndarray,
    steps: list[np.ndarray],
    changes: list[np.ndarray],
    inverse: Inverse | None,
) -> np.ndarray:
    """Inverse Hessian times gradient: the two-loop recursion around the given metric."""
    q = gradient.copy()
    coefficients = []
    for s, y in zip(reversed(steps), reversed(changes), strict=True):
        a = (s @ q) / (s @ y)
        coefficients.append(a)
        q -= a * y
    if inverse is not None:
        q = inverse(q)
        if steps:
            s, y = steps[-1], changes[-1]
            q *= min(max((s @ y) / (y @ inverse(y)), 0.05), 20.0)
    elif steps:
        s, y = steps[-1], changes[-1]
        q *= (s @ y) / (y @ y)
    else:
        q /= max(1.0, float(np.sqrt(q @ q)))
    for s, y, a in zip(steps, changes, reversed(coefficients), strict=True):
        q += (a - (y @ q) / (s @ y)) * s
    return q


def line_search(
    objective: ValueGradient,
    point: np.ndarray,
    value: float,
    direction: np.ndarray,
    slope: float,
    history: History,
) -> tuple[np.ndarray, float, np.ndarray] | None:
    """The first step of 1, then by quadratic interpolation, that decreases the objective enough."""
    size = 1.0
    for _ in range(HALVINGS):
        trial = point + size * direction
        trial_value, trial_gradient = objective(trial)
        history.evaluations += 1
        if np.isfinite(trial_value) and trial_value <= value + SUFFICIENT * size * slope:
            return trial, trial_value, trial_gradient
        curvature = trial_value - value - size * slope
        best = (
            -slope * size**2 / (2 * curvature) if np.isfinite(curvature) and curvature > 0 else 0.0
        )
        size = min(max(best, 0.1 * size), 0.5 * size)
    return None


def inverse_of(matrix: np.ndarray) -> Inverse:
    """Multiplication by the inverse of a positive matrix, with the smallest ridge it needs."""
    ridge = 1e-10 * max(float(np.trace(matrix)) / len(matrix), 1e-300)
    while True:
        try:
            raised = matrix.copy()
            raised[np.diag_indices(len(matrix))] += ridge
            factor = cho_factor(raised, lower=True, overwrite_a=True, check_finite=False)
            return lambda vector: cho_solve(factor, vector, check_finite=False)
        except LinAlgError:
            ridge *= 30
