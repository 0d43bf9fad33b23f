"""A user's own function of NumPy or JAX arrays, called so that JAX can follow it."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import jax.scipy.special
import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from soloc.maths.engine import Array
from soloc.maths.numbers import is_concrete

_LOST = (TypeError, ValueError, NotImplementedError)  # what JAX and NumPy raise where they are


def called(function: Callable[[Any], Any], x: Array) -> Array:
    """function(x), of the kind and shape of x; refused where JAX traces and cannot follow."""
    if is_concrete(x):
        with jax.enable_x64(np.asarray(x).dtype == np.float64):
            try:
                numbers = np.asarray(function(x))
            except _LOST as error:
                raise _refusal(function) from error
            found = np.broadcast_to(_shaped(function, numbers, x), np.shape(x))
            kind = np if isinstance(x, np.ndarray) else jnp
            return kind.asarray(found, x.dtype)
    try:
        y = jnp.asarray(function(x), x.dtype)
    except jax.errors.TracerArrayConversionError:
        y = _by_names(function, x)
    except _LOST as error:
        raise _refusal(function) from error
    return jnp.broadcast_to(_shaped(function, y, x), x.shape)


def _by_names(function: Callable[[Any], Any], x: jax.Array) -> jax.Array:
    """A function of NumPy's functions, each taken as the function of JAX with its name."""
    try:
        y = function(_Named(x))
        return jnp.asarray(y.array if isinstance(y, _Named) else y, x.dtype)
    except (*_LOST, AttributeError) as error:
        raise _refusal(function) from error


def _shaped(function: Callable[[Any], Any], y: Any, x: Array) -> Any:
    if y.shape not in ((), np.shape(x)):
        raise ValueError(
            "`function` must return one value for every score, got an array of shape"
            f" {y.shape} for scores of shape {np.shape(x)} from {_name(function)}."
        )
    return y


def _refusal(function: Callable[[Any], Any]) -> TypeError:
    return TypeError(
        "`function` must be made of arithmetic and functions of NumPy or jax.numpy on whole arrays"
        " (where a gradient is asked for, such as JAX can follow), got"
        f" {_name(function)}; write np.tanh, not math.tanh, and jnp.where(x > 1, x, 0), not `if`."
    )


def _name(function: Callable[[Any], Any]) -> str:
    return getattr(function, "__name__", repr(function))


class _Named(NDArrayOperatorsMixin):
    """A traced array on which NumPy's functions act as the functions of JAX with their names."""

    __slots__ = ("array",)

    def __init__(self, array: jax.Array) -> None:
        self.array = array

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        return NotImplemented if method != "__call__" else _by_name(ufunc, inputs, options)

    def __array_function__(self, function: Any, _: Any, inputs: Any, options: Any) -> Any:
        return _by_name(function, inputs, options)

    def __bool__(self) -> bool:
        raise TypeError("a traced array has no truth value")

    @property
    def shape(self) -> tuple[int, ...]:
        return self.array.shape


def _by_name(function: Any, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    for module in (jnp, jax.scipy.special):
        if hasattr(module, function.__name__):
            bare = [x.array if isinstance(x, _Named) else x for x in inputs]
            return _Named(getattr(module, function.__name__)(*bare, **options))
    return NotImplemented
