"""Tables on disk that can be trusted: written in one atomic move, read only when their checksum
holds.
"""

import hashlib
import io
import json
import os
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from soloc.runs.fingerprint import canonical


def _warn(message: str) -> None:
    warnings.warn(message, RuntimeWarning, stacklevel=3)


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
    held = pq.read_schema(path).metadata or {}
    return {
        name.decode().removeprefix("soloc."): json.loads(value)
        for name, value in held.items()
        if name.startswith(b"soloc.")
    }


def write_atomically(path: Path, content: bytes) -> None:
    """Put `content` at `path` so that a reader, or a machine that loses power, sees the old file or
    the new, never a part.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    with open(temporary, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)


class Store:
    """Results by key under one directory: `<name>/<key>.parquet`, with checksum and duration in
    `<key>.json` beside it.

    The sidecar is written last, so a table without one is unfinished and is computed again.
    """

    def __init__(self, directory: Path, warn: Callable[[str], None] = _warn) -> None:
        self.directory = Path(directory)
        self.warn = warn

    def put(
        self, name: str, key: str, table: pd.DataFrame, facts: Mapping[str, Any], seconds: float
    ) -> None:
        """Keep a table, then vouch for it."""
        content = parquet_bytes(table, facts)
        path = self._path(name, key)
        path.with_suffix(".json").unlink(missing_ok=True)
        write_atomically(path, content)
        vouch = {"sha256": hashlib.sha256(content).hexdigest(), "seconds": round(seconds, 3)}
        write_atomically(path.with_suffix(".json"), json.dumps(vouch).encode())

    def get(self, name: str, key: str) -> pd.DataFrame | None:
        """The table, or None when it was never finished or is damaged (which is said)."""
        path = self._path(name, key)
        try:
            vouch = json.loads(path.with_suffix(".json").read_text())
            expected = vouch["sha256"]
        except FileNotFoundError:
            return None
        except (ValueError, KeyError, TypeError, OSError):
            self.warn(f"{path.with_suffix('.json')} is damaged: its result is computed again.")
            return None
        try:
            content = path.read_bytes()
        except OSError:
            content = b""
        if hashlib.sha256(content).hexdigest() != expected:
            self.warn(f"{path} does not match its checksum: it is computed again.")
            return None
        return pq.read_table(io.BytesIO(content)).to_pandas()

    def vouches(self, name: str, key: str) -> bool:
        """Whether a result was finished, without reading it."""
        return self._path(name, key).with_suffix(".json").exists()

    def seconds(self, name: str, key: str) -> float:
        """How long the computation of a stored table took."""
        return float(json.loads(self._path(name, key).with_suffix(".json").read_text())["seconds"])

    def sweep(self) -> None:
        """Remove partial files whose writer no longer lives."""
        for path in self.directory.glob("**/.*.part"):
            writer = path.name.split(".")[-2]
            if writer.isdigit() and not _lives(int(writer)):
                path.unlink(missing_ok=True)

    def _path(self, name: str, key: str) -> Path:
        return self.directory / name / f"{key}.parquet"


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
