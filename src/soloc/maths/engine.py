"""One formula, two engines: NumPy computes numbers at once, JAX traces gradients and programs.

Compiling the integrals of `risk` takes seconds, running them milliseconds. So a formula written
against `Engine` runs on NumPy when it is given numbers, and is traced by JAX when somebody
differentiates or compiles it.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import jax
import jax.numpy as jnp
import jax.scipy.special
import numpy as np
from scipy.special import erf, erfc, expit, log_ndtr

from soloc.maths import arithmetic

Array: TypeAlias = Any  #: of NumPy or of JAX


class Engine(NamedTuple):
    """An array namespace and the few verbs in which the two differ."""

    xp: Any
    constant: Callable[[Any], Any]  #: the same value, through which no gradient flows
    once: Callable[[Any], Any]  #: the same value, computed once though several sums use it
    scan: Callable[..., tuple[Any, Any]]  #: as jax.lax.scan
    repeat: Callable[[Callable[[Any], Any], Any, int, Callable[[Any], bool]], Any]
    #: a step taken so many times from a state; NumPy stops as soon as the state is good enough
    #: the first answer where the condition holds, else the second
    either: Callable[[Any, Callable[[], Any], Callable[[], Any]], Any]
    #: f on every entry of the first axis of its arguments; JAX traces it once
    each: Callable[..., Any]
    #: f(u), whose answers end in the axes of u; NumPy keeps to its cache
    in_blocks: Callable[[Callable[[Any], Any], Any, int], Any]
    weighted_sum: Callable[[Any, Any], Any]  #: of the second by the first, over the last axis
    erf: Callable[[Any], Any]
    erfc: Callable[[Any], Any]
    expit: Callable[[Any], Any]
    log_ndtr: Callable[[Any], Any]


def _same(value: Any) -> Any:
    return value


def _python_scan(
    body: Callable[[Any, Any], tuple[Any, Any]], state: Any, xs: Any = None, length: int = 0
) -> tuple[Any, Any]:
    said = []
    for x in [None] * length if xs is None else xs:
        state, word = body(state, x)
        said.append(word)
    return state, None if said[0] is None else np.stack(said)


def _python_repeat(
    step: Callable[[Any], Any], state: Any, times: int, enough: Callable[[Any], bool]
) -> Any:
    for _ in range(times):
        state = step(state)
        if enough(state):
            break
    return state


def _traced_repeat(
    step: Callable[[Any], Any], state: Any, times: int, enough: Callable[[Any], bool]
) -> Any:
    return jax.lax.scan(lambda state, _: (step(state), None), state, length=times)[0]


def _python_either(condition: Any, first: Callable[[], Any], second: Callable[[], Any]) -> Any:
    return first() if condition else second()


def _python_each(f: Callable[..., Any], *rows: Any) -> Any:
    return jax.tree.map(lambda *parts: np.stack(parts), *map(f, *rows))


def _traced_each(f: Callable[..., Any], *rows: Any) -> Any:
    return jax.vmap(f)(*rows)


def _in_blocks(f: Callable[[Any], Any], u: Any, size: int) -> Any:
    parts = [f(u.flat[start : start + size]) for start in range(0, u.size, size)]
    return jax.tree.map(
        lambda *rows: np.concatenate(rows, axis=-1).reshape(*rows[0].shape[:-1], *u.shape), *parts
    )


def _at_once(f: Callable[[Any], Any], u: Any, size: int) -> Any:
    return f(u)


def _numpy_weighted_sum(weights: Any, values: Any) -> Any:
    return np.einsum("...n,...n->...", weights, values)


def _traced_weighted_sum(weights: Any, values: Any) -> Any:
    return jnp.sum(weights * values, axis=-1)


def _traced_erf(x: Any) -> Any:
    """The error function; of doubles as arithmetic, a third of the time."""
    x = jnp.asarray(x)
    return arithmetic.erf(x) if x.dtype == jnp.float64 else jax.scipy.special.erf(x)


NUMPY = Engine(
    np,
    _same,
    _same,
    _python_scan,
    _python_repeat,
    _python_either,
    _python_each,
    _in_blocks,
    _numpy_weighted_sum,
    erf,
    erfc,
    expit,
    log_ndtr,
)
JAX = Engine(
    jnp,
    jax.lax.stop_gradient,
    jax.lax.optimization_barrier,
    jax.lax.scan,
    _traced_repeat,
    jax.lax.cond,
    _traced_each,
    _at_once,
    _traced_weighted_sum,
    _traced_erf,
    jax.scipy.special.erfc,
    jax.scipy.special.expit,
    jax.scipy.special.log_ndtr,
)


def engine_of(*arrays: Any) -> Engine:
    """JAX as soon as one of the arrays is JAX's, else NumPy."""
    return JAX if any(isinstance(array, jax.Array) for array in arrays) else NUMPY
