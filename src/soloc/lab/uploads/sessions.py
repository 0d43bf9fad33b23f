"""Uploaded tables and what was found in them: in memory, under an unguessable name, for a limited
time.
"""

import secrets
import threading
import time
from typing import Any

LARGEST_FILE = 8 * 2**20  # bytes
# beyond, the one that was not used for longest is forgotten
MOST_TABLES, MOST_BYTES = 24, 96 * 2**20
_PARTS = ("bags", "instances", "features")  # of a study, with many rows
KEPT = 30 * 60.0  # seconds after its last use for which a table is kept


class Table:
    """One uploaded file, its raw bytes as they came, and the last study of it."""

    def __init__(self, name: str, content: bytes) -> None:
        self.name, self.content = name, content
        self.token = secrets.token_urlsafe(24)
        self.study: dict[str, Any] | None = None
        self.asked: Any = None
        self.used = time.monotonic()

    @property
    def size(self) -> int:
        """Bytes held, roughly."""
        cells = (
            0
            if self.study is None
            else sum(len(v) for part in _PARTS for v in self.study[part].values())
        )
        return len(self.content) + 64 * cells


class Tables:
    """All tables of one server."""

    def __init__(self) -> None:
        self._tables: dict[str, Table] = {}
        self._lock = threading.Lock()

    def add(self, name: str, content: bytes) -> Table:
        """Keep a file."""
        table = Table(name, content)
        with self._lock:
            self._tables[table.token] = table
            self._forget()
        return table

    def get(self, token: str) -> Table | None:
        """The table of that token, if it is still kept."""
        with self._lock:
            self._forget()
            table = self._tables.get(token)
            if table is not None:
                table.used = time.monotonic()
            return table

    def remember(self, table: Table, asked: Any, study: dict[str, Any]) -> None:
        """Keep what was found in a table, instead of what was found before."""
        with self._lock:
            table.asked, table.study = asked, study
            table.used = time.monotonic()
            self._forget()

    def drop(self, token: str) -> bool:
        """Forget a table now."""
        with self._lock:
            return self._tables.pop(token, None) is not None

    def close(self) -> None:
        """Forget everything."""
        with self._lock:
            self._tables.clear()

    def __len__(self) -> int:
        return len(self._tables)

    def _forget(self) -> None:
        now = time.monotonic()
        for token in [token for token, table in self._tables.items() if now - table.used > KEPT]:
            del self._tables[token]
        while len(self._tables) > MOST_TABLES or (
            len(self._tables) > 1
            and sum(table.size for table in self._tables.values()) > MOST_BYTES
        ):
            del self._tables[min(self._tables, key=lambda token: self._tables[token].used)]
