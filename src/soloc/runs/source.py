"""What a person's function is, as a digest: computed anew when, and only when, it is changed.

Its own source counts, and so do the functions and plain values of its module that it names, its
defaults and what it closes over. What it imports does not: of soloc the version counts, and of
other packages nothing.
"""

import hashlib
import inspect
import textwrap
from collections.abc import Callable
from functools import partial
from types import CodeType, FunctionType
from typing import Any

import cloudpickle

from soloc.runs.fingerprint import digest

_PLAIN = (bool, int, float, complex, str, bytes, tuple, list, dict, set, frozenset, type(None))


def source_version(function: Callable[..., Any]) -> str:
    """Digest of a function."""
    return digest(_parts(function, set()))


def _parts(function: Any, seen: set[int]) -> list[Any]:
    """All that decides what a function does, as strings."""
    if id(function) in seen:
        return []
    seen.add(id(function))
    if isinstance(function, partial):
        held = _content((function.args, sorted(function.keywords.items())))
        return ["partial", _parts(function.func, seen), held]
    if not isinstance(function, FunctionType):
        inner = getattr(function, "__wrapped__", None)  # a compiled or decorated one
        return _parts(inner, seen) if inner is not None else [_content(function)]
    parts: list[Any] = [
        _source(function),
        _content((function.__defaults__, function.__kwdefaults__)),
    ]
    for cell in function.__closure__ or ():
        parts.append(_outside(cell.cell_contents, function, seen))
    for name in sorted(_names(function.__code__)):
        if name in function.__globals__:
            parts.append(_outside(function.__globals__[name], function, seen))
    return parts


def _outside(value: Any, function: FunctionType, seen: set[int]) -> Any:
    """A thing that a function names: a function of its own module or a value counts."""
    if isinstance(value, _PLAIN):
        return _content(value)
    if callable(value):
        own = getattr(value, "__module__", None) == function.__module__
        return _parts(value, seen) if own and not isinstance(value, type) else []
    return []


def _names(code: CodeType) -> set[str]:
    inner = (constant for constant in code.co_consts if isinstance(constant, CodeType))
    return set(code.co_names).union(*(_names(each) for each in inner))


def _source(function: FunctionType) -> str:
    """Its text, or, of one that was typed without a file, its instructions."""
    try:
        return textwrap.dedent(inspect.getsource(function))
    except (OSError, TypeError):
        return _instructions(function.__code__)


def _instructions(code: CodeType) -> str:
    constants = [
        _instructions(constant) if isinstance(constant, CodeType) else repr(constant)
        for constant in code.co_consts
    ]
    return repr((code.co_code.hex(), constants, code.co_names, code.co_varnames))


def _content(value: Any) -> str:
    """Digest of a value; one whose bytes are not always the same is merely computed again."""
    return hashlib.sha256(cloudpickle.dumps(value)).hexdigest()
