"""Results by key under one directory: append-only segments, `<name>/<SHA-256>.parquet`.

Any number of drivers, on any number of hosts, may share a directory: a segment is complete the
moment it has its name, is never changed, and is removed only when a merged one that holds its cells
is in place. A reader that misses a segment, because another driver has merged it, lists again.
"""

import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from soloc.runs.files import remove_old_parts, write_atomically
from soloc.runs.fingerprint import canonical
from soloc.runs.segments import (
    FACTS,
    KEY,
    SECONDS,
    Entry,
    Rows,
    kind_of,
    merged,
    read_segment,
    rows_of,
    segment_bytes,
    segment_of,
)

FLUSH_SECONDS, FLUSH_CELLS = 2.0, 500
MANY_SEGMENTS = 200
_LARGE = 50_000  # cells of a segment that is not merged again: merging costs the same for ever


def _warn(message: str) -> None:
    warnings.warn(message, RuntimeWarning, stacklevel=3)


class Store:
    """What a driver knows of a directory of results, and the cells it has yet to write.

    `add` keeps a result in memory; `flush` writes what was added, `tend` when it is time to.
    """

    def __init__(self, directory: Path, warn: Callable[[str], None] = _warn) -> None:
        self.directory = Path(directory)
        self.warn = warn
        self._shelves: dict[str, _Shelf] = {}

    def add(
        self, name: str, key: str, table: pa.Table, facts: Mapping[str, Any], seconds: float
    ) -> None:
        """Keep a result; it is on disk after the next `flush`."""
        self._shelf(name).add(Entry(key, table, canonical(facts), round(seconds, 3)))

    def tend(self) -> None:
        """Write what has waited for two seconds, or is 500 cells."""
        for shelf in self._shelves.values():
            if shelf.is_due():
                shelf.flush()

    def flush(self) -> None:
        """Write all that was added."""
        for shelf in self._shelves.values():
            shelf.flush()

    def holds(self, name: str, key: str) -> bool:
        """Whether a result is on disk."""
        return self._shelf(name).find(key) is not None

    def get(self, name: str, key: str) -> pd.DataFrame | None:
        """The table of a cell, or None when it is not there."""
        found = self._shelf(name).find(key)
        return None if found is None else rows_of(found[0], [found[1]], [0]).table.to_pandas()

    def seconds(self, name: str, key: str) -> float:
        """How long the computation of a stored table took; 0 when it is not there."""
        found = self._shelf(name).find(key)
        return 0.0 if found is None else float(found[0].column(SECONDS)[found[1]].as_py())

    def rows(self, name: str, keys: Sequence[str]) -> Iterator[Rows]:
        """The tables of many cells, a block for every segment; `places` count along `keys`."""
        shelf = self._shelf(name)
        blocks: dict[int, tuple[pa.Table, list[int], list[int]]] = {}
        for place, key in enumerate(keys):
            found = shelf.find(key)
            if found is not None:
                segment, row = found
                block = blocks.setdefault(id(segment), (segment, [], []))
                block[1].append(row)
                block[2].append(place)
        for segment, rows, places in blocks.values():
            yield rows_of(segment, rows, places)

    def _shelf(self, name: str) -> "_Shelf":
        if name not in self._shelves:
            self._shelves[name] = _Shelf(self.directory / name, self.warn)
        return self._shelves[name]


class _Shelf:
    """The segments of one name."""

    def __init__(self, folder: Path, warn: Callable[[str], None]) -> None:
        self.folder, self.warn = folder, warn
        self.index: dict[str, tuple[pa.Table, int]] = {}
        self.cells: dict[str, int] = {}  # how many each file holds
        self.waiting: list[Entry] = []
        self.waiting_since = 0.0
        self.least = 0  # segments that no merge can save: one for every schema but the first
        remove_old_parts(self.folder)
        self.look()

    def find(self, key: str) -> tuple[pa.Table, int] | None:
        """The segment and the row of a cell."""
        return self.index.get(key)

    def look(self) -> None:
        """Read the segments that are new, until a listing shows none that is not known."""
        listed: set[str] = set()
        while (now := self._listing()) != listed:
            listed = now
            for name in sorted(now - self.cells.keys()):
                segment = self._read(name)
                if segment is not None:
                    self._take(name, segment)

    def add(self, entry: Entry) -> None:
        if not self.waiting:
            self.waiting_since = time.monotonic()
        self.waiting.append(entry)

    def is_due(self) -> bool:
        """Whether what waits should be written now."""
        old = time.monotonic() - self.waiting_since >= FLUSH_SECONDS
        return len(self.waiting) >= FLUSH_CELLS or (bool(self.waiting) and old)

    def flush(self) -> None:
        """Write what waits: one segment for every schema; then merge, if there are many."""
        kinds: dict[tuple[Any, ...], list[Entry]] = {}
        for entry in self.waiting:
            kinds.setdefault(kind_of(entry.table.schema), []).append(entry)
        for entries in kinds.values():
            segment = segment_of(entries)
            self._take(self._write(segment), segment)
        self.waiting = []
        small = [name for name, cells in self.cells.items() if cells < _LARGE]
        if len(small) > MANY_SEGMENTS + self.least:
            self._merge(small)

    def _merge(self, names: list[str]) -> None:
        """Put the cells of these segments into one for every schema, then remove these."""
        segments = {name: self._read(name) for name in names}
        present = {name: segment for name, segment in segments.items() if segment is not None}
        for name in names:  # of those that are gone, another driver's merged one holds the cells
            if name not in present:
                self.cells.pop(name)
        successors = {self._write(segment): segment for segment in merged([*present.values()])}
        for name in present.keys() - successors.keys():
            (self.folder / f"{name}.parquet").unlink(missing_ok=True)
            self.cells.pop(name)
        self.cells.update({name: segment.num_rows for name, segment in successors.items()})
        self.least = max(len(successors) - 1, 0)

    def _write(self, segment: pa.Table) -> str:
        name, content = segment_bytes(segment)
        write_atomically(self.folder / f"{name}.parquet", content)
        return name

    def _take(self, name: str, segment: pa.Table) -> None:
        self.cells[name] = segment.num_rows
        slim = segment.drop_columns([FACTS])
        for row, key in enumerate(segment.column(KEY).to_pylist()):
            self.index.setdefault(key, (slim, row))

    def _read(self, name: str) -> pa.Table | None:
        """A segment; None when it has gone, or is damaged: then it is put aside, which is said."""
        path = self.folder / f"{name}.parquet"
        try:
            segment = read_segment(name, path.read_bytes())
        except FileNotFoundError:
            return None
        if segment is None:
            self.warn(f"{path} does not match its checksum: its cells are computed again.")
            path.replace(path.with_suffix(".damaged"))
        return segment

    def _listing(self) -> set[str]:
        return {path.stem for path in self.folder.glob("*.parquet")}
