"""A grid: the points at which a function is asked for, as a table with one row a point."""

import inspect
import itertools
import math
from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd

_KEY = "key"  # the argument that is a JAX key, drawn from the point's own values


def points_of(grid: Any) -> list[dict[str, Any]]:
    """The points of a dictionary of lists (the last axis changes fastest) or of a data frame."""
    if isinstance(grid, pd.DataFrame):
        columns = {str(name): grid[name].tolist() for name in grid.columns}
    elif isinstance(grid, Mapping):
        columns = {str(name): _values(name, values) for name, values in grid.items()}
    else:
        raise TypeError(
            f"`grid` must be a dictionary of lists or a data frame, got {type(grid).__name__}."
        )
    for name, values in columns.items():
        if not values:
            raise ValueError(f"`grid` must have values for each axis, got none for {name!r}.")
    if not columns:
        raise ValueError("`grid` must have an axis, got none.")
    plain = {name: [_plain(name, value) for value in values] for name, values in columns.items()}
    product = isinstance(grid, Mapping)
    rows = itertools.product(*plain.values()) if product else zip(*plain.values(), strict=True)
    return [dict(zip(plain, row, strict=True)) for row in rows]


def takes_key(function: Callable[..., Any], axes: list[str]) -> bool:
    """Whether `function` names `key`; one that does not fit the axes of the grid is refused."""
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        raise TypeError(f"`function` must be a Python function, got {function!r}.") from None
    wild = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values())
    named = [
        name
        for name, parameter in parameters.items()
        if parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
    ]
    wants_key = _KEY in named and _KEY not in axes
    unknown = [] if wild else [axis for axis in axes if axis not in named]
    if unknown:
        raise ValueError(
            f"`grid` must name arguments of the function, {', '.join(named) or 'which has none'};"
            f" got {', '.join(unknown)}."
        )
    lacking = [
        name
        for name in named
        if parameters[name].default is inspect.Parameter.empty and name not in (*axes, _KEY)
    ]
    if lacking:
        raise ValueError(
            f"`grid` must give every argument of the function a value, got none for"
            f" {', '.join(lacking)}; one value is given as a list of one."
        )
    return wants_key


def _values(name: Any, values: Any) -> list[Any]:
    if isinstance(values, str) or not hasattr(values, "__iter__"):
        raise TypeError(
            f"`grid` must hold a list of values for each axis, got {values!r} for {name!r}."
        )
    return [*values]


def _plain(name: str, value: Any) -> Any:
    """A value as JSON can hold it exactly: what decides a cell must be written down."""
    if hasattr(value, "item") and getattr(value, "ndim", 1) == 0:
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"`grid` must hold finite numbers, got {value} for {name!r}.")
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise TypeError(
        f"`grid` must hold numbers, words or truth values, got {type(value).__name__} for"
        f" {name!r}; name it by a word and make it in the function."
    )
