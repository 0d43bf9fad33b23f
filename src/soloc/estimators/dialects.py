"""Dialects of CSV: semicolons, tabs, decimal commas, Latin-1 and byte order marks, told apart."""

import codecs
import csv
import io
import re
import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import pandas as pd

from soloc.estimators.frames import refuse_equal_names

_ENCODINGS = {"utf-16": "UTF-16", "latin-1": "Latin-1, because it is not UTF-8"}
SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs"}
WITH_COMMA = re.compile(r"[-+]?\d+(\.\d{3})*,\d+([eE][-+]?\d+)?|[-+]?\d+([eE][-+]?\d+)?")
IN_THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?|[-+]?\d{1,3}(\.\d*)?")


class Dialect(NamedTuple):
    """How a text file writes a table."""

    separator: str = ","
    decimal: str = "."
    encoding: str = "utf-8"
    declared: bool = False  #: whether the first line says the separator, as Excel writes it

    @property
    def options(self) -> dict[str, Any]:
        """Keywords with which `pandas.read_csv` reads the file; none for a usual one."""
        found: dict[str, Any] = {} if self.separator == "," else {"sep": self.separator}
        if self.decimal != ".":
            found |= {"decimal": self.decimal, "thousands": "."}
        if self.encoding != "utf-8":
            found["encoding"] = self.encoding
        return found | ({"skiprows": 1} if self.declared else {})

    def words(self, usual: str = ",") -> str:
        """How it was read, where that is not the usual way."""
        said = [_ENCODINGS[self.encoding]] if self.encoding in _ENCODINGS else []
        if self.separator != usual:
            separators = SEPARATORS.get(self.separator, repr(self.separator))
            said.append(f"a table separated by {separators}")
        if self.decimal != ".":
            said.append("numbers with decimal commas")
        return ", ".join(said)


def read_text_table(
    data: bytes,
    separator: str | None = None,
    ids: Sequence[str] = (),
    names: Sequence[str] = (),
) -> tuple[pd.DataFrame, Dialect]:
    """The table, and how it was read.

    The separator is the most frequent one of the heading, unless it is given. Columns of `ids` and
    `names` stay the text that stands there: 007 and 7 are two bags. A missing id is missing, but
    NA or null may well be the name of an instance.
    """
    text, encoding = decoded(data)
    declared = text[:4].lower() == "sep=" and bool(text[4:5])
    if declared:  # a line that Excel writes and reads
        first, _, text = text.partition("\n")
        separator = first[4]
    if not text.strip():
        raise ValueError("it is empty.")
    if separator is None:
        first = text.lstrip().partition("\n")[0]
        plain = re.sub(r'"[^"]*"', "", first)
        separator = max(SEPARATORS, key=plain.count)
    as_text = {column: str for column in (*ids, *names)}
    table = _read(text, sep=separator, dtype=as_text)
    refuse_equal_names(heading_of(text, separator), "its heading")
    numbers = [column for column in table.columns if column not in as_text]
    commas = [column for column in numbers if has_decimal_commas(table[column], column)]
    if commas:
        refuse_both_points_and_commas(table, commas)
        table = _read(text, sep=separator, dtype=as_text, decimal=",", thousands=".")
    words = [column for column in names if column in table.columns and column not in ids]
    if words:
        table[words] = _read(text, sep=separator, usecols=words, dtype=str, keep_default_na=False)
    return table, Dialect(separator, "," if commas else ".", encoding, declared)


def _read(text: str, **options: Any) -> pd.DataFrame:
    """The table of a text; rows longer than the heading are refused, where pandas would cut."""
    more = {"quoting": csv.QUOTE_MINIMAL, "index_col": False, "low_memory": False}
    with warnings.catch_warnings():
        warnings.simplefilter("error", pd.errors.ParserWarning)
        try:
            return pd.read_csv(io.StringIO(text), **options, **more)
        except pd.errors.ParserWarning:
            raise ValueError("a row has more cells than the heading.") from None


def heading_of(text: str, separator: str) -> list[str]:
    """The names that stand in the heading: pandas would call the second `y` of two `y.1`."""
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    try:
        heading = next(row for row in rows if len(row) > 1 or "".join(row).strip())
    except csv.Error as error:
        raise ValueError(f"its heading could not be read: {error}.") from None
    return [name for name in heading if name]


def decoded(data: bytes) -> tuple[str, str]:
    """Text of the bytes, and their encoding."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16"), "utf-16"
    if b"\0" in data[:4096]:
        raise ValueError("it holds zero bytes, so it is no text; save it as CSV in UTF-8.")
    try:
        return data.decode("utf-8-sig"), "utf-8"
    except UnicodeDecodeError:
        return data.decode("latin-1"), "latin-1"


def has_decimal_commas(column: pd.Series, name: str) -> bool:
    """Whether a column of text is a column of numbers with decimal commas."""
    if pd.api.types.is_numeric_dtype(column) or pd.api.types.is_bool_dtype(column):
        return False
    cells = column.dropna().astype(str).str.strip()
    if not len(cells) or not cells.str.contains(",").any():
        return False
    if cells.map(lambda cell: IN_THOUSANDS.fullmatch(cell) is not None).all():
        example = cells[cells.str.contains(",")].iloc[0]
        raise ValueError(
            f"column {name!r} holds {example!r}, which may be thousands or a decimal comma; write"
            " numbers without separators of thousands, and with points."
        )
    return bool(cells.map(lambda cell: WITH_COMMA.fullmatch(cell) is not None).all())


def refuse_both_points_and_commas(table: pd.DataFrame, commas: list[str]) -> None:
    """Refuse a table where some numbers have decimal points and others decimal commas."""
    points = [column for column in table.columns if pd.api.types.is_float_dtype(table[column])]
    points = [column for column in points if (table[column].dropna() % 1 != 0).any()]
    if points:
        raise ValueError(
            f"column {points[0]!r} has decimal points and column {commas[0]!r} decimal commas;"
            " write all numbers with points."
        )
