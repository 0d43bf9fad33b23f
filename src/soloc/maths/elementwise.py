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

from soloc.maths.data import core_axes
from soloc.maths.engine import Array
from soloc.maths.numbers import is_concrete


def _never(size: int, *trees: Any) -> bool:
    return False


class Elementwise:
    """`formula(*trees)`, entry by entry of trees of numbers that broadcast with each other.

    `formula` is given trees of JAX's float64 arrays that broadcast. `on_numbers` is given trees of
    NumPy's; without it the formula is, and must take both. Where `compiled(size, *trees)` holds,
    numbers go through the compiled formula as well. An entry may be a vector or a matrix: the last
    axes of a field that its class marks with `core`.
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
        cores = core_axes(structure)
        if all(isinstance(leaf, float) for leaf in leaves):
            if self.compiled(1, *trees):
                with jax.enable_x64(True):
                    return np.asarray(_compiled(self.formula, structure, leaves))[()]
            return self._of_numbers(leaves, structure, cores, compiled=False)
        if all(map(is_concrete, leaves)):
            return self._of_numbers(leaves, structure, cores)
        kind = jnp.result_type(float)
        shape = _shape(leaves, cores)
        moving, fixed, rows = [], [], []
        for place, (leaf, axes) in enumerate(zip(leaves, cores, strict=True)):
            if is_concrete(leaf):
                fixed.append(np.asarray(leaf, np.float64))
                continue
            core = jnp.shape(leaf)[jnp.ndim(leaf) - axes :]
            moving.append((place, core))
            spread = jnp.broadcast_to(jnp.asarray(leaf, kind), (*shape, *core))
            rows.append(jnp.moveaxis(spread.reshape(*shape, math.prod(core)), -1, 0))
        border = _Border(self.formula, structure, cores, tuple(moving), 0)
        return _differentiable(border, _Fixed(fixed))(jnp.concatenate(rows))

    def _of_numbers(
        self,
        leaves: list[Any],
        structure: Any,
        cores: tuple[int, ...],
        compiled: bool | None = None,
    ) -> Any:
        doubles = [np.asarray(leaf, np.float64) for leaf in leaves]
        shape = _shape(doubles, cores)
        size, trees = math.prod(shape), jax.tree.unflatten(structure, doubles)
        # as JAX: what is not finite is looked for in the answer
        with jax.enable_x64(True), np.errstate(all="ignore"):
            if compiled is None:
                compiled = self.compiled(size, *trees)
            answer = (
                _compiled(self.formula, structure, doubles) if compiled else self.on_numbers(*trees)
            )
        whole = np.asarray(answer)
        return (whole if whole.shape == shape else np.broadcast_to(whole, shape).copy())[()]


def _shape(leaves: list[Any], cores: tuple[int, ...]) -> tuple[int, ...]:
    """The shape to which leaves broadcast, the axes of single entries apart."""
    shapes = map(np.shape, leaves)
    return np.broadcast_shapes(
        *(shape[: len(shape) - axes] for shape, axes in zip(shapes, cores, strict=True))
    )


@partial(jax.jit, static_argnums=(0, 1))
def _compiled(formula: Callable[..., Any], structure: Any, leaves: list[Array]) -> Array:
    return formula(*jax.tree.unflatten(structure, leaves))


class _Border(NamedTuple):
    """What crosses the border, besides numbers; equal when it is the same."""

    formula: Callable[..., Any]
    structure: Any
    cores: tuple[int, ...]  #: axes of a single entry, of every leaf
    moving: tuple[tuple[int, tuple[int, ...]], ...]  #: leaves that JAX moves: place, entry's shape
    order: int  #: of the derivative


class _Fixed:
    """The other leaves, in double precision."""

    def __init__(self, leaves: list[np.ndarray]) -> None:
        self.leaves = leaves


def _differentiable(border: _Border, fixed: _Fixed) -> Callable[[Array], Array]:
    """A derivative as JAX's transformations take it, of the moving leaves stacked as rows.

    It has an axis over the rows in front for every order, then the axes of the settings.
    """

    @jax.custom_jvp
    def value(rows: Array) -> Array:
        return _crossing.bind(rows, border=border, fixed=fixed)

    @value.defjvp
    def _along(moved: tuple[Array], tangents: tuple[Array]) -> Any:
        (rows,), (tangent,) = moved, tangents
        slopes = _differentiable(border._replace(order=border.order + 1), fixed)(rows)
        return value(rows), jnp.sum(slopes * tangent, axis=border.order)

    return value


@partial(jax.jit, static_argnums=0)
def _inside(border: _Border, rows: Array, fixed: list[Array]) -> Array:
    """The derivative in double precision; trace and compile it in JAX's 64-bit mode."""

    def value(rows: Array) -> Array:
        shape, left, first = rows.shape[1:], iter(fixed), 0
        moving = dict(border.moving)
        leaves = []
        for place, axes in enumerate(border.cores):
            if place not in moving:
                leaf = next(left)
                core = leaf.shape[leaf.ndim - axes :]
                leaves.append(jnp.broadcast_to(leaf, (*shape, *core)))
                continue
            core = moving[place]
            entry = jnp.moveaxis(rows[first : first + math.prod(core)], 0, -1)
            leaves.append(entry.reshape(*shape, *core))
            first += math.prod(core)
        answer = border.formula(*jax.tree.unflatten(border.structure, leaves))
        return jnp.broadcast_to(answer, shape)

    return _derivative(value, border.order)(rows)


def _derivative(value: Callable[[Array], Array], order: int) -> Callable[[Array], Array]:
    """All derivatives of that order of an elementwise function of rows."""
    if order == 0:
        return value
    if order == 1:
        return jax.grad(lambda rows: jnp.sum(value(rows)))
    lower = _derivative(value, order - 1)

    def along_each(rows: Array) -> Array:
        units = jnp.eye(len(rows)).reshape(len(rows), len(rows), *(1,) * (rows.ndim - 1))
        return jax.vmap(lambda unit: jax.jvp(lower, (rows,), (unit + 0.0 * rows,))[1])(units)

    return along_each


def _cross(rows: Array, *, border: _Border, fixed: _Fixed) -> Array:
    kind = rows.dtype
    with jax.enable_x64(True):
        doubles = jax.lax.convert_element_type(rows, jnp.float64)
        return jax.lax.convert_element_type(_inside(border, doubles, fixed.leaves), kind)


# A primitive of its own, because JAX lowers a program when all of it is traced: only a rule of
# ours can then ask for the 64-bit mode again, in which argmax and others find their types.
_crossing: Any = Primitive("soloc_in_double")
_crossing.def_impl(_cross)


def _abstract(rows: Any, *, border: _Border, fixed: _Fixed) -> Any:
    return ShapedArray((*rows.shape[:1] * border.order, *rows.shape[1:]), rows.dtype)


_crossing.def_abstract_eval(_abstract)


def _lowered(context: Any, rows: Any, *, border: _Border, fixed: _Fixed) -> Any:
    with jax.enable_x64(True):
        inside = partial(_cross, border=border, fixed=fixed)
        return mlir.lower_fun(inside, multiple_results=False)(context, rows)


mlir.register_lowering(_crossing, _lowered)


def _batched(rows: Any, axes: Any, *, border: _Border, fixed: _Fixed) -> tuple[Any, int]:
    many = jnp.moveaxis(rows[0], axes[0], 1)
    return _crossing.bind(many, border=border, fixed=fixed), border.order


batching.primitive_batchers[_crossing] = _batched
