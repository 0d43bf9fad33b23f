"""Things made of numbers that JAX can take apart: frozen dataclasses that are pytrees.

`jax.grad`, `jit`, `vmap` and `hessian` then take a weight, overlaps or a task as argument and give
back the same type.
"""

from collections.abc import Hashable, Iterator
from dataclasses import fields
from functools import cache, lru_cache, partial
from typing import Any, NamedTuple

import jax
import numpy as np

#: of a field that is no number: part of the structure, by which JAX remembers its programs
STATIC: dict[str, bool] = {"static": True}


def core(axes: int) -> dict[str, int]:
    """Of a field whose last axes are one thing, a vector or a matrix; those in front broadcast."""
    return {"core": axes}


class _Names(NamedTuple):
    """The fields of a class: those that hold numbers, and those that are its structure."""

    numbers: tuple[str, ...]
    static: tuple[str, ...]
    cores: tuple[int, ...]  #: axes of one thing, of the fields that hold numbers


class Data:
    """Base of frozen dataclasses whose fields are leaves, but for those with `metadata=STATIC`.

    Every subclass is registered when it is defined. What JAX puts together again is not checked:
    it may hold placeholders.
    """

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        jax.tree_util.register_pytree_with_keys(
            cls, _parts_with_names, partial(_rebuilt, cls), _parts
        )


@cache
def _names(cls: Hashable) -> _Names:
    parts = fields(cls)  # type: ignore[arg-type]
    numbers = [field for field in parts if not field.metadata.get("static")]
    return _Names(
        tuple(field.name for field in numbers),
        tuple(field.name for field in parts if field not in numbers),
        tuple(field.metadata.get("core", 0) for field in numbers),
    )


@lru_cache(maxsize=512)
def core_axes(structure: Any) -> tuple[int, ...]:
    """How many last axes of every leaf are one thing, in a tree of that structure."""
    return tuple(_axes_of(jax.tree.unflatten(structure, [0.0] * structure.num_leaves)))


def _axes_of(tree: Any) -> Iterator[int]:
    for part in jax.tree.leaves(tree, is_leaf=lambda part: isinstance(part, Data)):
        if not isinstance(part, Data):
            yield 0
            continue
        cls: Any = part.__class__
        names = _names(cls)
        for name, axes in zip(names.numbers, names.cores, strict=True):
            value = getattr(part, name)
            yield from [axes] * len(jax.tree.leaves(value)) if axes else _axes_of(value)


def _real(number: Any) -> Any:
    """A whole number as a real one: it can be differentiated, and runs the same program."""
    if isinstance(number, int):
        return float(number)
    whole = isinstance(number, (np.ndarray, np.generic)) and number.dtype.kind in "iu"
    return number.astype(float) if whole else number


def _parts(data: Any) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    names = _names(data.__class__)
    return (
        tuple(_real(getattr(data, name)) for name in names.numbers),
        tuple(getattr(data, name) for name in names.static),
    )


def _parts_with_names(data: Any) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    numbers, static = _parts(data)
    names = map(jax.tree_util.GetAttrKey, _names(data.__class__).numbers)
    return tuple(zip(names, numbers, strict=True)), static


def _rebuilt(cls: Any, static: tuple[Any, ...], numbers: Any) -> Any:
    data = object.__new__(cls)
    names = _names(cls)
    for name, value in zip((*names.static, *names.numbers), (*static, *numbers), strict=True):
        object.__setattr__(data, name, value)
    return data
