"""A loop of small steps as one function of machine code.

XLA runs the pieces of a loop's body one after the other through a table of calls, which takes
longer than a piece of some hundred numbers. Its own pass makes one function of a loop that touches
less than 1 kB; the mark that the pass leaves on such a loop is set here by hand. Where the compiler
is another than the one tried, the same loop runs without the mark.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax.experimental.xla_metadata import set_xla_metadata

from soloc.maths.arithmetic import KNOWN_COMPILER


def repeated(
    step: Callable[[jax.Array, Any, Any], Any],
    times: jax.Array,
    state: Any,
    given: Any,
    *,
    arithmetic: bool = True,
) -> Any:
    """`state` after `times` of state <- step(i, state, given), inside a program.

    The step is compiled to one function where it is said to be `arithmetic`: what XLA leaves to a
    library (products of matrices, sorting, callbacks) has no place in it.
    """

    def more(whole: tuple[Any, ...]) -> Any:
        return whole[0] < whole[1]

    def one(whole: tuple[Any, ...]) -> Any:
        i, times, state, given = whole
        return i + 1, times, step(i, state, given), given

    # nothing but the loop, on what it was called with: all that the compiler takes for one function
    @jax.jit
    def loop(whole: tuple[Any, ...]) -> Any:
        return jax.lax.while_loop(more, one, whole)

    times = jnp.asarray(times)
    last = loop(jax.tree.map(jnp.asarray, (jnp.zeros_like(times), times, state, given)))[2]
    return _marked(last, xla_cpu_small_call="true", inlineable="false") if arithmetic else last


def apart(function: Callable[..., Any], *given: Any) -> Any:
    """function(*given), whose results the compiler computes once, whoever uses them.

    It would else compute all but roots and divisions again for each that needs it.
    """
    return _marked(jax.jit(function)(*given), inlineable="false")


def _marked(results: Any, **marks: str) -> Any:
    """Results of a call, the call marked for the compiler: it is known by its first result."""
    if not KNOWN_COMPILER:
        return results
    first, *others = jax.tree.leaves(results)
    marked = [set_xla_metadata(first, **marks), *others]  # type: ignore[no-untyped-call]
    return jax.tree.unflatten(jax.tree.structure(results), marked)
