"""Parquet files to bags that stay on disk: one row per instance, rows of a bag adjacent."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from soloc.estimators.frames import refuse_equal_names, refuse_several, refuse_two_roles
from soloc.estimators.rows import ParquetRows


def read_parquet(
    kind: Any, path: Path, bag: str, columns: Sequence[str] | None, label: str | None
) -> Any:
    """Bags (`kind`) whose instances stay in the file; see `Bags.from_parquet`."""
    if not path.exists():
        raise FileNotFoundError(f"`path` {path} does not exist.")
    try:
        with pq.ParquetFile(path) as file:
            schema = file.schema_arrow
    except pa.ArrowInvalid as error:
        raise ValueError(f"`path` {path} could not be read as Parquet: {error}") from None
    refuse_equal_names(schema.names, f"`path` {path}")
    refuse_several(bag=bag, label=label)
    for role, column in (("bag", bag), ("label", label)):
        if column is not None and column not in schema.names:
            raise ValueError(
                f"`{role}` names a column {column!r} that the file lacks; it has {schema.names}."
            )
    refuse_two_roles(bag, label, None, columns, "columns")
    aside = {bag: "it names the bag"} | ({label: "it is the label"} if label is not None else {})
    if columns is None:
        others = [name for name in schema.names if name not in aside]
        aside |= {name: why for name in others if (why := no_feature(schema.field(name).type))}
        columns = [name for name in others if name not in aside]
    else:
        refuse_columns(schema, columns)
        others = [name for name in schema.names if name not in aside]
        aside |= {name: "it is not among `columns`" for name in others}
    if not len(columns):
        raise ValueError("`columns` must name at least one numeric column of the file, got none.")
    single = all(pa.types.is_float32(schema.field(name).type) for name in columns)
    rows = ParquetRows(path, list(columns), np.float32 if single else np.float64)
    if len(rows) == 0:
        raise ValueError(f"`path` {path} must have at least one row, got none.")
    offsets, ids, labels = adjacent_bags(path, bag, label)
    return kind(rows, offsets, ids=ids, labels=labels, features=list(columns), aside=aside)


def no_feature(kind: pa.DataType) -> str:
    """Why a column is no feature unless `columns` names it; nothing when it is one."""
    if pa.types.is_boolean(kind):
        return "it holds truth values"
    numeric = pa.types.is_floating(kind) or pa.types.is_integer(kind)
    return "" if numeric else "it does not hold numbers"


def refuse_columns(schema: pa.Schema, columns: Sequence[str]) -> None:
    """Refuse columns that the file lacks, or that are not numbers."""
    missing = [name for name in columns if name not in schema.names]
    if missing:
        raise ValueError(f"`columns` names {missing}, which the file lacks; it has {schema.names}.")
    for name in columns:
        kind = schema.field(name).type
        if no_feature(kind) and not pa.types.is_boolean(kind):
            raise ValueError(f"column {name!r} of the file must be numeric, got type {kind}.")


def adjacent_bags(
    path: Path, bag: str, label: str | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Where bags begin and end, what they are called, and their labels; two columns are read."""
    starts, ids, labels, last, seen = [], [], [], None, 0
    for names, values in column_pairs(path, bag, label):
        if names.isna().any():
            row = seen + int(names.isna().argmax())
            raise ValueError(
                f"column {bag!r} (`bag`) must say the bag of every row; row {row} is missing."
            )
        begins = np.empty(len(names), dtype=bool)
        begins[0] = last is None or names.iloc[0] != last[0]
        begins[1:] = names.to_numpy()[1:] != names.to_numpy()[:-1]
        at = np.flatnonzero(begins)
        starts.append(seen + at)
        ids.append(names.to_numpy()[at])
        if values is not None:
            flat = values.to_numpy()
            owner = np.cumsum(begins) - 1
            expected = np.concatenate([[flat[0] if last is None else last[1]], flat[at]])[owner + 1]
            wrong = (flat != expected) & ~(pd.isna(flat) & pd.isna(expected))
            if wrong.any():
                raise ValueError(
                    f"bag {names.iloc[int(np.argmax(wrong))]} has more than one value in column"
                    f" {label!r} (`label`); a bag has one label."
                )
            labels.append(flat[at])
        last = names.iloc[-1], None if values is None else flat[-1]
        seen += len(names)
    found = np.concatenate(ids)
    repeated = pd.Series(found).duplicated()
    if repeated.any():
        raise ValueError(
            f"rows of a bag must be adjacent in {path}, those of bag"
            f" {found[int(repeated.argmax())]} are not; sort the file by column {bag!r}."
        )
    offsets = np.append(np.concatenate(starts), seen)
    return offsets, found, np.concatenate(labels) if labels else None


def column_pairs(
    path: Path, bag: str, label: str | None
) -> Iterator[tuple[pd.Series, pd.Series | None]]:
    """The columns of bag and label, one row group at a time."""
    with pq.ParquetFile(path) as file:
        for i in range(file.num_row_groups):
            wanted = [bag] if label is None else [bag, label]
            table = file.read_row_group(i, wanted, use_threads=False).to_pandas()
            if len(table):
                yield table[bag], None if label is None else table[label]
