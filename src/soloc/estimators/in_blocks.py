"""Objectives of bags that stay on disk: each evaluation is a pass over blocks in memory.

An objective is a mean over bags plus a penalty that is linear in alpha. With alpha shared out by
weight, the whole is the weighted mean of what the blocks say. Only the squared loss, whose inner
problem sees all bags at once, has sums of its own to hand on: one pass for them, one for the slope.
"""

from collections.abc import Iterator
from functools import reduce
from operator import add

import numpy as np

from soloc.estimators.coefficients import Coefficients
from soloc.estimators.fitting import Fittable
from soloc.estimators.objectives.data import Data
from soloc.estimators.objectives.likelihood import metric_bags
from soloc.estimators.objectives.objective import Objective
from soloc.estimators.objectives.squared import (
    Products,
    SquaredLoss,
    as_coefficients,
    gauss_newton,
    penalised,
)
from soloc.estimators.ridge import Ridge, Sums, solved_from, sums_of
from soloc.estimators.solver import Inverse


def whole(kind: type[Objective], data: Data) -> Fittable:
    """The objective of all bags, in blocks where they are on disk."""
    if not data.on_disk:
        return kind(data)
    return SquaredInBlocks(data) if issubclass(kind, SquaredLoss) else MeanOfBlocks(kind, data)


class MeanOfBlocks:
    """An objective that is a mean over bags; its metric is estimated from a few of them."""

    def __init__(self, kind: type[Objective], data: Data) -> None:
        self.kind, self.data, self.total = kind, data, float(data.weights.sum())
        few = data.loaded(metric_bags(data.instances, data.weights))
        self.few = kind(few._replace(alpha=data.alpha * self._share(few)))

    def point(self, coefficients: Coefficients) -> np.ndarray:
        """All that is searched, as one vector."""
        return self.few.point(coefficients)

    def coefficients(self, point: np.ndarray) -> Coefficients:
        """The vector as coefficients."""
        return self.few.coefficients(point)

    def metric(self, point: np.ndarray) -> Inverse | None:
        """That of a few bags."""
        return self.few.metric(point)

    def __call__(self, point: np.ndarray) -> tuple[float, np.ndarray]:
        """Objective and gradient: one pass over the blocks."""
        value, gradient = 0.0, np.zeros_like(point)
        for block in self.data.blocks():
            share = self._share(block)
            if share > 0:
                objective = self.kind(block._replace(alpha=self.data.alpha * share))
                block_value, block_gradient = objective(point)
                value += share * block_value
                gradient += share * block_gradient
        return value, gradient

    def _share(self, block: Data) -> float:
        return float(block.weights.sum()) / self.total


class SquaredInBlocks:
    """The squared loss by variable projection, from sums over blocks."""

    def __init__(self, data: Data) -> None:
        self.data = data

    def point(self, coefficients: Coefficients) -> np.ndarray:
        """All that is searched: the key."""
        return coefficients.key

    def __call__(self, point: np.ndarray) -> tuple[float, np.ndarray]:
        """Objective and gradient at k: two passes."""
        solved, squares, slope = self._solved(point, self.data.alpha), 0.0, np.zeros_like(point)
        for part, attention, pooled in self._pooled(point):
            block_squares, block_slope = part.squares(attention, pooled, solved)
            squares, slope = squares + block_squares, slope + block_slope
        return penalised(self.data, point, solved, squares, slope)

    def metric(self, point: np.ndarray) -> Inverse:
        """Inverse of the Gauss-Newton Hessian: two passes."""
        solved = self._solved(point, self.data.alpha)
        found = reduce(plus, (part.products(a, p, solved) for part, a, p in self._pooled(point)))
        return gauss_newton(self.data, found)

    def coefficients(self, point: np.ndarray) -> Coefficients:
        """The solution at k: two passes."""
        alpha = self.data.alpha if self.data.value_alpha is None else self.data.value_alpha
        solved = self._solved(point, alpha)
        error = sum(part.error(pooled, solved) for part, _, pooled in self._pooled(point))
        return as_coefficients(self.data, point, solved, error)

    def _solved(self, key: np.ndarray, alpha: float) -> Ridge:
        """The inner problem, from sums over blocks."""
        sums: Iterator[Sums] = (
            sums_of(part.features(pooled), part.y, part.weights)
            for part, _, pooled in self._pooled(key)
        )
        return solved_from(reduce(add, sums), alpha, self.data.fit_intercept)

    def _pooled(self, key: np.ndarray) -> Iterator[tuple[SquaredLoss, np.ndarray, np.ndarray]]:
        for block in self.data.blocks():
            part = SquaredLoss(block)
            yield part, *part.pooled(key)


def plus(one: Products, other: Products) -> Products:
    """The products of two blocks together."""
    return Products(*(mine + theirs for mine, theirs in zip(one, other, strict=True)))
