"""Labels at the door: one finite number, or one class, per bag."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from soloc.estimators.arrays import refuse_masked
from soloc.estimators.bags import Bags
from soloc.estimators.parameters import is_real
from soloc.estimators.telling import warn

LARGEST = 1e100  # beyond it squares and their sums may overflow
SMALLEST = 1e-100  # of a column: below it squares and their sums may vanish


class Classes(NamedTuple):
    """The classes seen, sorted, and one-hot labels (n, classes)."""

    classes: np.ndarray
    one_hot: np.ndarray


def labels_for(y: Any, bags: Bags, several: bool = False) -> np.ndarray:
    """One label per bag, of any kind: `y`, or those a data frame brought along in the bags.

    With `several`, as regressors take them, they are numbers, perhaps in more than one column.
    """
    if y is None:
        y = bags.labels
    if y is None:
        raise ValueError(
            "requires y to be passed, but the target y is None: give `y` one entry per bag, or bags"
            " with labels (`Bags.from_frame(..., label=...)`)."
        )
    if (
        not several
        and isinstance(getattr(y, "dtype", None), pd.CategoricalDtype)
        and y.dtype.ordered
    ):
        warn(
            "the order of the categories in `y` is not used by a classifier; to use it, fit a"
            " regressor to their codes (`y.cat.codes` of a Series).",
            UserWarning,
        )
    refuse_masked(y, "`y`")
    try:
        flat = np.asarray(y)
    except ValueError:
        raise ValueError(
            "`y` must have one label per bag, got lists of different lengths; give each bag one"
            f" label{', or each the same number of them' if several else ''}."
        ) from None
    if flat.dtype.kind == "c":
        raise ValueError(f"`y` must be real, got {flat.dtype}; give its real part, `y.real`.")
    if several and flat.ndim not in (1, 2):
        raise ValueError(
            "`y` must be one-dimensional, with one label per bag, or two-dimensional, with several,"
            f" got shape {flat.shape}; reshape it."
        )
    try:
        if not (several and flat.ndim == 2 and flat.shape[1] > 1):
            flat = column_or_1d(flat, warn=True)
    except (ValueError, TypeError) as error:
        raise ValueError(f"`y` must be one-dimensional, with one label per bag: {error}") from None
    if len(flat) != len(bags):
        raise ValueError(
            f"`y` must have one label per bag: `X` holds {len(bags)} bags, `y` {len(flat)} labels."
        )
    if flat.dtype.kind in "OmM":
        refuse_missing(flat, bags)
    if flat.dtype.kind == "U" and isinstance(y, (list, tuple)):  # NumPy writes NaN as text
        refuse_missing(np.asarray(y, dtype=object), bags)
    if flat.dtype.kind == "O":
        flat = plain_numbers(flat, bags) if several else plain_labels(flat)
    if flat.dtype.kind == "f" and not np.isfinite(flat).all():
        position = int(np.argwhere(~np.isfinite(flat))[0, 0])
        raise ValueError(
            f"`y` contains {flat[position]} (NaN or infinity) for bag {bags.id_of(position)}; "
            "every label must be finite."
        )
    return flat


def refuse_missing(labels: np.ndarray, bags: Bags) -> None:
    """Refuse labels that are None, NaN or whatever else pandas calls missing."""
    missing = np.argwhere(pd.isna(labels))
    if len(missing):
        at = tuple(missing[0])
        raise ValueError(
            f"`y` must hold a label for every bag, got {labels[at]!r} (missing) for bag"
            f" {bags.id_of(at[0])}; leave such bags out."
        )


def plain_numbers(labels: np.ndarray, bags: Bags) -> np.ndarray:
    """Objects as numbers, or a sentence that names the first that is none."""
    found = np.empty(labels.shape)
    for at, label in np.ndenumerate(labels):
        try:
            found[at] = float(label)
        except (TypeError, ValueError, OverflowError):
            raise ValueError(
                f"`y` must hold numbers, got {label!r:.60} for bag {bags.id_of(at[0])}."
            ) from None
    return found


def plain_labels(labels: np.ndarray) -> np.ndarray:
    """Objects that are all numbers, or all truth values, in an array of these; others stay."""
    truths = all(isinstance(label, (bool, np.bool_)) for label in labels)
    return np.array(labels.tolist()) if truths or all(map(is_real, labels)) else labels


def numbers(labels: np.ndarray) -> np.ndarray:
    """Labels as numbers in double precision."""
    if labels.dtype.kind not in "biuf":
        raise ValueError(f"`y` must hold real numbers, got type {labels.dtype}.")
    y = labels.astype(np.float64)
    if not np.isfinite(y).all():
        bag = int(np.argwhere(~np.isfinite(y))[0, 0])
        raise ValueError(f"`y` contains NaN or infinity for bag {bag}.")
    if np.abs(y).max() > LARGEST:
        raise ValueError(
            f"`y` must stay below {LARGEST:g} in size, or its squares overflow; rescale the labels."
        )
    sizes = np.abs(y).max(axis=0).ravel()
    vanishing = sizes[(sizes > 0) & (sizes < SMALLEST)]
    if len(vanishing):
        raise ValueError(
            f"`y` must reach {SMALLEST:g} in size, or be zero, or its squares vanish, got at most"
            f" {vanishing[0]:g}; rescale the labels."
        )
    return y


def distinct(labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The classes among the labels, sorted, and which one each label is."""
    try:
        with np.errstate(invalid="ignore"):  # it casts to integers, and says no
            check_classification_targets(labels)
        return np.unique(labels, return_inverse=True)
    except (TypeError, ValueError) as error:
        raise ValueError(f"`y` must hold classes of one kind. {error}") from None


def classes(labels: np.ndarray) -> Classes:
    """Labels as classes, of which there must be two."""
    found, codes = distinct(labels)
    if len(found) < 2:
        raise ValueError(
            f"`y` must hold at least two classes to tell apart, got one class: {found[0]!r}."
        )
    return Classes(found, np.eye(len(found))[codes])
