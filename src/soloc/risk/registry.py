"""Exact risks by pair: which kinds of task and predictor have one, and how it is computed.

A risk belongs to the pair. A pair brings the kind of state that places the predictor against the
truth (`Overlaps` for one head), and with it dynamics can train, the command line and the lab can
ask. Where no pair is registered, `monte_carlo_risk` answers with its error.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from soloc.maths.elementwise import Elementwise


class Watched(NamedTuple):
    """The risk beside its slopes, and alone; called as `Slopes.at`."""

    both: Callable[[Any, Any, Any, Any], tuple[Any, Any]]  #: slopes, value
    value: Callable[[Any, Any, Any, Any], Any]


class Slopes(NamedTuple):
    """How to get the slopes of a risk in its state.

    `table(lam, numbers)` prepares many steps at once from lam of shape (steps, runs);
    `at(state, numbers, predictor, row)` is given one row of it and answers with slopes that have
    the form of a state. With `watched` every step is halved until the risk does not rise. Slopes
    that are `arithmetic` on few numbers allow steps in one function of machine code.
    """

    table: Callable[[Any, Any], Any]
    at: Callable[[Any, Any, Any, Any], Any]
    watched: Watched | None = None
    arithmetic: bool = False


@dataclass(frozen=True, eq=False)
class PairRisk:
    """The risk of a pair, above the noise that no predictor removes.

    `excess(numbers, predictor, state)` is elementwise; `numbers(task)` are those of the task on
    which it depends. A risk without `excess` is only simulated.
    """

    task: type
    predictor: type
    state: type
    excess: Elementwise | None
    log_excess: Elementwise | None
    numbers: Callable[[Any], Any]
    noise: Callable[[Any], Any]
    closed_slopes: Callable[[Any, Any], Slopes | None]
    simulate: Callable[..., Any] | None

    def slopes(self, task: Any, predictor: Any) -> Slopes:
        """Slopes by hand where they are closed, by differentiating the exact risk elsewhere."""
        return self.closed_slopes(task, predictor) or self._differentiated

    @cached_property
    def _differentiated(self) -> Slopes:
        assert self.excess is not None
        formula = self.excess.formula

        def total(state: Any, numbers: Any, predictor: Any, lam: Any) -> jax.Array:
            return jnp.sum(formula(numbers, predictor.with_lam(lam), state))

        return Slopes(table=lambda lam, numbers: lam, at=jax.grad(total))

    @property
    def pair(self) -> str:
        """The pair in words."""
        return f"{self.task.__name__} with {self.predictor.__name__}"


PAIRS: dict[tuple[type, type], PairRisk] = {}


def register(
    task: type,
    predictor: type,
    *,
    state: type,
    excess: Callable[..., Any] | None = None,
    log_excess: Callable[..., Any] | None = None,
    numbers: Callable[[Any], Any] = lambda task: task,
    noise: Callable[[Any], Any] = lambda task: task.eps**2,
    closed_slopes: Callable[[Any, Any], Slopes | None] = lambda task, predictor: None,
    simulate: Callable[..., Any] | None = None,
) -> PairRisk:
    """Say how a kind of task and a kind of predictor have their risk; subclasses inherit it.

    Parameters
    ----------
    task, predictor, state : classes that JAX can take apart (`soloc.maths.data.Data`).
    excess : `excess(numbers, predictor, state)`, the population risk above the noise, of NumPy and
        of JAX arrays that broadcast. Gradient, training and default JAX mode follow from it.
    log_excess : its logarithm, where the excess itself underflows.
    numbers : what of a task the excess depends on; the task itself when not given.
    noise : the risk that no predictor removes.
    closed_slopes : slopes for training, where they are cheaper than differentiating.
    simulate : `simulate(task, predictor, state, key, samples)` -> `Estimate`, without `excess`.
    """
    if (task, predictor) in PAIRS:
        raise ValueError(
            f"`task` and `predictor` must be a new pair, got {PAIRS[task, predictor].pair};"
            " subclass one of them."
        )
    risk = PairRisk(
        task,
        predictor,
        state,
        _elementwise(excess),
        _elementwise(log_excess),
        numbers,
        noise,
        closed_slopes,
        simulate,
    )
    PAIRS[task, predictor] = risk
    return risk


def _elementwise(function: Callable[..., Any] | None) -> Elementwise | None:
    return (
        function if function is None or isinstance(function, Elementwise) else Elementwise(function)
    )
