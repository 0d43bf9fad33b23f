"""Functions of numbers that broadcast, in double precision whatever the caller's mode of JAX.

Numbers are answered by NumPy at once. Under `grad`, `jit`, `vmap` or `hessian` the function stands
behind a border: outside are numbers of the caller's precision, inside doubles, and what crosses it
is cast there. Its derivatives are functions of the same kind, so that nothing is differentiated or
transposed across the border.
"""

import math
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import ShapedArray
from jax.extend.core import Primitive
from jax.interpreters import batching, mlir

from soloc.maths.numbers import is_concrete

_BLOCK = 4096  # settings of one compiled call: one program serves every number of them


def _never(size: int, *trees: Any) -> bool:
    return False


class Elementwise:
    """`formula(*trees)`, entry by entry of trees of numbers that broadcast with each other.

    `formula` is given trees of JAX's float64 arrays that broadcast. `on_numbers` is given trees of
    NumPy's; without it the formula is, and must take both. Where `compiled(size, *trees)` holds,
    numbers go through the compiled formula as well.
    """

    def __init__(
        self,
        formula: Callable[..., Any],
        on_numbers: Callable[..., Any] | None = None,
        *,
        compiled: Callable[..., bool] = _never,
    ) -> None:
        self.formula, self.on_numbers, self.compiled = formula, on_numbers or formula, compiled

    def __call__(self, *trees: Any) -> Any:
        leaves, structure = jax.tree.flatten(trees)
        if all(map(is_concrete, leaves)):
            return self._of_numbers(leaves, structure)
        moving = tuple(i for i, leaf in enumerate(leaves) if not is_concrete(leaf))
        fixed = [np.asarray(leaf, np.float64) for leaf in leaves if is_concrete(leaf)]
        kind = jnp.result_type(float)
        shape = jnp.broadcast_shapes(*map(jnp.shape, leaves))
        spread = [jnp.broadcast_to(jnp.asarray(leaves[i], kind), shape) for i in moving]
        return _differentiable(_Border(self.formula, structure, moving, 0), _Fixed(fixed))(*spread)

    def _of_numbers(self, leaves: list[Any], structure: Any) -> Any:
        doubles = [np.asarray(leaf, np.float64) for leaf in leaves]
        shape = np.broadcast_shapes(*(leaf.shape for leaf in doubles))
        size, trees = math.prod(shape), jax.tree.unflatten(structure, doubles)
        # as JAX: what is not finite is looked for in the answer
        with jax.enable_x64(True), np.errstate(all="ignore"):
            if not self.compiled(size, *trees):
                return np.asarray(self.on_numbers(*trees))[()]
            if size == 1:
                single = [leaf.reshape(()) for leaf in doubles]
                return np.asarray(_compiled(self.formula, structure, single)).reshape(shape)[()]
            flat = [np.broadcast_to(leaf, shape).ravel() for leaf in doubles]
            blocks = [
                np.asarray(_compiled(self.formula, structure, [_cut(x, at) for x in flat]))
                for at in range(0, size, _BLOCK)
            ]
        return np.concatenate(blocks)[:size].reshape(shape)


def _cut(x: np.ndarray, first: int) -> np.ndarray:
    """A block, filled up with its last entry."""
    part = x[first : first + _BLOCK]
    return np.concatenate([part, np.repeat(part[-1:], _BLOCK - len(part))])


@partial(jax.jit, static_argnums=(0, 1))
def _compiled(formula: Callable[..., Any], structure: Any, leaves: list[jax.Array]) -> jax.Array:
    return formula(*jax.tree.unflatten(structure, leaves))


class _Border(NamedTuple):
    """What crosses the border, besides the numbers that JAX moves; equal when it is the same."""

    formula: Callable[..., Any]
    structure: Any
    moving: tuple[int, ...]  #: places of the leaves that JAX moves, among all
    order: int  #: of the derivative; it has so many axes in front, each over the moving leaves


class _Fixed:
    """The other leaves, in double precision."""

    def __init__(self, leaves: list[np.ndarray]) -> None:
        self.leaves = leaves


def _differentiable(border: _Border, fixed: _Fixed) -> Callable[..., jax.Array]:
    """The derivative that `border` names, as JAX's transformations take it."""

    @jax.custom_jvp
    def value(*moving: jax.Array) -> jax.Array:
        return _crossing.bind(*moving, border=border, fixed=fixed)

    @value.defjvp
    def _along(moving: tuple[jax.Array, ...], tangents: tuple[jax.Array, ...]) -> Any:
        slopes = _differentiable(border._replace(order=border.order + 1), fixed)(*moving)
        slopes = jnp.moveaxis(slopes, border.order, 0)
        pushed = sum(slope * tangent for slope, tangent in zip(slopes, tangents, strict=True))
        return value(*moving), pushed

    return value


@partial(jax.jit, static_argnums=0)
def _inside(border: _Border, moving: Any, fixed: Any) -> jax.Array:
    """The derivative in double precision; trace and compile it in JAX's 64-bit mode."""

    def value(*moving: jax.Array) -> jax.Array:
        leaves = [jnp.broadcast_to(leaf, moving[0].shape) for leaf in fixed]
        for place, leaf in zip(border.moving, moving, strict=True):
            leaves.insert(place, leaf)
        return border.formula(*jax.tree.unflatten(border.structure, leaves))

    return derivative(value, border.order)(*moving)


def _cross(*moving: jax.Array, border: _Border, fixed: _Fixed) -> jax.Array:
    kind = moving[0].dtype
    with jax.enable_x64(True):
        inside = [jax.lax.convert_element_type(leaf, jnp.float64) for leaf in moving]
        return jax.lax.convert_element_type(_inside(border, inside, fixed.leaves), kind)


# A primitive of its own, because JAX lowers a program when all of it is traced: only a rule of
# ours can then ask for the 64-bit mode again, in which argmax and others find their types.
_crossing = Primitive("soloc_in_double")
_crossing.def_impl(_cross)


@_crossing.def_abstract_eval
def _shape(*moving: Any, border: _Border, fixed: _Fixed) -> Any:
    front = (len(moving),) * border.order
    return ShapedArray((*front, *moving[0].shape), moving[0].dtype)


def _lowered(context: Any, *moving: Any, border: _Border, fixed: _Fixed) -> Any:
    with jax.enable_x64(True):
        inside = partial(_cross, border=border, fixed=fixed)
        return mlir.lower_fun(inside, multiple_results=False)(context, *moving)


mlir.register_lowering(_crossing, _lowered)


def _batched(moving: Any, axes: Any, *, border: _Border, fixed: _Fixed) -> tuple[Any, int]:
    size = next(
        leaf.shape[axis] for leaf, axis in zip(moving, axes, strict=True) if axis is not None
    )
    spread = (
        jnp.broadcast_to(leaf, (size, *leaf.shape)) if axis is None else jnp.moveaxis(leaf, axis, 0)
        for leaf, axis in zip(moving, axes, strict=True)
    )
    return _crossing.bind(*spread, border=border, fixed=fixed), border.order


batching.primitive_batchers[_crossing] = _batched


def derivative(function: Callable[..., Any], order: int) -> Callable[..., Any]:
    """All derivatives of that order of an elementwise function, each on its own first axis."""
    if order == 0:
        return function
    if order == 1:
        total = lambda *numbers: jnp.sum(function(*numbers))  # noqa: E731
        return lambda *numbers: jnp.stack(
            jax.grad(total, argnums=tuple(range(len(numbers))))(*numbers)
        )
    lower = derivative(function, order - 1)

    def along_each(*numbers: jax.Array) -> jax.Array:
        units = jnp.eye(len(numbers))
        push = lambda unit: jax.jvp(  # noqa: E731
            lower,
            numbers,
            tuple(x * jnp.ones_like(number) for x, number in zip(unit, numbers, strict=True)),
        )[1]
        return jax.vmap(push)(units)

    return along_each
