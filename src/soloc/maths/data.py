"""Things made of numbers that JAX can take apart: frozen dataclasses that are pytrees.

`jax.grad`, `jit`, `vmap` and `hessian` then take a weight, overlaps or a task as argument and give
back the same type.
"""

from collections.abc import Hashable
from dataclasses import fields
from functools import cache, partial
from typing import Any, NamedTuple

import jax
import numpy as np

#: of a field that is no number: part of the structure, by which JAX remembers its programs
STATIC: dict[str, bool] = {"static": True}


class _Names(NamedTuple):
    """The fields of a class: those that hold numbers, and those that are its structure."""

    numbers: tuple[str, ...]
    static: tuple[str, ...]


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
    by_kind: dict[bool, list[str]] = {False: [], True: []}
    for field in fields(cls):  # type: ignore[arg-type]
        by_kind[bool(field.metadata.get("static"))].append(field.name)
    return _Names(tuple(by_kind[False]), tuple(by_kind[True]))


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
