"""Compiled programs kept from one command to the next, by JAX's own cache on disk.

They lie in the user's cache folder, in one folder for each kind of processor. It is only a cache:
what is damaged is thrown away and compiled again, and a folder that cannot be written is not used.
Children inherit the environment, and so the cache. Importing this imports no library.
"""

import hashlib
import os
import platform
import stat
import sys
import time
import warnings
import zlib
from collections.abc import MutableMapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

MOST_BYTES = 256 * 2**20
_FOLDER = "JAX_COMPILATION_CACHE_DIR"
_SETTINGS = {
    "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0.02",  # reading one back takes about .01
    "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
}
# JAX warns of entries that it cannot use, as of one that another process is still writing, and
# compiles: nothing that anybody could do something about
_WARNINGS = "Error reading persistent compilation cache", "Error writing persistent compilation"
_CHECKED = "checked"  # entries older than this file are whole
_BEING_WRITTEN = 60.0  # seconds


class Kept(NamedTuple):
    """What a folder of compiled programs holds."""

    programs: int
    bytes: int


def default_folder() -> Path:
    """Where programs for this processor are kept, unless JAX_COMPILATION_CACHE_DIR says where."""
    return _cache_home() / "soloc" / "compiled" / _processor()


def keep_compiled(environment: MutableMapping[str, str] = os.environ) -> Path | None:
    """Have JAX, which is not imported yet, keep its programs, here and in children.

    The folder, or None where none can be used. Whoever has set JAX's own variables is obeyed.
    """
    if _FOLDER in environment or environment.get("JAX_ENABLE_COMPILATION_CACHE") in ("0", "false"):
        return None
    try:
        folder = default_folder()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _is_ours(folder):  # whoever can write there could have us run anything
            return None
        tidy(folder)
    except (OSError, RuntimeError):  # no folder, no home
        return None
    environment[_FOLDER] = str(folder)
    for name, value in _SETTINGS.items():
        environment.setdefault(name, value)
    for sentence in _WARNINGS:
        warnings.filterwarnings("ignore", sentence)
    told = [f"ignore:{sentence}" for sentence in _WARNINGS]
    environment["PYTHONWARNINGS"] = ",".join(
        [*filter(None, [environment.get("PYTHONWARNINGS")]), *told]
    )
    return folder


def tidy(folder: Path, most: int = MOST_BYTES, now: float | None = None) -> None:
    """Throw away entries that were not written whole, and the oldest if there are too many."""
    now = time.time() if now is None else now
    entries = sorted(_entries(folder), key=lambda each: each[1].st_mtime, reverse=True)
    mark = folder / _CHECKED
    checked = mark.stat().st_mtime if mark.exists() else 0.0
    size, news = 0, False
    for path, facts in entries:
        size += facts.st_size
        fresh = facts.st_mtime > checked - _BEING_WRITTEN
        news = news or fresh
        settled = facts.st_mtime < now - _BEING_WRITTEN
        if size > most or (fresh and settled and not _whole(path)):
            path.unlink(missing_ok=True)
    if news or not mark.exists():
        mark.touch()


def holds(folder: Path) -> Kept:
    """How many programs a folder keeps, and their size."""
    sizes = [facts.st_size for _, facts in _entries(folder)]
    return Kept(len(sizes), sum(sizes))


def clear(folder: Path) -> Kept:
    """Throw all away; those that were there."""
    before = holds(folder)
    for path, _ in _entries(folder):
        path.unlink(missing_ok=True)
    (folder / _CHECKED).unlink(missing_ok=True)
    return before


def _entries(folder: Path) -> list[tuple[Path, os.stat_result]]:
    found = []
    for path in folder.glob("*-cache"):
        with suppress(FileNotFoundError):  # another process is tidying up as well
            found.append((path, path.stat()))
    return found


def _whole(path: Path) -> bool:
    """Whether an entry can be unpacked; of another packing than zlib's only JAX could tell."""
    try:
        content = path.read_bytes()
        if content[:1] == b"\x78":
            zlib.decompress(content)
        return bool(content)
    except (zlib.error, OSError):
        return False


def _is_ours(folder: Path) -> bool:
    if not hasattr(os, "getuid"):
        return True
    facts = folder.stat()
    others = facts.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return facts.st_uid == os.getuid() and not others and os.access(folder, os.W_OK)


def _cache_home() -> Path:
    if sys.platform == "win32" and "LOCALAPPDATA" in os.environ:
        return Path(os.environ["LOCALAPPDATA"])
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    named = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return named if named.is_absolute() else Path.home() / ".cache"


def _processor() -> str:
    """A name for this kind of processor: a program for another may not run here."""
    facts = platform.machine() + sys.platform
    with suppress(OSError), open("/proc/cpuinfo", encoding="utf-8", errors="replace") as lines:
        facts += next((line for line in lines if line.startswith(("flags", "Features"))), "")
    return hashlib.sha256(facts.encode()).hexdigest()[:12]
