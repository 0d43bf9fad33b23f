"""Files: a fitted model as one zip of arrays and JSON that cannot execute anything.

What a model consists of is known to its class alone (`_saved`, `_restored`); here it is written
whole, and read only when it is what it says. The checksum finds damage; it is no signature.
"""

import os
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from soloc.estimators.archive import read_archive, write_archive
from soloc.estimators.fields import Fields

MORE = "more_"  # before the names of arrays that belong to another step
KINDS: dict[str, Any] = {}  # by name: classes with `_saved` and `_restored`

Kind = TypeVar("Kind", bound=type)


def saved_by_name(kind: Kind) -> Kind:
    """Decorator of a class that `save` and `load` know by its name."""
    KINDS[kind.__name__] = kind
    return kind


def save(
    model: Any,
    path: str | Path,
    notes: dict[str, Any] | None = None,
    more: dict[str, np.ndarray] | None = None,
) -> None:
    """Write a fitted model to `path`; a crash leaves the old file untouched.

    `notes` is any JSON kept with it, `more` are arrays kept with it (of a step that comes before
    it).
    """
    check_is_fitted(model)
    state = model._saved()
    notes = getattr(model, "notes_", {}) if notes is None else notes
    if not isinstance(notes, dict):
        raise TypeError(f"`notes` must be a dictionary of plain JSON, got {notes!r:.60}.")
    more = getattr(model, "more_", {}) if more is None else more
    facts = {"kind": type(model).__name__, "state": state.facts, "notes": notes}
    arrays = state.arrays | {f"{MORE}{name}": array for name, array in more.items()}
    write_archive(as_path(path), facts, arrays)


def as_path(path: Any) -> Path:
    """The path of a file."""
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"`path` must be a text or a `Path`, got {path!r:.60}; name a file.")
    return Path(path)


def load(path: str | Path) -> Any:
    """The fitted model in a file written by `save`.

    `notes_` holds its notes, `more_` the arrays kept with it. Every field is checked, and nothing
    in the file can execute; but its checksum is no signature, and whoever can write the file can
    make it predict what they like.
    """
    source = as_path(path)
    if not source.exists():
        raise FileNotFoundError(f"`path` {path} is no file; `save` and `soloc fit` write one.")
    facts, arrays = read_archive(source)
    kind = facts.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        raise ValueError(f"{path} holds a {kind!r:.60}, which this version of soloc does not know.")
    try:
        notes, state = facts.get("notes"), facts.get("state")
        if not isinstance(notes, dict) or not isinstance(state, dict):
            raise ValueError("fields 'notes' and 'state' must be there")
        model = KINDS[kind]._restored(Fields(state, arrays))
    except ValueError as refusal:
        said = str(refusal).rstrip(".")
        raise ValueError(f"{path} is not a whole soloc model file: {said}.") from None
    model.notes_ = notes
    model.more_ = {
        name.removeprefix(MORE): array for name, array in arrays.items() if name.startswith(MORE)
    }
    return model
