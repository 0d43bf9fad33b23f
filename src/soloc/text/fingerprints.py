"""Digests of files, computed once per process and file version."""

import hashlib
from functools import cache
from pathlib import Path


def file_digest(path: Path) -> str:
    """SHA-256 of a file's content."""
    facts = path.stat()
    return _digest(path, facts.st_size, facts.st_mtime_ns)


@cache
def _digest(path: Path, size: int, changed: int) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
