"""A segment: many cells in one Parquet file that is named by its own SHA-256 and never changed.

One row is one cell: its key, how long it took, what decided it, and every column of its table as a
list. Cells in one segment have tables of one schema; a cell without rows has empty lists.
"""

import hashlib
import io
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

KEY, SECONDS, FACTS = "(key)", "(seconds)", "(facts)"  # no column of a result is called like these
_OWN = (KEY, SECONDS, FACTS)
_PANDAS = b"pandas"  # how pandas wants its types back


class Entry(NamedTuple):
    """One finished cell."""

    key: str
    table: pa.Table
    facts: str  #: what decided it, as JSON
    seconds: float


class Rows(NamedTuple):
    """Tables of several cells below each other, and for every row the place of its cell."""

    places: np.ndarray[Any, Any]
    table: pa.Table


def kind_of(schema: pa.Schema) -> tuple[Any, ...]:
    """Equal for schemas that may share a segment."""
    return tuple(schema.names), tuple(schema.types), (schema.metadata or {}).get(_PANDAS)


def segment_of(entries: Sequence[Entry]) -> pa.Table:
    """A segment of cells whose tables have one schema."""
    payload = pa.concat_tables([entry.table for entry in entries]).combine_chunks()
    ends = np.cumsum([0, *(entry.table.num_rows for entry in entries)])
    offsets = pa.array(ends, pa.int32())
    columns = {
        KEY: pa.array([entry.key for entry in entries], pa.string()),
        SECONDS: pa.array([entry.seconds for entry in entries], pa.float64()),
        FACTS: pa.array([entry.facts for entry in entries], pa.string()),
    }
    for name in payload.column_names:
        columns[name] = pa.ListArray.from_arrays(offsets, _whole(payload.column(name)))
    held = payload.schema.metadata or {}
    return pa.table(columns, metadata={_PANDAS: held[_PANDAS]} if _PANDAS in held else None)


def rows_of(segment: pa.Table, rows: Sequence[int], places: Sequence[int]) -> Rows:
    """The tables of some of a segment's cells; the caller knows them by `places`."""
    chosen = segment.take(pa.array(rows, pa.int64()))
    names = [name for name in segment.column_names if name not in _OWN]
    lists = [_whole(chosen.column(name)) for name in names]
    counts = pc.list_value_length(lists[0]).to_numpy() if lists else np.zeros(len(rows), int)
    table = pa.table([column.flatten() for column in lists], names=names)
    return Rows(np.repeat(places, counts), table.replace_schema_metadata(segment.schema.metadata))


def merged(segments: Sequence[pa.Table]) -> Iterator[pa.Table]:
    """The same cells in one segment for every schema, each cell once, in the order of their keys.

    Equal cells give an equal segment, so drivers that merge the same ones agree on its name.
    """
    kinds: dict[tuple[Any, ...], list[pa.Table]] = {}
    for segment in segments:
        kinds.setdefault(kind_of(segment.schema), []).append(segment)
    for group in kinds.values():
        together = pa.concat_tables(group)
        order = pc.sort_indices(together, [(KEY, "ascending"), (SECONDS, "ascending")])
        keys = together.column(KEY).take(order).to_numpy(zero_copy_only=False)
        first = np.ones(len(keys), bool)
        first[1:] = keys[1:] != keys[:-1]
        yield together.take(order.filter(pa.array(first))).combine_chunks()


def segment_bytes(segment: pa.Table) -> tuple[str, bytes]:
    """A segment's name and content."""
    buffer = io.BytesIO()
    pq.write_table(segment, buffer, compression="zstd")
    content = buffer.getvalue()
    return hashlib.sha256(content).hexdigest(), content


def read_segment(name: str, content: bytes) -> pa.Table | None:
    """The segment of that name, or None when the content is not what the name promises."""
    if hashlib.sha256(content).hexdigest() != name:
        return None
    return pq.read_table(io.BytesIO(content))


def _whole(column: pa.ChunkedArray) -> pa.Array:
    whole = column.combine_chunks()
    return pa.concat_arrays(whole.chunks) if isinstance(whole, pa.ChunkedArray) else whole
