"""Tables for spreadsheets: no cell of text is taken for a formula there."""

from typing import Any

import pandas as pd

BEGINNINGS = ("=", "+", "-", "@", "\t", "\r")  # what spreadsheets take for the begin of a formula


def without_formulas(table: pd.DataFrame) -> pd.DataFrame:
    """The table with an apostrophe before each cell or heading of text that would be a formula."""
    out = table.rename(columns=quoted)
    for column in out.columns:
        if not pd.api.types.is_numeric_dtype(out[column]):
            out[column] = out[column].map(quoted)
    return out


def quoted(cell: Any) -> Any:
    """Text that a spreadsheet would run, with an apostrophe before it; the rest as it is."""
    if not isinstance(cell, str) or not cell.startswith(BEGINNINGS):
        return cell
    try:
        float(cell)
    except ValueError:
        return f"'{cell}"
    return cell
