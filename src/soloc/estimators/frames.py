"""Data frames to bags: one row per instance, a column that says which bag it belongs to."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from soloc.estimators.telling import warn

_FEW = 0.2  # share of words up to which a column was meant to hold numbers
_LOOKED_AT = 1000  # bags that tell at once, of most columns, that they vary within bags


class ColumnWarning(UserWarning):
    """Columns are not what they should be: others than a model was fitted to, or second labels."""


def read_frame(
    kind: Any,
    frame: Any,
    bag: str,
    features: Sequence[str] | None,
    label: str | None,
    name: str | None,
) -> Any:
    """Bags (`kind`) from a pandas or polars frame; see `Bags.from_frame`."""
    table = as_pandas(frame)
    refuse_several(bag=bag, label=label, name=name)
    for role, column in (("bag", bag), ("label", label), ("name", name)):
        if column is not None and column not in table.columns:
            raise ValueError(
                f"`{role}` names a column {column!r} that the frame lacks; it has"
                f" {list(table.columns)}."
            )
    refuse_twins(table, [bag, label, name, *(table.columns if features is None else features)])
    if len(table) == 0:
        raise ValueError("`frame` must have at least one row, got none.")
    roles = {bag: "it names the bag", label: "it is the label", name: "it names the instance"}
    aside = {column: why for column, why in roles.items() if column is not None}
    every = features is None
    if features is None:
        reasons = {c: no_feature(table[c]) for c in table.columns if c not in aside}
        aside |= {column: why for column, why in reasons.items() if why}
        features = [c for c in table.columns if c not in aside]
    else:
        refuse_features(table, features)
        others = [c for c in table.columns if c not in aside and c not in features]
        aside |= dict.fromkeys(others, "it is not among `features`")
    refuse_two_roles(bag, label, name, features)
    if not len(features):
        raise ValueError("`features` must name at least one numeric column of the frame, got none.")
    if table[bag].isna().any():
        raise ValueError(
            f"column {bag!r} (`bag`) must say the bag of every row; row"
            f" {int(table[bag].isna().argmax())} is missing."
        )
    codes, ids = pd.factorize(table[bag], sort=False)
    order = np.argsort(codes, kind="stable")
    offsets = np.concatenate([[0], np.cumsum(np.bincount(codes))])
    columns = table[list(features)]
    dtype = np.float32 if all(d == np.float32 for d in columns.dtypes) else np.float64
    values = columns.to_numpy(dtype=dtype, na_value=np.nan)
    if len(order) and (order[1:] < order[:-1]).any():
        values = values[order]
    names = None if name is None else table[name].astype(str).to_numpy()[order].tolist()
    labels = (
        None
        if label is None
        else labels_of_bags(table[label].to_numpy()[order], offsets, ids, label)
    )
    bags = kind(
        values,
        offsets,
        names=names,
        ids=list(ids),
        labels=labels,
        features=[str(column) for column in features],
        aside={str(column): why for column, why in aside.items()},
    )
    if every and label is not None:  # whoever names features knows them
        warn_about_second_labels(bags)
    return bags


def constant_within_bags(bags: Any) -> list[str]:
    """Features that vary, but never between instances of one bag."""
    x, starts = bags.values, bags.offsets[:-1][bags.lengths > 1][:_LOOKED_AT]
    if not len(starts):
        return []
    left = np.flatnonzero((x[starts] == x[starts + 1]).all(axis=0))
    varied, reference = np.zeros(bags.width, dtype=bool), x[:1][0]
    for block in bags.blocks():
        if not len(left):
            break
        few = block.values[:, left]
        first = np.repeat(few[block.offsets[:-1]], block.lengths, axis=0)
        varied[left] |= (first != reference[left]).any(axis=0)
        left = left[(few == first).all(axis=0)]
    return [bags.features[column] for column in left if varied[column]]


def warn_about_second_labels(bags: Any) -> None:
    """Say which features cannot point, because they tell the bag and not the instance."""
    for column in constant_within_bags(bags):
        warn(
            f"column {column!r} is the same for all instances of every bag, so it cannot point at"
            " one of them; if it is a second label, leave it out of `features`.",
            ColumnWarning,
        )


def refuse_several(**roles: Any) -> None:
    """Refuse a list where one column is named."""
    for role, column in roles.items():
        if not pd.api.types.is_hashable(column):
            more = "; for several labels, give them to `fit` as `y`" if role == "label" else ""
            raise TypeError(f"`{role}` must name one column, got {column!r:.60}{more}.")


def refuse_two_roles(
    bag: str,
    label: str | None,
    name: str | None,
    features: Sequence[str] | None,
    parameter: str = "features",
) -> None:
    """Refuse a column that is two things at once: a model would read the label off a feature."""
    if label == bag:
        raise ValueError(
            f"`label` must be another column than `bag`, got {bag!r} for both; name the column of"
            " the label."
        )
    for role, column in (("bag", bag), ("label", label), ("name", name)):
        if features is not None and column in list(features):
            raise ValueError(
                f"`{parameter}` must be other columns than `bag`, `label` and `name`, got"
                f" {column!r}, which is the `{role}`; leave it out."
            )


def refuse_twins(table: pd.DataFrame, used: Sequence[str | None]) -> None:
    """Refuse two columns of one name where it is used: nobody knows which is meant."""
    twins = {*table.columns[table.columns.duplicated()]}
    for column in used:
        if column in twins:
            raise ValueError(
                f"`frame` must have one column {column!r}, got {(table.columns == column).sum()} of"
                " that name; rename or drop the others."
            )


def refuse_equal_names(names: Sequence[str], what: str) -> None:
    """Refuse two columns of one name where a file or a frame is read (`what`), used or not."""
    if len({*names}) < len(names):
        twin = next(name for name in names if names.count(name) > 1)
        raise ValueError(
            f"{what} must name each column once, got {twin!r} {names.count(twin)} times; rename or"
            " drop the others."
        )


def no_feature(column: pd.Series) -> str:
    """Why a column is no feature unless `features` names it; nothing when it is one."""
    if pd.api.types.is_bool_dtype(column):
        return "it holds truth values"
    return "" if pd.api.types.is_numeric_dtype(column) else not_numbers(column)


def not_numbers(column: pd.Series) -> str:
    """In what way a column does not hold numbers: nearly all of its entries may be some."""
    plain = "it does not hold numbers"
    if not (pd.api.types.is_object_dtype(column) or pd.api.types.is_string_dtype(column)):
        return plain
    words = column.notna() & pd.to_numeric(column.astype(str), errors="coerce").isna()
    if words.mean() > _FEW or not words.any():
        return plain
    return (
        f"{words.sum():,} of its {len(column):,} entries are no numbers, such as"
        f" {str(column[words].iloc[0])!r}; leave those empty, and fill or drop them"
    )


def refuse_features(table: pd.DataFrame, features: Sequence[str]) -> None:
    """Refuse features that the frame lacks, or that are not numbers."""
    missing = [column for column in features if column not in table.columns]
    if missing:
        raise ValueError(
            f"`features` names columns {missing} that the frame lacks; it has"
            f" {list(table.columns)}."
        )
    for column in features:
        if not pd.api.types.is_numeric_dtype(table[column]):
            raise ValueError(
                f"feature {column!r} of `frame` must be numeric, but {remedy_of(table[column])}."
            )


def remedy_of(column: pd.Series) -> str:
    """In what way a feature does not hold numbers, and what to do."""
    found = not_numbers(column)
    if ";" in found:  # it says so
        return found
    texts = column.dropna().astype(str)
    if len(texts) and pd.to_numeric(texts, errors="coerce").notna().all():
        return f"its numbers are of type {column.dtype}; convert it with `.astype(float)`"
    return f"{found}; code it as numbers, as `pandas.get_dummies` does, or leave it out"


def labels_of_bags(flat: np.ndarray, offsets: np.ndarray, ids: Any, label: str) -> np.ndarray:
    """The label of each bag, which all of its rows must repeat."""
    labels = flat[offsets[:-1]]
    repeated = np.repeat(labels, np.diff(offsets))
    differs = (flat != repeated) & ~(pd.isna(flat) & pd.isna(repeated))
    if differs.any():
        position = int(np.searchsorted(offsets, int(np.argmax(differs)), side="right")) - 1
        raise ValueError(
            f"bag {ids[position]} has more than one value in column {label!r} (`label`); a bag has"
            " one label."
        )
    return labels


def as_pandas(frame: Any) -> pd.DataFrame:
    """The frame as pandas; polars frames are converted."""
    if isinstance(frame, pd.DataFrame):
        return frame
    if type(frame).__module__.split(".")[0] == "polars":
        frame = frame.collect() if hasattr(frame, "collect") else frame
        return pd.DataFrame({column: frame[column].to_numpy() for column in frame.columns})
    raise TypeError(f"`frame` must be a pandas or polars DataFrame, got {type(frame).__name__}.")
