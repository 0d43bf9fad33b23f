"""Files: a fitted model as one zip of arrays and JSON, versioned and checksummed; nothing in it can
execute."""

import hashlib
import io
import json
import os
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted

from soloc.estimators.base import SingleLocation
from soloc.estimators.classifier import SingleLocationClassifier
from soloc.estimators.diagnostics import Diagnostics
from soloc.estimators.model import Head
from soloc.estimators.regressor import SingleLocationRegressor
from soloc.estimators.solver import History

FORMAT = "soloc-model"
VERSION = 1
KINDS = {kind.__name__: kind for kind in (SingleLocationRegressor, SingleLocationClassifier)}
MORE = "more_"  # before the names of arrays that belong to another step
MOST_BYTES = 4 * 2**30  # an entry that claims more is not a model


def save(
    model: SingleLocation,
    path: str | Path,
    notes: dict[str, Any] | None = None,
    more: dict[str, np.ndarray] | None = None,
) -> None:
    """Write a fitted model to `path`; a crash leaves the old file untouched.

    `notes` is any JSON kept with it, `more` are arrays kept with it (of a step that comes before
    it).
    """
    check_is_fitted(model)
    head = model.head_
    arrays = {"centre": model.centre_, "scale": model.scale_, "key": head.key, "value": head.value}
    arrays["intercept"] = np.asarray(head.intercept, dtype=np.float64)
    if head.context is not None:
        arrays["context"] = head.context
    facts: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "kind": type(model).__name__,
        "parameters": plain_parameters(model),
        "loss": model.loss_,
        "alpha": float(model.alpha_),
        "noise": float(head.noise),
        "n_features": int(model.n_features_in_),
        "feature_names": [str(name) for name in getattr(model, "feature_names_in_", [])],
        "history": vars(model.history_),
        "diagnostics": model.diagnostics_._asdict(),
        "selection": None if model.selection_ is None else model.selection_.to_dict(orient="list"),
        "notes": getattr(model, "notes_", {}) if notes is None else notes,
    }
    if isinstance(model, SingleLocationClassifier):
        arrays["classes"] = plain_classes(model.classes_)
    else:
        facts["label_mean"], facts["label_scale"] = model._label_mean, model._label_scale
        arrays["calibration"], arrays["left_out"] = model.calibration_, model._left_out
    more = getattr(model, "more_", {}) if more is None else more
    arrays |= {f"{MORE}{name}": array for name, array in more.items()}
    entries = {f"{name}.npy": npy_bytes(array) for name, array in arrays.items()}
    try:
        entries["facts.json"] = json.dumps(facts, sort_keys=True).encode()
    except TypeError as error:
        raise TypeError(
            f"`notes` must be plain JSON (strings, numbers, lists, dictionaries): {error}."
        ) from None
    write_whole(Path(path), entries)


def load(path: str | Path) -> Any:
    """The fitted model in a file written by `save`; `notes_` holds its notes, `more_` the arrays
    kept with it.
    """
    entries = read_entries(Path(path))
    facts = json.loads(entries["facts.json"])
    kind = KINDS.get(facts["kind"])
    if kind is None:
        raise ValueError(
            f"{path} holds a {facts['kind']!r}, which this version of soloc does not know."
        )
    arrays = {name[:-4]: read_npy(data) for name, data in entries.items() if name.endswith(".npy")}
    model = kind(**facts["parameters"])
    intercept = arrays["intercept"] if arrays["intercept"].ndim else float(arrays["intercept"])
    model.head_ = Head(
        arrays["key"], arrays["value"], arrays.get("context"), intercept, facts["noise"]
    )
    model.centre_, model.scale_ = arrays["centre"], arrays["scale"]
    model.loss_, model.alpha_ = facts["loss"], facts["alpha"]
    model.n_features_in_ = facts["n_features"]
    if facts["feature_names"]:
        model.feature_names_in_ = np.array(facts["feature_names"], dtype=object)
    model.history_ = History(**facts["history"])
    model.diagnostics_ = Diagnostics(**facts["diagnostics"])
    model.selection_ = None
    if facts["selection"] is not None:
        model.selection_ = pd.DataFrame(facts["selection"])[["loss", "alpha", "held_out"]]
    model.notes_ = facts["notes"]
    model.more_ = {
        name.removeprefix(MORE): array for name, array in arrays.items() if name.startswith(MORE)
    }
    if kind is SingleLocationClassifier:
        model.classes_ = arrays["classes"]
    else:
        model._label_mean, model._label_scale = facts["label_mean"], facts["label_scale"]
        model.calibration_, model._left_out = arrays["calibration"], arrays["left_out"]
    model._set_units()
    return model


def plain_parameters(model: SingleLocation) -> dict[str, Any]:
    """Constructor arguments as JSON can hold them; a RandomState becomes None."""
    plain = {}
    for name, value in model.get_params().items():
        value = value.item() if isinstance(value, np.generic) else value
        plain[name] = value if isinstance(value, (str, int, float, bool)) else None
    return plain


def plain_classes(classes: np.ndarray) -> np.ndarray:
    """Classes in an array without objects."""
    if classes.dtype != object:
        return classes
    if all(isinstance(label, str) for label in classes):
        return classes.astype(np.str_)
    raise ValueError(
        "a model is saved only with classes that are numbers or strings; convert the labels and fit"
        " again."
    )


def npy_bytes(array: np.ndarray) -> bytes:
    """The array in NumPy's own format."""
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=False)
    return buffer.getvalue()


def read_npy(data: bytes) -> np.ndarray:
    """The array back; pickled objects are refused."""
    return np.load(io.BytesIO(data), allow_pickle=False)


def checksum(entries: dict[str, bytes]) -> str:
    """SHA-256 of names, lengths and contents in order of name."""
    digest = hashlib.sha256()
    for name in sorted(entries):
        digest.update(f"{name}\0{len(entries[name])}\0".encode())
        digest.update(entries[name])
    return digest.hexdigest()


def write_whole(path: Path, entries: dict[str, bytes]) -> None:
    """Write next to `path` first, then rename: the file is whole or not there."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with (
            os.fdopen(handle, "wb") as stream,
            zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive,
        ):
            for name in sorted(entries):
                archive.writestr(name, entries[name])
            archive.writestr("checksum.txt", checksum(entries))
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def read_entries(path: Path) -> dict[str, bytes]:
    """Entries of a file whose checksum, format and version are right; else one sentence that says
    which is not."""
    refused = f"{path} is not a whole soloc model file"
    try:
        with zipfile.ZipFile(path) as archive:
            if any(info.file_size > MOST_BYTES for info in archive.infolist()):
                raise ValueError(f"{refused}: an entry claims more than {MOST_BYTES} bytes.")
            entries = {name: archive.read(name) for name in archive.namelist()}
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError) as error:
        raise ValueError(f"{refused} (it may be truncated or of another kind): {error}.") from None
    said = entries.pop("checksum.txt", b"").decode(errors="replace")
    try:
        facts = json.loads(entries["facts.json"])
        version = int(facts["version"]) if facts["format"] == FORMAT else None
    except (KeyError, ValueError, TypeError):
        version = None
    if version is None:
        raise ValueError(f"{refused}: it does not describe itself as {FORMAT!r}.")
    if version > VERSION:
        raise ValueError(
            f"{path} has format version {version}; this soloc reads up to {VERSION}. Update soloc"
            " to read it."
        )
    if said != checksum(entries):
        raise ValueError(
            f"{refused}: its contents do not match its checksum, so it was damaged or changed after"
            " saving."
        )
    return entries
