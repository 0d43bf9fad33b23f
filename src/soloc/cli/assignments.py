"""Settings of an experiment as a user writes them: `--set key=value`."""

import ast
from collections.abc import Sequence
from dataclasses import fields
from typing import Any


def assigned(name: str, config: Any, assignments: Sequence[str]) -> dict[str, Any]:
    """The values that `key=value` texts give to fields of a config, each of its present kind."""
    known = sorted(field.name for field in fields(config))
    changes = {}
    for assignment in assignments:
        key, separator, text = assignment.partition("=")
        if not separator or key not in known:
            now = ", ".join(f"{field} (now {brief(getattr(config, field))})" for field in known)
            raise ValueError(
                f"`--set` must be key=value with a key of {name}: {now}; got {assignment!r}."
            )
        changes[key] = _parse(key, text, getattr(config, key))
    return changes


def brief(value: Any) -> str:
    """A value on one line, cut where it is long."""
    text = ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


def _parse(key: str, text: str, current: Any) -> Any:
    """`text` as a value of the kind that the config holds now."""
    if isinstance(current, tuple):
        kind = current[0] if current else 0.0
        parts = text.strip("()[] ").split(",")
        return tuple(_parse(key, part.strip(), kind) for part in parts if part.strip())
    if isinstance(current, str):
        return text
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        value = text
    if isinstance(current, bool) or current is None:
        wanted = "true or false" if current is not None else "a value"
        if isinstance(current, bool) and text.lower() in ("true", "false"):
            return text.lower() == "true"
        if current is None and value != text:
            return value
    elif isinstance(current, int):
        wanted = "a whole number"
        if isinstance(value, (int, float)) and not isinstance(value, bool) and value == int(value):
            return int(value)
    else:
        wanted = "a number"
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return float(value)
    raise ValueError(
        f"`{key}` must be {wanted}, as its present value {brief(current)}; got {text!r}."
    )
