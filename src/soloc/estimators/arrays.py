"""Arrays as users give them: numbers, real and dense, no entry hidden; else refused by name."""

from collections.abc import Sequence
from typing import Any

import numpy as np


def rows_of_numbers(rows: Sequence[Any]) -> np.ndarray:
    """A 2-D array from a list of equally long rows."""
    try:
        return np.asarray(rows)
    except ValueError:
        lengths = [
            (
                np.shape(row)
                if hasattr(row, "shape")
                else (len(row) if hasattr(row, "__len__") else ())
            )
            for row in rows
        ]
        odd = next(i for i, shape in enumerate(lengths) if shape != lengths[0])
        raise ValueError(
            f"bag {odd} of `X` does not have the shape of bag 0; a list of bags needs (L_i, d)"
            " arrays of one width."
        ) from None


def bag_array(bag: Any, position: int) -> np.ndarray:
    """One bag as a 2-D array, or a sentence that names it."""
    array = numeric(bag, f"bag {position} of `X`")
    if array.ndim != 2:
        raise ValueError(
            f"bag {position} of `X` must have two dimensions, (instances, features), got shape"
            f" {array.shape}."
        )
    if array.shape[0] == 0:
        raise ValueError(f"bag {position} of `X` is empty; every bag needs at least one instance.")
    if array.shape[1] == 0:
        raise ValueError(
            f"bag {position} of `X` has 0 feature(s) while a minimum of 1 is required."
        )
    return array


def numeric(values: Any, what: str) -> np.ndarray:
    """A real array, float32 if it was, else float64; anything else is refused by name."""
    refuse_sparse(values, what)
    refuse_masked(values, what)
    try:
        array = np.asarray(values)
    except (ValueError, TypeError):
        raise ValueError(
            f"{what} must be a rectangular array of numbers; its rows differ in length."
        ) from None
    if array.ndim == 0:  # a number, None, or what NumPy knows no entries of
        raise TypeError(
            f"{what} must be an array of numbers, got {values!r:.60}; give instances in rows and"
            " features in columns."
        )
    if array.dtype == np.float32 or array.dtype == np.float64:
        return np.ascontiguousarray(array)
    if np.issubdtype(array.dtype, np.complexfloating):
        raise ValueError(f"{what} must be real. Complex data not supported, got {array.dtype}.")
    if array.dtype.kind in "USmM":
        raise ValueError(f"{what} must hold numbers, got type {array.dtype}.")
    if array.dtype == object and any(isinstance(entry, (str, bytes)) for entry in array.flat):
        raise ValueError(f"{what} must hold numbers, got strings.")
    try:
        return np.ascontiguousarray(array, dtype=np.float64)
    except (TypeError, ValueError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"{what} must hold numbers: {error}") from None


def refuse_sparse(values: Any, what: str) -> None:
    """Refuse a sparse matrix."""
    if hasattr(values, "tocsr") or hasattr(values, "todense"):
        raise TypeError(
            f"{what} must be dense: sparse data are not supported; pass its `.toarray()`."
        )


def refuse_masked(values: Any, what: str) -> None:
    """Refuse masked entries, which NumPy would show again."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise ValueError(
            f"{what} must have no masked entries, got {np.ma.count_masked(values)}; fill them, as"
            " `.filled(...)` does, or leave them out."
        )


def refuse_none(n: int, width: int, shape: tuple[int, ...]) -> None:
    """Refuse no bags and no features, in the words scikit-learn looks for."""
    if n == 0:
        raise ValueError(
            f"`X` must hold at least one bag: 0 sample(s) (shape={shape}) while a minimum of 1 is"
            " required."
        )
    if width == 0:
        raise ValueError(f"`X` has 0 feature(s) (shape={shape}) while a minimum of 1 is required.")
