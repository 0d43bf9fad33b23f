"""A predictor on its task as training sees it: the risk of the pair, and the numbers it needs."""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import numpy as np

from soloc.dynamics.layout import Layout
from soloc.maths.data import core_axes
from soloc.predictors.pointwise import is_own
from soloc.predictors.weight import Weight
from soloc.risk.overlaps import Overlaps
from soloc.risk.own_weight import refuse_no_number
from soloc.risk.pairs import find, find_exact
from soloc.risk.population import excess_or_infinity
from soloc.risk.registry import PairRisk, Slopes


class Trainee(NamedTuple):
    """What is trained. Its leaves may hold one entry for every run."""

    risk: PairRisk
    slopes: Slopes | None  #: None where the risk is only simulated
    layout: Layout  #: of its states
    numbers: Any  #: of the task
    predictor: Any

    def without_lam(self) -> "Trainee":
        """The same, its lam left to a schedule."""
        return self._replace(predictor=self.predictor.with_lam(0.0))

    @property
    def leaves(self) -> tuple[Any, Any]:
        """What holds numbers."""
        return self.numbers, self.predictor

    def mapped(self, function: Callable[[Any, int], Any]) -> "Trainee":
        """The same with `function(leaf, axes)` on every leaf, whose last axes are one entry."""
        leaves, structure = jax.tree.flatten(self.leaves)
        new = map(function, leaves, core_axes(structure))
        numbers, predictor = jax.tree.unflatten(structure, new)
        return self._replace(numbers=numbers, predictor=predictor)

    def excess(self, lam: Any, rows: np.ndarray) -> np.ndarray:
        """Risk above the noise at lam (...) and states given by their rows (size, ...).

        Not finite where it exceeds the largest double: for maps and records.
        """
        assert self.risk.excess is not None
        predictor = self.predictor.with_lam(np.asarray(lam, dtype=float))
        found = np.asarray(self.risk.excess(self.numbers, predictor, self.layout.state(rows)))
        refuse_no_number(predictor, found)
        return found


def trainee(task: Any, predictor: Any) -> Trainee:
    """A predictor with the exact risk that it has on a task; others can be trained on samples."""
    risk = find(task, predictor)
    if isinstance(predictor, Weight) and not predictor.position_free:
        raise ValueError(
            "`weight` must not depend on the position to have dynamics in overlaps, got"
            f" {type(predictor).__name__}. Train it in full dimension with"
            " soloc.dynamics.full_dimension.vectors_path."
        )
    slopes = None if risk.excess is None else risk.slopes(task, predictor)
    return Trainee(risk, slopes, _FIVE, risk.numbers(task), predictor)


_FIVE = Layout.of(Overlaps(0.0, 0.0))


def exact_trainee(task: Any, predictor: Any, start: Any) -> Trainee:
    """The same, refused unless the pair has an exact risk of states such as `start`."""
    trained = trainee(task, predictor)
    find_exact(task, predictor, start)
    if is_own(predictor):
        excess_or_infinity(task, predictor, start)  # refused where it cannot be integrated
    return trained._replace(layout=Layout.of(start))
