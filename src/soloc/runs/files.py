"""Files that can be trusted: tables as bytes with their facts, put in place in one atomic move."""

import io
import json
import os
import secrets
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from soloc.runs.fingerprint import canonical

_DAY = 86_400.0


def parquet_bytes(table: pd.DataFrame, facts: Mapping[str, Any]) -> bytes:
    """A table as Parquet with `facts` in its metadata; equal tables and facts give equal bytes."""
    arrow = pa.Table.from_pandas(table, preserve_index=False)
    own = {
        f"soloc.{name}".encode(): canonical(value).encode() for name, value in sorted(facts.items())
    }
    arrow = arrow.replace_schema_metadata({**(arrow.schema.metadata or {}), **own})
    buffer = io.BytesIO()
    pq.write_table(arrow, buffer, compression="zstd")
    return buffer.getvalue()


def read_facts(path: Path) -> dict[str, Any]:
    """What the metadata of a stored table says: config, seed, versions, revision."""
    held = pq.read_schema(io.BytesIO(path.read_bytes())).metadata or {}
    return {
        name.decode().removeprefix("soloc."): json.loads(value)
        for name, value in held.items()
        if name.startswith(b"soloc.")
    }


class CannotWrite(OSError):
    """An output that the disk does not take; what was there before is untouched."""

    exit_code = 4
    why: str

    @classmethod
    def at(cls, path: Path, why: str) -> Self:
        """The sentence about a path."""
        refusal = cls(
            f"`{path}` cannot be written ({why}); choose another place or make room there, and run"
            " the command again: what was finished is kept."
        )
        refusal.why = why
        return refusal


def write_atomically(path: Path, content: bytes | memoryview) -> None:
    """Put `content` at `path`: readers, and machines that lose power, see the old file or the new.

    The partial file has a random name: two hosts that share a directory may have equal process ids.
    """
    temporary = path.with_name(f".{secrets.token_hex(8)}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(temporary, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException as error:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise CannotWrite.at(path, error.strerror or str(error)) from None
        raise


def remove_old_parts(folder: Path) -> None:
    """Remove partial files of killed processes: those that nobody has written to for a day."""
    for path in folder.glob(".*.part"):
        try:
            if time.time() - path.stat().st_mtime > _DAY:
                path.unlink()
        except FileNotFoundError:  # renamed, or removed by another driver
            continue


def check_folder(folder: Path, asked: Path | None = None) -> None:
    """Refuse a folder that takes no file, before anything is computed for it; say `asked` then."""
    path = folder / f".{secrets.token_hex(8)}.part"
    try:
        write_atomically(path, b"room?")
        path.unlink()
    except CannotWrite as refusal:
        raise CannotWrite.at(asked or folder, refusal.why) from None


def check_file(path: Path) -> None:
    """Refuse a file that could not be written, before its content is computed."""
    if path.is_dir():
        raise CannotWrite.at(path, "it is a folder")
    check_folder(path.parent, path)
