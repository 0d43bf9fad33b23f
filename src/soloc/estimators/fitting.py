"""Fitting a head: from a problem, a loss and an alpha to a head, and the search for a start."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from soloc.estimators.likelihood import Likelihood
from soloc.estimators.mean_pool import MeanPool
from soloc.estimators.model import Head, pooled_prediction, read
from soloc.estimators.solver import History, minimise
from soloc.estimators.squared import SquaredLoss
from soloc.estimators.starts import best_scale, start_directions
from soloc.estimators.tokens import Tokens

LOSSES: dict[str, Any] = {"squared": SquaredLoss, "likelihood": Likelihood}
EM_STEPS = 2  # steps that each have a metric of their own
RENEWAL = 40  # iterations of the quasi-Newton method in one metric
SHORT = 5  # iterations by which starts are compared
START_BAGS = 700  # bags on which starts are compared
TYPICAL_ALPHA = 0.02  # alpha per bag at which starts are compared when alpha is "auto"


class Problem(NamedTuple):
    """Bags in standard units, centred labels, and what else enters the objective."""

    tokens: Tokens
    y: np.ndarray
    context: np.ndarray | None
    fit_intercept: bool
    #: penalty of the value once the key is found; that of the search when None
    value_alpha: float | None = None

    def objective(self, loss: str, alpha: float, weights: np.ndarray) -> Any:
        """The objective of `loss` on the bags with these weights."""
        found = LOSSES[loss](self.tokens, self.y, weights, alpha, self.context, self.fit_intercept)
        if loss == "squared":
            found.value_alpha = self.value_alpha
        return found

    def predict(self, head: Head, loss: str) -> np.ndarray:
        """Prediction of each bag in standard units; both losses predict the pooled value."""
        return pooled_prediction(read(head, self.tokens, self.context), self.tokens)

    def errors(self, predictions: np.ndarray, held: np.ndarray) -> np.ndarray:
        """Squared error of the held-out bags."""
        return (self.y[held] - predictions[held]) ** 2

    def spread(self, held: np.ndarray) -> float:
        """Error of the best constant on the held-out bags."""
        return float(np.var(self.y[held])) or 1.0

    def part(self, chosen: np.ndarray) -> "Problem":
        """The problem restricted to some bags."""
        tokens = self.tokens.part(chosen)
        return self._replace(
            tokens=tokens,
            y=self.y[chosen],
            context=None if self.context is None else self.context[chosen],
        )


class Fitted(NamedTuple):
    """A head and how it was reached."""

    head: Head
    history: History


def fit_head(
    problem: Any,
    loss: str,
    alpha: float,
    weights: np.ndarray,
    start: Head,
    *,
    max_iter: int,
    tol: float,
    em_steps: int = EM_STEPS,
    progress: Callable[[History], Any] | None = None,
) -> Fitted:
    """EM steps, each in a fresh metric, then L-BFGS in one that is renewed now and then.

    For the squared loss the metric is that of Gauss-Newton.
    """
    objective = problem.objective(loss, alpha, weights)
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
    return Fitted(objective.head(point), total)


def report(progress: Callable[[History], Any], before: History, now: History) -> None:
    """Tell `progress` the whole history, although the solver knows only its own part."""
    progress(before.followed_by(now))


def best_starts(
    problem: Problem,
    losses: list[str],
    alpha: float,
    pooled: MeanPool,
    n_starts: int,
    rng: np.random.Generator,
    tol: float,
) -> dict[str, Head]:
    """For each loss the start that its objective likes best after a few iterations, on at most
    `START_BAGS` bags.

    The squared loss compares every start; the likelihood begins where the squared loss ended and at
    the first (moment) start.
    """
    small = subset(problem, START_BAGS, rng)
    squared = small.objective("squared", alpha, np.ones(len(small.y)))
    found: list[tuple[float, Head]] = []
    moment: list[Head] = []
    for direction in start_directions(problem.tokens, problem.y, pooled.coef, n_starts, rng):
        key = best_scale(squared.value, direction)
        moment = moment or [squared.head(key)]
        solution = minimise(squared, key, squared.metric(key), max_iter=SHORT, tol=tol)
        found.append((solution.value, squared.head(solution.point)))
    if not found:  # no feature varies
        found = [(0.0, squared.head(np.zeros(problem.tokens.x.shape[1])))]
    best = min(found, key=lambda pair: pair[0])[1]
    return {
        loss: best if loss == "squared" else likelihood_start(small, alpha, [best, *moment], tol)
        for loss in losses
    }


def likelihood_start(problem: Problem, alpha: float, heads: list[Head], tol: float) -> Head:
    """The better of the heads after a few iterations on the likelihood."""
    objective = problem.objective("likelihood", alpha, np.ones(len(problem.y)))
    found = []
    for head in heads:
        point = objective.point(head)
        solution = minimise(objective, point, objective.metric(point), max_iter=SHORT, tol=tol)
        found.append((solution.value, objective.head(solution.point)))
    return min(found, key=lambda pair: pair[0])[1]


def subset(problem: Any, most: int, rng: np.random.Generator) -> Any:
    """A random part of a large problem, of at most `most` bags; the problem itself when it is
    small.
    """
    n = len(problem.y)
    if n <= 1.2 * most:
        return problem
    return problem.part(np.sort(rng.choice(n, most, replace=False)))
