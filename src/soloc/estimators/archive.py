"""The archive: facts and arrays in one uncompressed zip, with a checksum and a format version."""

import hashlib
import io
import json
import os
import tempfile
import warnings
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

FORMAT = "soloc-model"
VERSION = 2  # of 1 the contexts of networks meant something else
FACTS, CHECKSUM = "facts.json", "checksum.txt"


def write_archive(path: Path, facts: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
    """Write next to `path` first, then rename: the file is whole or not there."""
    entries = {f"{name}.npy": npy_bytes(array) for name, array in arrays.items()}
    try:
        said = {"format": FORMAT, "version": VERSION, **facts}
        entries[FACTS] = json.dumps(said, sort_keys=True, allow_nan=False).encode()
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"`notes` must be plain JSON (strings, finite numbers, lists, dictionaries): {error}."
        ) from None
    refuse_folder(path)
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise type(error)(
            f"`path` must be in a folder that exists and can be written, got {str(path)!r}"
            f" ({error.strerror})."
        ) from None
    try:
        with (
            os.fdopen(handle, "wb") as stream,
            zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive,
        ):
            for name in sorted(entries):
                archive.writestr(name, entries[name])
            archive.writestr(CHECKSUM, checksum(entries))
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def read_archive(path: Path) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Facts and arrays of a file whose size, checksum, format and version are right."""
    refuse_folder(path)
    refused = f"{path} is not a whole soloc model file"
    entries = read_entries(path, refused)
    said = entries.pop(CHECKSUM, b"").decode(errors="replace")
    try:
        facts = json.loads(entries[FACTS])
        version = facts["version"] if facts["format"] == FORMAT else None
    except (KeyError, ValueError, TypeError, RecursionError):
        version = None
    if not isinstance(version, int) or isinstance(version, bool):
        raise ValueError(f"{refused}: it does not describe itself as {FORMAT!r}.")
    if version > VERSION:
        raise ValueError(
            f"{path} has format version {version}; this soloc reads up to {VERSION}. Update soloc"
            " to read it."
        )
    if version < VERSION:
        raise ValueError(
            f"{path} has format version {version}, of a soloc before 0.1.0, where numbers meant"
            " something else. Fit the model again."
        )
    if said != checksum(entries):
        raise ValueError(
            f"{refused}: its contents do not match its checksum, so it was damaged or changed after"
            " saving."
        )
    arrays = {}
    for name in entries:
        if not name.endswith(".npy"):
            continue
        try:
            arrays[name[:-4]] = read_npy(entries[name])
        except Exception as error:  # headers are parsed as Python: they fail in many ways
            raise ValueError(f"{refused}: array {name!r} cannot be read: {error}.") from None
    return facts, arrays


def refuse_folder(path: Path) -> None:
    """Refuse a folder where a file is meant."""
    if path.is_dir():
        raise IsADirectoryError(f"`path` must name a file, got the folder {str(path)!r}.")


def read_entries(path: Path, refused: str) -> dict[str, bytes]:
    """Entries by name. They are stored as they are, so they never hold more than the file does."""
    try:
        with zipfile.ZipFile(path) as archive:
            infos = archive.infolist()
            if any(info.compress_type != zipfile.ZIP_STORED for info in infos):
                raise ValueError(
                    f"{refused}: soloc writes its entries uncompressed, these are not."
                )
            size = sum(info.file_size for info in infos)
            if size > path.stat().st_size:
                raise ValueError(f"{refused}: its entries claim {size} bytes, more than it has.")
            if len({info.filename for info in infos}) < len(infos):
                raise ValueError(f"{refused}: two of its entries have one name.")
            return {info.filename: archive.read(info) for info in infos}
    except (
        zipfile.BadZipFile,
        EOFError,
        NotImplementedError,
        RuntimeError,
        OverflowError,
        UnicodeDecodeError,
    ) as error:
        raise ValueError(f"{refused} (it may be truncated or of another kind): {error}.") from None


def npy_bytes(array: np.ndarray) -> bytes:
    """The array in NumPy's own format."""
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=False)
    return buffer.getvalue()


def read_npy(data: bytes) -> np.ndarray:
    """The array back, if its header and its size agree; pickled objects are refused."""
    stream = io.BytesIO(data)
    version = np.lib.format.read_magic(stream)
    if version != (1, 0):
        raise ValueError(f"its format version is {version}")
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # headers of other writers
        shape, fortran, dtype = np.lib.format.read_array_header_1_0(stream)
    if dtype.hasobject:
        raise ValueError("it holds objects, which are never read (allow_pickle)")
    count = int(np.prod([int(length) for length in shape], dtype=object)) if shape else 1
    rest = len(data) - stream.tell()
    if min(shape, default=0) < 0 or count * dtype.itemsize != rest:
        raise ValueError(f"its header promises {count} numbers, its size is {rest} bytes")
    flat = np.frombuffer(data, dtype=dtype, count=count, offset=stream.tell())
    return flat.reshape(shape, order="F" if fortran else "C").copy()


def checksum(entries: dict[str, bytes]) -> str:
    """SHA-256 of names, lengths and contents in order of name."""
    digest = hashlib.sha256()
    for name in sorted(entries):
        digest.update(f"{name}\0{len(entries[name])}\0".encode())
        digest.update(entries[name])
    return digest.hexdigest()
