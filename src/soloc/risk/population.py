"""The public face of risk: how wrong a predictor is on a task, by the risk of their pair."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from soloc.maths.numbers import is_concrete
from soloc.risk.estimate import Estimate
from soloc.risk.own_weight import refuse_no_number, refuse_rough
from soloc.risk.pairs import check_state, find, find_exact


def population_risk(
    task: Any,
    predictor: Any,
    state: Any,
    *,
    key: jax.Array | None = None,
    samples: int | None = None,
) -> Any:
    """E[(Y - T(X))^2] of a predictor T placed against the truth by `state`.

    For one head, T(X) = sum_l weight_l X_l . v and the state is the `Overlaps` of k and v. Exact
    for component-wise weights and normalised kernels, at a cost that depends on neither d nor L,
    and differentiable by JAX. For the other weights an `Estimate` from `samples` simulated score
    sequences, drawn with `key`.
    """
    excess = excess_risk(task, predictor, state, key=key, samples=samples)
    noise = find(task, predictor).noise(task)
    if isinstance(excess, Estimate):
        return excess + float(noise)
    if is_concrete(excess) and is_concrete(noise):
        return excess + np.asarray(noise, np.float64)
    return jnp.asarray(excess) + noise


def excess_risk(
    task: Any,
    predictor: Any,
    state: Any,
    *,
    key: jax.Array | None = None,
    samples: int | None = None,
) -> Any:
    """Population risk above the noise (eps^2), computed without cancellation."""
    risk = find(task, predictor)
    check_state(risk, state)
    numbers = risk.numbers(task)
    if risk.excess is not None:
        return _finite(risk.excess(numbers, predictor, state), predictor)
    assert risk.simulate is not None
    return risk.simulate(task, predictor, state, jax.random.key(0) if key is None else key, samples)


def excess_or_infinity(task: Any, predictor: Any, state: Any) -> Any:
    """`excess_risk` of an exact pair, not finite beyond the largest double: for maps."""
    risk = find_exact(task, predictor, state)
    assert risk.excess is not None
    found = risk.excess(risk.numbers(task), predictor, state)
    refuse_no_number(predictor, found)
    return found


def log_excess_risk(task: Any, predictor: Any, state: Any) -> Any:
    """log(population risk - eps^2), exact also where the excess itself underflows."""
    risk = find_exact(task, predictor, state)
    numbers = risk.numbers(task)
    if risk.log_excess is None:
        return jnp.log(excess_risk(task, predictor, state))
    return _finite(risk.log_excess(numbers, predictor, state), predictor)


def _finite(result: Any, predictor: Any) -> Any:
    if not is_concrete(result):
        refuse_rough(predictor)
        return result
    if np.isfinite(result).all():
        return result
    name, lam = type(predictor).__name__, predictor.lam
    if np.any(result == np.inf):
        raise ValueError(
            f"`lam` must be such that the risk of {name} is a finite number, got lam={lam}: the"
            " risk exceeds the largest double; take a smaller lam, or log_excess_risk."
        )
    if np.any(np.isnan(result)):  # while -inf is the logarithm of no excess
        refuse_no_number(predictor, result)
        raise ValueError(
            f"`lam`, `gamma` and `signal` must be such that doubles hold their squares and"
            f" products for the risk of {name}, got lam={lam}; take less extreme ones."
        )
    return result
