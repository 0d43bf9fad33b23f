"""Fields of a file: plain facts and arrays, each checked for kind, size and range when read."""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any, get_type_hints

import numpy as np
import pandas as pd

LARGEST = 1e300


@dataclass(frozen=True)
class Fields:
    """The state of a model: `facts` are plain JSON, `arrays` are NumPy arrays without objects.

    Each method reads one field, or refuses in a sentence that names it.
    """

    facts: dict[str, Any] = field(default_factory=dict)
    arrays: dict[str, np.ndarray] = field(default_factory=dict)

    def fact(self, name: str) -> Any:
        """A fact of any kind."""
        if name not in self.facts:
            raise ValueError(f"field {name!r} is missing")
        return self.facts[name]

    def number(self, name: str, least: float = -np.inf) -> float:
        """A finite number."""
        return checked_number(self.fact(name), name, least)

    def integer(self, name: str, least: int) -> int:
        """A whole number."""
        value = self.fact(name)
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            raise ValueError(
                f"field {name!r} must be an integer of at least {least}, got {value!r:.60}"
            )
        return value

    def choice(self, name: str, among: Collection[str]) -> str:
        """One of several words."""
        value = self.fact(name)
        if not isinstance(value, str) or value not in among:
            raise ValueError(f"field {name!r} must be one of {', '.join(among)}, got {value!r:.60}")
        return value

    def texts(self, name: str, count: Collection[int] | None = None) -> list[str]:
        """A list of texts."""
        value = self.fact(name)
        if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
            raise ValueError(f"field {name!r} must be a list of texts, got {value!r:.60}")
        if count is not None and len(value) not in count:
            raise ValueError(
                f"field {name!r} must have {sorted(count)[-1]} entries, got {len(value)}"
            )
        return value

    def parameters(self, kind: type) -> dict[str, Any]:
        """Constructor arguments of an estimator; what their values mean is for its own checks."""
        value = self.fact("parameters")
        known = set(kind._get_param_names())  # type: ignore[attr-defined]
        if not isinstance(value, dict) or set(value) != known:
            raise ValueError(
                f"field 'parameters' must be those of {kind.__name__}, got {value!r:.60}"
            )
        return {name: parameter(given, f"parameters.{name}") for name, given in value.items()}

    def record(self, name: str, kind: type) -> Any:
        """A tuple or dataclass of numbers, truth values, texts, or lists of numbers."""
        value, hints = self.fact(name), get_type_hints(kind)
        if not isinstance(value, dict) or set(value) != set(hints):
            raise ValueError(f"field {name!r} must have {', '.join(hints)}, got {value!r:.60}")
        return kind(**{key: checked(value[key], f"{name}.{key}", hints[key]) for key in hints})

    def table(self, name: str, columns: dict[str, type]) -> pd.DataFrame | None:
        """A table by columns, or none."""
        value = self.fact(name)
        if value is None:
            return None
        if not isinstance(value, dict) or set(value) != set(columns):
            raise ValueError(
                f"field {name!r} must have columns {', '.join(columns)}, got {value!r:.60}"
            )
        if len({len(value[c]) if isinstance(value[c], list) else -1 for c in columns}) != 1:
            raise ValueError(f"field {name!r} must have columns of one length")
        checked_columns = {
            column: [checked(entry, f"{name}.{column}", kind) for entry in value[column]]
            for column, kind in columns.items()
        }
        return pd.DataFrame(checked_columns)

    def array(
        self,
        name: str,
        shape: tuple[int | None, ...],
        *,
        positive: bool = False,
        finite: bool = True,
    ) -> np.ndarray:
        """An array of floats of that shape; None leaves a length open."""
        array = self.any_array(name, shape)
        if array.dtype.kind != "f":
            raise ValueError(f"array {name!r} must hold floating-point numbers, got {array.dtype}")
        if np.isnan(array).any() or (finite and not np.isfinite(array).all()):
            raise ValueError(f"array {name!r} must hold finite numbers")
        if positive and not (array > 0).all():
            raise ValueError(f"array {name!r} must hold positive numbers")
        return array

    def scalar(self, name: str) -> float:
        """An array without axes, as a number."""
        return float(self.array(name, ()))

    def any_array(self, name: str, shape: tuple[int | None, ...]) -> np.ndarray:
        """An array of that shape."""
        if name not in self.arrays:
            raise ValueError(f"array {name!r} is missing")
        array = self.arrays[name]
        fits = array.ndim == len(shape) and all(
            wanted in (None, got) for wanted, got in zip(shape, array.shape, strict=True)
        )
        if not fits:
            wanted = tuple("any" if length is None else length for length in shape)
            raise ValueError(f"array {name!r} must have shape {wanted}, got {array.shape}")
        return array


def parameter(value: Any, name: str) -> Any:
    """A constructor argument: a plain value, a list of texts, or weights of classes."""
    if not isinstance(value, (list, dict)):
        return value
    if name == "parameters.class_weight":
        return class_weights(value, name)
    if isinstance(value, dict) or not all(isinstance(text, str) for text in value):
        raise ValueError(
            f"field {name!r} must be a number, a text or a list of texts, got {value!r:.60}"
        )
    return value


def class_weights(value: Any, name: str) -> dict[str | float, float]:
    """A dictionary from classes to weights, from its list of pairs."""
    pairs = isinstance(value, list) and all(isinstance(v, list) and len(v) == 2 for v in value)
    if not pairs or not all(isinstance(key, (str, int, float)) for key, _ in value):
        raise ValueError(
            f"field {name!r} must be a list of classes with their weights, got {value!r:.60}"
        )
    found = {key: checked_number(weight, name, least=0.0) for key, weight in value}
    if len(found) < len(value) or any(key != key for key in found):
        raise ValueError(f"field {name!r} must name each class once, got {value!r:.60}")
    return found


def checked_number(value: Any, name: str, least: float = -np.inf) -> float:
    """A finite number, or a sentence that names the field."""
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not number or not -LARGEST < value < LARGEST:  # NaN fails both
        raise ValueError(f"field {name!r} must be a finite number, got {value!r:.60}")
    if value < least:
        raise ValueError(f"field {name!r} must be at least {least:g}, got {value!r:.60}")
    return float(value)


def checked(value: Any, name: str, kind: Any) -> Any:
    """A value of a record, by its annotation."""
    if kind is float:
        return checked_number(value, name)
    if kind == list[float]:
        if not isinstance(value, list):
            raise ValueError(f"field {name!r} must be a list of numbers, got {value!r:.60}")
        return [checked_number(entry, name) for entry in value]
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise ValueError(f"field {name!r} must be of kind {kind.__name__}, got {value!r:.60}")
    return value
