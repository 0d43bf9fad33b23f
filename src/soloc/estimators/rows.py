"""Rows that stay on disk: a Parquet file or a memory-mapped array, read a block at a time."""

import mmap
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any

import numpy as np

MAPPED = 2**28  # bytes from which a memory-mapped array is read in blocks
SPARSE = 8  # one of so many rows are few


class Rows(ABC):
    """Rows of numbers, (N, d), of which `rows[a:b]` and `rows[positions]` read what is asked for.

    A subclass says how block number i is read; the last block stays in memory.
    """

    def __init__(self, starts: np.ndarray, width: int, dtype: Any) -> None:
        self.starts = starts  #: where each block begins, and where the last one ends
        self.shape, self.dtype, self.ndim = (int(starts[-1]), width), np.dtype(dtype), 2
        self._last: tuple[int, np.ndarray] | None = None

    @abstractmethod
    def block(self, i: int) -> np.ndarray:
        """The rows of block number i."""

    def __len__(self) -> int:
        return self.shape[0]

    @property
    def nbytes(self) -> int:
        """Bytes that the rows would take in memory."""
        return self.shape[0] * self.shape[1] * self.dtype.itemsize

    def __getitem__(self, index: Any) -> np.ndarray:
        if isinstance(index, slice) and index.step in (None, 1):
            first, stop, _ = index.indices(len(self))
            return self._between(first, stop)
        wanted = np.asarray(index)
        if wanted.ndim != 1 or wanted.dtype.kind not in "iu" or (len(wanted) and wanted.min() < 0):
            wanted = np.arange(len(self))[index]  # a mask, a stride, or places from the end
        out = np.empty((len(wanted), self.shape[1]), dtype=self.dtype)
        owner = np.searchsorted(self.starts, wanted, side="right") - 1
        for i in np.unique(owner):
            here = owner == i
            out[here] = self.some(int(i), wanted[here] - self.starts[i])
        return out

    def some(self, i: int, rows: np.ndarray) -> np.ndarray:
        """Some rows of block number i."""
        return self._cached(i)[rows]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """All rows in memory, for whoever knows no other way."""
        return self[:].astype(self.dtype if dtype is None else dtype, copy=False)

    def _between(self, first: int, stop: int) -> np.ndarray:
        """A copy: a view would keep its whole block in memory while the next one is read."""
        out = np.empty((max(stop - first, 0), self.shape[1]), dtype=self.dtype)
        i, done = int(np.searchsorted(self.starts, first, side="right")) - 1, 0
        while done < len(out):
            start, end = int(self.starts[i]), int(self.starts[i + 1])
            piece = self._cached(i)[first + done - start : stop - start]
            out[done : done + len(piece)] = piece
            done, i = done + len(piece), i + 1
            if stop >= end:  # whoever reads on needs the next block
                self.forget()
            del piece
        return out

    def forget(self) -> None:
        """Give back the memory of the block that was read last."""
        self._last = None

    def _cached(self, i: int) -> np.ndarray:
        if self._last is None or self._last[0] != i:
            self.forget()  # before the next one is read: one block at most
            self._last = i, self.block(i)
        return self._last[1]


class MappedRows(Rows):
    """Rows of a memory-mapped array, of which only the block that is used is in memory."""

    BYTES = 2**25  # of a block

    def __init__(self, array: np.memmap) -> None:
        each = max(1, self.BYTES // max(array.itemsize * array.shape[1], 1))
        starts = np.append(np.arange(0, len(array), each), len(array))
        super().__init__(starts, array.shape[1], array.dtype)
        self.path, self.offset = Path(str(array.filename)), array.offset

    def block(self, i: int) -> np.ndarray:
        """Read, not mapped: pages of a map would stay in memory."""
        start, stop = int(self.starts[i]), int(self.starts[i + 1])
        skipped = self.offset + start * self.shape[1] * self.dtype.itemsize
        count = (stop - start) * self.shape[1]
        flat = np.fromfile(self.path, dtype=self.dtype, count=count, offset=skipped)
        return flat.reshape(-1, self.shape[1])


class ParquetRows(Rows):
    """Columns of a Parquet file; a block is one of its row groups."""

    def __init__(self, path: Path, columns: list[str], dtype: Any) -> None:
        import pyarrow.parquet as pq

        self.path, self.columns = path, columns
        groups = pq.ParquetFile(path).metadata
        sizes = [groups.row_group(i).num_rows for i in range(groups.num_row_groups)]
        starts = np.concatenate([[0], np.cumsum([size for size in sizes if size])])
        self.numbers = [i for i, size in enumerate(sizes) if size]
        super().__init__(starts, len(columns), dtype)

    def block(self, i: int) -> np.ndarray:
        """One row group."""
        return self._read(i, slice(None), int(self.starts[i + 1] - self.starts[i]))

    def some(self, i: int, rows: np.ndarray) -> np.ndarray:
        """Without the others, where these are few among those they lie between."""
        size = self.starts[i + 1] - self.starts[i]
        if np.ptp(rows) < SPARSE * len(rows) and size < SPARSE**2 * len(rows):
            return super().some(i, rows)
        self.forget()
        return self._read(i, rows, len(rows))

    def _read(self, i: int, rows: Any, count: int) -> np.ndarray:
        """One column after the other, so that there is no second copy of the block."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        out = np.empty((count, self.shape[1]), dtype=self.dtype)
        with pq.ParquetFile(self.path) as file:
            for j, column in enumerate(self.columns):
                table = file.read_row_group(self.numbers[i], [column], use_threads=False)
                out[:, j] = table.column(0).to_numpy()[rows]
        pa.default_memory_pool().release_unused()
        return out


def mapped(values: Any) -> Any:
    """A large memory-mapped array as rows on disk; anything else as it is."""
    plain = isinstance(values, np.memmap) and isinstance(values.base, mmap.mmap)
    if not plain or values.ndim != 2 or values.dtype.name not in ("float32", "float64"):
        return values
    large = values.nbytes >= MAPPED and values.flags.c_contiguous
    return MappedRows(values) if large else values
