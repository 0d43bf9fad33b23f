"""Column names: what a model was fitted to is found again by name, wherever it stands."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from soloc.estimators.arrays import numeric
from soloc.estimators.bags import Bags, as_bags, column_names
from soloc.estimators.frames import ColumnWarning as ColumnWarning
from soloc.estimators.frames import remedy_of
from soloc.estimators.telling import warn


def named_bags(X: Any, names: Sequence[str] | None, aside: Sequence[str] | None, who: str) -> Bags:
    """Bags with the columns `names`, in their order; by position where either side has no names.

    Columns that the fit left `aside` are ignored, others are named in a warning, and missing ones
    refused; `who` is the model that asks.
    """
    if column_names(X) is None:
        X = bags_of(X)  # frames in a list have names too
    found = column_names(X)
    if names is None or found is None:
        bags = bags_of(X)
        warn_about_positions(names, found, who)
        return bags
    missing = [name for name in names if name not in found]
    if missing:
        raise ValueError(
            f"`X` must have every column that {who} was fitted to: {listed(missing)} is missing; it"
            f" has {listed(found)}."
        )
    known = {*names, *(aside or ()), *getattr(X, "aside", {})}
    unknown = [name for name in found if name not in known]
    if unknown:
        warn(
            f"{who} was not fitted to column {listed(unknown)} of `X`, which is ignored.",
            ColumnWarning,
        )
    if not isinstance(X, Bags):
        return bags_of(X[list(names)])
    if found == list(names):
        return X
    order = np.array([found.index(name) for name in names])
    return X.with_values(X.values[:, order], features=names)


def bags_of(X: Any) -> Bags:
    """`X` as `Bags`; of a data frame that holds more than numbers, the refusal names the column."""
    try:
        return as_bags(X)
    except (TypeError, ValueError):
        if isinstance(X, pd.DataFrame):
            for _, column in X.items():
                refuse_column(column)
        raise


def refuse_column(column: pd.Series) -> None:
    """Refuse a column that does not become numbers, with what to do."""
    try:
        numeric(column.astype(object), "`X`")
    except (TypeError, ValueError):
        if column.isna().any():
            row = int(column.isna().argmax())
            why = f"row {row} is missing; remove or impute such values first"
        else:
            why = remedy_of(column)
        raise ValueError(f"column {column.name!r} of `X` must be numeric, but {why}.") from None


def warn_about_positions(names: Sequence[str] | None, found: list[str] | None, who: str) -> None:
    """Say that columns are matched by position, when one side alone has names."""
    if (names is None) == (found is None):
        return
    said = (
        f"X has feature names, but {who} was fitted without feature names"
        if names is None
        else f"X does not have valid feature names, but {who} was fitted with feature names"
    )
    warn(f"{said}; columns are matched by position.", UserWarning)


def listed(names: Sequence[str], most: int = 8) -> str:
    """Names for a sentence, the first few of many."""
    shown = ", ".join(repr(name) for name in names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"
