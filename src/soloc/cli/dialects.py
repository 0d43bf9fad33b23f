"""Dialects of CSV: semicolons, tabs, decimal commas, Latin-1 and byte order marks, told apart."""

import codecs
import csv
import io
import re

import pandas as pd

SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs"}
WITH_COMMA = re.compile(r"[-+]?\d+(\.\d{3})*,\d+([eE][-+]?\d+)?|[-+]?\d+([eE][-+]?\d+)?")
IN_THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?|[-+]?\d{1,3}(\.\d*)?")


def read_text_table(data: bytes, separator: str | None = None) -> tuple[pd.DataFrame, str]:
    """The table, and in words how it was read where that is not the usual way.

    The separator is the most frequent one of the heading, unless it is given.
    """
    text, encoding = decoded(data)
    if text[:4].lower() == "sep=" and text[4:5]:  # a line that Excel writes and reads
        first, _, text = text.partition("\n")
        separator = first[4]
    if not text.strip():
        raise ValueError("it is empty.")
    heading = text.lstrip().partition("\n")[0]
    usual = "," if separator is None else separator
    if separator is None:
        plain = re.sub(r'"[^"]*"', "", heading)
        separator = max(SEPARATORS, key=plain.count)
    options = {"sep": separator, "quoting": csv.QUOTE_MINIMAL}
    table = pd.read_csv(io.StringIO(text), **options)
    said = [encoding] if encoding else []
    if separator != usual:
        said.append(f"a table separated by {SEPARATORS.get(separator, repr(separator))}")
    commas = [column for column in table.columns if has_decimal_commas(table[column], column)]
    if commas:
        refuse_both_points_and_commas(table, commas)
        table = pd.read_csv(io.StringIO(text), decimal=",", thousands=".", **options)
        said.append("numbers with decimal commas")
    return table, ", ".join(said)


def decoded(data: bytes) -> tuple[str, str]:
    """Text of the bytes, and the encoding where it is not UTF-8."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16"), "UTF-16"
    if b"\0" in data[:4096]:
        raise ValueError("it holds zero bytes, so it is no text; save it as CSV in UTF-8.")
    try:
        return data.decode("utf-8-sig"), ""
    except UnicodeDecodeError:
        return data.decode("latin-1"), "Latin-1, because it is not UTF-8"


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
