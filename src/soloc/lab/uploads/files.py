"""Files of bags from strangers: read within limits, described column by column, with a guess of
what each column is.

This runs in the worker process (see `bag_worker`), whose memory and time are bounded as well: what
a file says about itself is checked first, and not believed.
"""

import codecs
import io
import math
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import pandas as pd

from soloc.estimators.dialects import SEPARATORS, Dialect, decoded, read_text_table
from soloc.estimators.frames import refuse_equal_names
from soloc.lab.uploads.sessions import LARGEST_FILE

MOST_ROWS, MOST_COLUMNS = 100_000, 200
MOST_CELLS = 4_000_000
MOST_UNPACKED = 128 * 2**20  # bytes in memory
_LONGEST_HEADER = 64 * 1024
SHOWN_ROWS = 5  # of a preview
_WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_BAG = re.compile(
    r"(^|_|\b)(bag|id|group|peptide|sentence|document|patient|slide|image|molecule|sample|sequence)"
    r"s?(_?id)?$",
    re.I,
)
_LABEL = re.compile(
    r"(^|_|\b)(label|y|target|class|affinity|score|response|outcome|activity|value)$", re.I
)
_NAME = re.compile(r"(^|_|\b)(name|instance|token|word|window|tile|atom)$", re.I)


class Column(NamedTuple):
    """What the page shows of a column: `kind` is number, text or truth."""

    name: str
    kind: str
    different: int
    missing: int
    constant: bool  #: the same for all instances of every bag, where the bag is guessed
    first: list[str]  #: its first cells


class Guess(NamedTuple):
    """What each column might be."""

    bag: str | None
    label: str | None
    name: str | None
    features: list[str]
    classes: bool


class Read(NamedTuple):
    """A table, and how its text was read; None for Parquet."""

    table: pd.DataFrame
    dialect: Dialect | None
    as_text: list[str]  #: columns of names that look like numbers, and are none: 007 is not 7


def read_bags_file(name: str, content: bytes, ids: Sequence[str] = ()) -> Read:
    """The table in a CSV, TSV or Parquet file, refused in a sentence when it is too large or not a
    table. Columns of `ids` name something.
    """
    dialect, as_text = None, []
    if len(content) > LARGEST_FILE:
        raise ValueError(
            f"The file must have at most {LARGEST_FILE // 2**20} MB, got"
            f" {len(content) / 2**20:.1f} MB."
        )
    if content[:4] == b"PAR1":
        table = _parquet(content)
    elif name.lower().endswith(".parquet"):
        raise ValueError("The file ends in .parquet but is no Parquet file.")
    else:
        table, dialect = _text(content)
        as_text = _keep_names(table, content, ids)
    if not len(table):
        raise ValueError("The file must have at least one row below its header, got none.")
    table.columns = [str(column) for column in table.columns]
    refuse_equal_names(list(table.columns), "The file")
    return Read(table, dialect, as_text)


def _keep_names(table: pd.DataFrame, content: bytes, ids: Sequence[str]) -> list[str]:
    """Make those columns text again that do not say as numbers what stands in the file."""
    ids = [each for each in ids if each in table and _kind(table[each]) == "number"]
    if not ids:
        return []
    written = read_text_table(content, ids=ids)[0]
    kept = [each for each in ids if not (table[each].astype(str) == written[each]).all()]
    table[kept] = written[kept]
    return kept


def _parquet(content: bytes) -> pd.DataFrame:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(
            io.BytesIO(content), thrift_string_size_limit=2**20, thrift_container_size_limit=100_000
        )
        facts = file.metadata
        _refuse_large(facts.num_rows, facts.num_columns)
        unpacked = sum(facts.row_group(i).total_byte_size for i in range(facts.num_row_groups))
        if unpacked > MOST_UNPACKED:
            raise ValueError(
                f"The file unpacks to {unpacked / 2**20:.0f} MB; it must be at most"
                f" {MOST_UNPACKED // 2**20} MB."
            )
        batches, size, rows = [], 0, 0
        for batch in file.iter_batches(batch_size=2048, use_threads=False):
            size, rows = size + batch.nbytes, rows + batch.num_rows
            _refuse_large(rows, batch.num_columns)
            if size > MOST_UNPACKED:
                raise ValueError(
                    f"The file unpacks to more than {MOST_UNPACKED // 2**20} MB; it must be"
                    " smaller."
                )
            batches.append(batch)
        return pa.Table.from_batches(batches, schema=file.schema_arrow).to_pandas(use_threads=False)
    except MemoryError:
        raise
    except (pa.ArrowException, OSError) as error:
        raise ValueError(
            f"The Parquet file cannot be read ({type(error).__name__}); write it again, with plain"
            " columns."
        ) from None


def _text(content: bytes) -> tuple[pd.DataFrame, Dialect]:
    """The table of a text, as the command line reads it, once it is known not to be too large."""
    if b"\0" in content and not content.startswith(_WIDE):
        raise ValueError("The file must be CSV, TSV or Parquet; it holds zero bytes.")
    try:
        text, _ = decoded(content)
    except UnicodeDecodeError:
        raise ValueError("The file must be CSV, TSV or Parquet; it is not text.") from None
    header = text[:_LONGEST_HEADER].split("\n", 1)[0]
    if len(header) == _LONGEST_HEADER:
        raise ValueError(
            "The first line of the file must hold the names of the columns; it is far too long."
        )
    widest = max(header.count(separator) for separator in SEPARATORS)
    _refuse_large(text.count("\n"), widest + 1)
    # pandas would take a minute to say so
    lines = text.split("\n")
    if max(line.count(mark) for line in lines for mark in SEPARATORS) > 20 * MOST_COLUMNS:
        raise ValueError(
            "The file cannot be read as a table: a line has far more cells than the first one."
        )
    try:
        return read_text_table(content)
    except ValueError as error:  # pandas' own errors are ValueErrors
        reason = str(error).split("\n", 1)[0][:160]
        raise ValueError(f"The file cannot be read as a table: {reason}") from None


def _refuse_large(rows: int, columns: int) -> None:
    if columns > MOST_COLUMNS:
        raise ValueError(f"The file must have at most {MOST_COLUMNS} columns, got {columns:,}.")
    if rows > MOST_ROWS or rows * columns > MOST_CELLS:
        raise ValueError(
            f"The file must have at most {MOST_ROWS:,} rows and {MOST_CELLS:,} cells, got {rows:,}"
            f" rows of {columns}."
        )


def described(table: pd.DataFrame) -> list[Column]:
    """Every column in a few words."""
    bag = _guessed_bag(table)
    varies = {} if bag is None else _varies(table, bag)
    return [
        Column(
            name,
            _kind(table[name]),
            int(_text_of(table[name]).nunique()),
            int(table[name].isna().sum()),
            not varies.get(name, True),
            [_cell(cell) for cell in table[name].head(SHOWN_ROWS)],
        )
        for name in table
    ]


def _cell(value: Any) -> str:
    """A cell as the preview shows it."""
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.6g}"
    return "" if value is None else str(value)[:40]


def _kind(column: pd.Series) -> str:
    if pd.api.types.is_bool_dtype(column):
        return "truth"
    return "number" if pd.api.types.is_numeric_dtype(column) else "text"


def _text_of(column: pd.Series) -> pd.Series:
    """The column with entries that can be counted: lists and the like by their text."""
    return column if _kind(column) != "text" else column.astype(str)


def guessed(table: pd.DataFrame) -> Guess:
    """The bag repeats, the label is constant within bags, features are numbers that vary within
    them.
    """
    bag = _guessed_bag(table)
    if bag is None:
        return Guess(
            None, None, None, [name for name in table if _kind(table[name]) == "number"], False
        )
    varies = _varies(table, bag)
    constant = [name for name, moves in varies.items() if not moves]
    label = next(
        (name for name in constant if _LABEL.search(name)), constant[-1] if constant else None
    )
    texts = [name for name, moves in varies.items() if moves and _kind(table[name]) == "text"]
    name = next((column for column in texts if _NAME.search(column)), texts[0] if texts else None)
    features = [
        column for column, moves in varies.items() if moves and _kind(table[column]) == "number"
    ]
    return Guess(
        bag, label, name, features, label is not None and _looks_like_classes(table[label])
    )


def _varies(table: pd.DataFrame, bag: str) -> dict[str, bool]:
    """Which of the other columns differ between instances of one bag."""
    groups = _text_of(table[bag])
    return {
        name: bool((_text_of(table[name]).groupby(groups).nunique() > 1).any())
        for name in table
        if name != bag
    }


def _guessed_bag(table: pd.DataFrame) -> str | None:
    repeats = []
    for name in table:
        different = int(_text_of(table[name]).nunique())
        whole = _kind(table[name]) == "text" or pd.api.types.is_integer_dtype(table[name])
        if whole and 1 < different < len(table):
            repeats.append(name)
    named = [name for name in repeats if _BAG.search(name)]
    return named[0] if named else repeats[0] if repeats else None


def _looks_like_classes(column: pd.Series) -> bool:
    if _kind(column) != "number":
        return True
    return pd.api.types.is_integer_dtype(column) and column.nunique() <= 10
