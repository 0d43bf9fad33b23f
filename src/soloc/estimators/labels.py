"""Labels at the door: one finite number, or one class, per bag."""

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from soloc.estimators.bags import Bags

LARGEST = 1e100  # beyond it squares and their sums may overflow


class Classes(NamedTuple):
    """The classes seen, sorted, and one-hot labels (n, classes)."""

    classes: np.ndarray
    one_hot: np.ndarray


def labels_for(y: Any, bags: Bags, several: bool = False) -> np.ndarray:
    """One label per bag, of any kind: `y`, or those a data frame brought along in the bags.

    With `several`, there may be more than one column of them.
    """
    if y is None:
        y = bags.labels
    if y is None:
        raise ValueError(
            "requires y to be passed, but the target y is None: give `y` one entry per bag, or bags"
            " with labels (`Bags.from_frame(..., label=...)`)."
        )
    flat = np.asarray(y)
    try:
        if not (several and flat.ndim == 2 and flat.shape[1] > 1):
            flat = column_or_1d(flat, warn=True)
    except (ValueError, TypeError) as error:
        raise ValueError(f"`y` must be one-dimensional, with one label per bag: {error}") from None
    if len(flat) != len(bags):
        raise ValueError(
            f"`y` must have one label per bag: `X` holds {len(bags)} bags, `y` {len(flat)} labels."
        )
    if flat.dtype.kind in "fc" and not np.isfinite(flat).all():
        position = int(np.argwhere(~np.isfinite(flat))[0, 0])
        raise ValueError(
            f"`y` contains {flat[position]} (NaN or infinity) for bag {bags.id_of(position)}; "
            "every label must be finite."
        )
    return flat


def numbers(labels: np.ndarray) -> np.ndarray:
    """Labels as numbers in double precision."""
    if labels.dtype.kind in "cmMSU":
        raise ValueError(f"`y` must hold real numbers, got type {labels.dtype}.")
    try:
        y = labels.astype(np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"`y` must hold numbers, got type {labels.dtype}.") from None
    if not np.isfinite(y).all():
        bag = int(np.argwhere(~np.isfinite(y))[0, 0])
        raise ValueError(f"`y` contains NaN or infinity for bag {bag}.")
    if np.abs(y).max() > LARGEST:
        raise ValueError(
            f"`y` must stay below {LARGEST:g} in size, or its squares overflow; rescale the labels."
        )
    return y


def classes(labels: np.ndarray) -> Classes:
    """Labels as classes, of which there must be two."""
    try:
        with np.errstate(invalid="ignore"):  # it casts to integers, and says no
            check_classification_targets(labels)
        found, codes = np.unique(labels, return_inverse=True)
    except (TypeError, ValueError) as error:
        raise ValueError(f"`y` must hold classes of one kind. {error}") from None
    if len(found) < 2:
        raise ValueError(
            f"`y` must hold at least two classes to tell apart, got one class: {found[0]!r}."
        )
    return Classes(found, np.eye(len(found))[codes])
