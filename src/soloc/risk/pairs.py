"""The pairs of task and predictor that have a risk, those that soloc brings and those of a user."""

from typing import Any

# importing a file of risks registers its pairs
import soloc.risk.max_location
import soloc.risk.several_heads
import soloc.risk.single_location  # noqa: F401
from soloc.predictors.weight import Weight
from soloc.risk.own_weight import refuse_rough
from soloc.risk.registry import PAIRS, PairRisk


def find(task: Any, predictor: Any) -> PairRisk:
    """The risk of this task and predictor, by their classes and those they inherit from."""
    for kind in type(task).__mro__:
        for guess in type(predictor).__mro__:
            if (kind, guess) in PAIRS:
                return PAIRS[kind, guess]
    if not isinstance(predictor, Weight) and not any(
        isinstance(predictor, risk.predictor) for risk in PAIRS.values()
    ):
        raise TypeError(_no_weight(predictor))
    raise TypeError(
        "`task` and `predictor` must be a pair whose risk is known, got"
        f" {type(task).__name__} with {type(predictor).__name__}; known are"
        f" {', '.join(risk.pair for risk in PAIRS.values())}. monte_carlo_risk serves every pair"
        " and gives its error."
    )


def find_exact(task: Any, predictor: Any, state: Any) -> PairRisk:
    """The same, refused where the risk is only simulated or the state is of another kind."""
    risk = find(task, predictor)
    if risk.excess is None:
        exact = ", ".join(other.pair for other in PAIRS.values() if other.excess is not None)
        raise TypeError(
            f"`weight` must have an exact population risk, got {type(predictor).__name__}; known"
            f" are {exact}. Take excess_risk and its error, or train on samples with sgd_path."
        )
    check_state(risk, state)
    refuse_rough(predictor)
    return risk


def check_state(risk: PairRisk, state: Any) -> None:
    """Refuse a state of another kind than the pair brings."""
    if not isinstance(state, risk.state):
        raise TypeError(
            f"`state` must be `{risk.state.__name__}` for {risk.pair}, got {type(state).__name__}."
        )


def _no_weight(predictor: Any) -> str:
    if callable(predictor):
        name = getattr(predictor, "__name__", "function")
        name = name if name.isidentifier() else "lambda x: x**3"
        return (
            "`weight` must be one of soloc's weights, got a bare function; write"
            f" Pointwise.of({name}, lam=1.0)."
        )
    return f"`weight` must be one of soloc's weights, such as Erf(lam=0.1), got {predictor!r}."
