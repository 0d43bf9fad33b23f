"""Bags: instances of many bags in one flat array, with the offsets at which each bag begins."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import wraps
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from soloc.estimators.arrays import (
    bag_array,
    numeric,
    refuse_masked,
    refuse_none,
    refuse_sparse,
    rows_of_numbers,
)
from soloc.estimators.rows import Rows, mapped

BLOCK_BYTES = 2**22  # of instances that are on disk and worked on together
LARGEST = {"float32": 1e15, "float64": 1e100}  # beyond it squares and their sums may overflow


class Bags:
    """Bags of instances: bag i is `values[offsets[i]:offsets[i + 1]]`.

    Parameters
    ----------
    values : array of shape (N, d)
        Instances of all bags, one after the other. float32 stays float32; everything else becomes
        float64. A large memory-mapped array stays on disk, and is read in blocks.
    offsets : integers of shape (n + 1,)
        Strictly increasing, from 0 to N: no bag is empty.
    names : sequence of N strings, optional
        What each instance is called (a word, an atom), so that `explain` can speak of it.
    ids : sequence of n hashable values, optional
        What each bag is called; messages use it. By default its position.
    labels : array of shape (n,), optional
        The label of each bag, when a data frame brought it along.
    features : sequence of d strings, optional
        What each column is called, so that a model finds it again by name.
    aside : dictionary of strings, optional
        Columns of a data frame that are no features, each with the reason.

    Examples
    --------
    >>> import numpy as np
    >>> bags = Bags.from_list([np.zeros((2, 3)), np.ones((1, 3))])
    >>> len(bags), bags.width, bags.lengths.tolist()
    (2, 3, [2, 1])
    """

    def __init__(
        self,
        values: Any,
        offsets: Any,
        *,
        names: Sequence[str] | None = None,
        ids: Sequence[Hashable] | None = None,
        labels: Any = None,
        features: Sequence[str] | None = None,
        aside: dict[str, str] | None = None,
    ) -> None:
        starts = np.asarray(offsets)
        if starts.ndim != 1 or len(starts) < 2 or not np.issubdtype(starts.dtype, np.integer):
            raise ValueError(
                "`offsets` must be a one-dimensional array of at least two integers, where each"
                f" bag begins and where the last one ends, got shape {starts.shape} and type"
                f" {starts.dtype}."
            )
        array = mapped(values)
        if not isinstance(array, Rows):
            array = numeric(values, "`values`")
        if array.ndim != 2 or array.shape[1] == 0:
            raise ValueError(
                "`values` must have shape (instances, features) with at least one feature, got "
                f"{array.shape}."
            )
        if starts[0] != 0 or starts[-1] != len(array):
            raise ValueError(
                f"`offsets` must run from 0 to the number of instances {len(array)}, got"
                f" {starts[0]} to {starts[-1]}."
            )
        self.values: Any = array
        self.offsets = starts.astype(np.intp)
        self.ids = kept_ids(ids)
        self.names = None if names is None else [str(name) for name in names]
        self.labels = None if labels is None else np.asarray(labels)
        self.features = None if features is None else [str(name) for name in features]
        self.aside = dict(aside or {})
        if self.ids is not None and len(self.ids) != len(self):
            raise ValueError(
                f"`ids` must have one entry per bag, {len(self)}, got {len(self.ids)}."
            )
        if self.names is not None and len(self.names) != len(array):
            raise ValueError(
                f"`names` must have one entry per instance, {len(array)}, got {len(self.names)}."
            )
        if self.labels is not None and self.labels.shape != (len(self),):
            raise ValueError(
                f"`labels` must have one entry per bag, {len(self)}, got shape {self.labels.shape}."
            )
        if self.features is not None and len(self.features) != array.shape[1]:
            raise ValueError(
                f"`features` must have one name per column, {array.shape[1]}, got"
                f" {len(self.features)}."
            )
        if self.features is not None and len({*self.features}) < len(self.features):
            twice = next(name for name in self.features if self.features.count(name) > 1)
            raise ValueError(f"`features` must be different names, got {twice!r} more than once.")
        self._refuse_empty()
        self._refuse_not_finite()

    # -- ways in

    @classmethod
    def from_list(cls, bags: Sequence[Any], **named: Any) -> "Bags":
        """Bags from a list of arrays of shape (L_i, d), or of frames with the same columns.

        Columns of frames are found by name, in the order of `features`, by default of the first.
        """
        if len(bags) == 0:
            raise ValueError(
                "`X` must hold at least one bag (minimum of 1 is required), got an empty list."
            )
        bags, named = aligned(bags, named)
        arrays = [bag_array(bag, position) for position, bag in enumerate(bags)]
        width = arrays[0].shape[1]
        for position, array in enumerate(arrays):
            if array.shape[1] != width:
                raise ValueError(
                    f"every bag of `X` must have the same number of features: bag 0 has {width}, "
                    f"bag {position} has {array.shape[1]}."
                )
        offsets = np.concatenate([[0], np.cumsum([len(array) for array in arrays])])
        return cls(np.concatenate(arrays), offsets, **named)

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        bag: str,
        features: Sequence[str] | None = None,
        label: str | None = None,
        name: str | None = None,
    ) -> "Bags":
        """Bags from a pandas or polars frame with one row per instance.

        Rows of a bag need not be adjacent; bags come in order of first appearance. `features`
        defaults to every numeric column but `bag`, `label` and `name`, which cannot be features.
        With `label` the labels, which must agree within a bag, are kept as `labels`; with `name` a
        column of instance names is kept as `names`.
        """
        from soloc.estimators.frames import read_frame

        return read_frame(cls, frame, bag, features, label, name)

    @classmethod
    def from_parquet(
        cls,
        path: str | Path,
        bag: str,
        columns: Sequence[str] | None = None,
        label: str | None = None,
    ) -> "Bags":
        """Bags from a Parquet file with one row per instance, which may be larger than memory.

        Rows of a bag must be adjacent. `columns` are the features, by default every numeric column
        but `bag` and `label`. Only bags and labels are read at once; instances are read one row
        group at a time, whenever they are needed. Write large files with row groups of 10 to 100
        MB (`row_group_size` of pandas and pyarrow).
        """
        from soloc.estimators.parquet import read_parquet

        return read_parquet(cls, Path(path), bag, columns, label)

    @property
    def on_disk(self) -> bool:
        """Whether instances stay on disk and are read in blocks."""
        return isinstance(self.values, Rows)

    def in_memory(self) -> "Bags":
        """The same bags with all instances in memory."""
        return self[:] if self.on_disk else self

    def blocks(self) -> Iterator["Bags"]:
        """Adjacent bags in memory, a few at a time; the bags themselves where they are there."""
        if not self.on_disk:
            yield self
            return
        for bags in pieces(self.offsets, rows_at_once(self.values)):
            yield self[bags]

    # -- what a sequence of bags can do

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __iter__(self) -> Iterator[np.ndarray]:
        return (self.values[a:b] for a, b in zip(self.offsets[:-1], self.offsets[1:], strict=True))

    def __getitem__(self, index: Any) -> "Bags":
        """The chosen bags, again as `Bags`: a position, a slice, positions or a mask."""
        if isinstance(index, tuple) and len(index) == 2 and index[1] is Ellipsis:
            index = index[0]  # scikit-learn indexes what has a shape like this
        if isinstance(index, slice):
            chosen: Any = np.arange(*index.indices(len(self)))
        else:
            chosen = np.atleast_1d(np.arange(len(self))[index])
        if len(chosen) == 0:
            raise ValueError("a selection of bags must keep at least one bag, got none.")
        lengths = self.offsets[chosen + 1] - self.offsets[chosen]
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        rows: Any = np.repeat(self.offsets[chosen] - offsets[:-1], lengths) + np.arange(offsets[-1])
        if rows[-1] - rows[0] == len(rows) - 1 and (np.diff(chosen) == 1).all():
            rows = range(rows[0], rows[-1] + 1)  # adjacent: one piece
        return Bags(
            self.values[slice(rows.start, rows.stop) if isinstance(rows, range) else rows],
            offsets,
            names=None if self.names is None else [self.names[row] for row in rows],
            ids=[self.id_of(i) for i in chosen],
            labels=None if self.labels is None else self.labels[chosen],
            features=self.features,
            aside=self.aside,
        )

    def __repr__(self) -> str:
        size = f"{len(self)} bags, {len(self.values)} instances, {self.width} features"
        return f"Bags({size}, {self.values.dtype})"

    def _repr_html_(self) -> str:
        """Size, features and the first bags, for a notebook."""
        lines = [f"<b>{escape(repr(self))}</b>"]
        if self.features is not None:
            lines.append(f"features: {escape(', '.join(self.features[:12]))}")
        for position in range(min(len(self), 5)):
            names = escape(", ".join(self.names_of(position)[:8]))
            label = "" if self.labels is None else f", label {escape(str(self.labels[position]))}"
            lines.append(f"bag {escape(str(self.id_of(position)))}: {names}{label}")
        return "<div>" + "<br>".join(lines) + "</div>"

    @property
    def shape(self) -> tuple[int, int]:
        """Number of bags and of features, as scikit-learn asks for it."""
        return len(self), self.width

    @property
    def width(self) -> int:
        """Number of features of an instance."""
        return self.values.shape[1]

    @property
    def lengths(self) -> np.ndarray:
        """Number of instances of each bag."""
        return np.diff(self.offsets)

    def id_of(self, position: int) -> Hashable:
        """What bag number `position` is called."""
        return int(position) if self.ids is None else self.ids[position]

    def names_of(self, position: int) -> list[str]:
        """What the instances of a bag are called; their positions when nobody named them."""
        start, stop = self.offsets[position], self.offsets[position + 1]
        return (
            [str(i) for i in range(stop - start)] if self.names is None else self.names[start:stop]
        )

    def with_values(self, values: np.ndarray, features: Sequence[str] | None = None) -> "Bags":
        """The same bags with other features, one row per instance as before."""
        return Bags(
            values,
            self.offsets,
            names=self.names,
            ids=self.ids,
            labels=self.labels,
            features=features,
            aside=self.aside,
        )

    def feature_of(self, column: int) -> str:
        """What a column is called in messages: its name, or its number."""
        return str(column) if self.features is None else repr(self.features[column])

    def split(self, flat: np.ndarray) -> list[np.ndarray]:
        """One array per bag, from one entry per instance."""
        return np.split(flat, self.offsets[1:-1])

    # -- refusals

    def _refuse_empty(self) -> None:
        lengths = np.diff(self.offsets)
        if (lengths <= 0).any():
            position = int(np.argmax(lengths <= 0))
            raise ValueError(
                f"bag {self.id_of(position)} of `X` is empty; every bag needs at least one"
                " instance."
            )

    def _refuse_not_finite(self) -> None:
        largest = LARGEST[self.values.dtype.name]
        each = rows_at_once(self.values)
        for start in range(0, len(self.values), each):
            block = self.values[start : start + each]
            if -largest < block.min() and block.max() < largest:  # NaN fails both
                continue
            row, column = np.argwhere(~(np.abs(block) < largest))[0]
            position = int(np.searchsorted(self.offsets, start + row, side="right")) - 1
            where = f"bag {self.id_of(position)} of `X` contains {block[row, column]}"
            if np.isfinite(block[row, column]):
                raise ValueError(
                    f"{where} in feature {self.feature_of(column)}; sizes must stay below"
                    f" {largest:g}: rescale it."
                )
            raise ValueError(
                f"{where} (NaN or infinity) in feature {self.feature_of(column)}; remove or impute"
                " such values first."
            )


def kept_ids(ids: Any) -> Any:
    """Names of bags in a list; those in an array stay in one, which takes a fifth of the memory."""
    if ids is None:
        return None
    return ids.copy() if isinstance(ids, np.ndarray) else list(ids)


def rows_at_once(values: Any) -> int:
    """Instances of a block that is worked on in memory."""
    return max(1, BLOCK_BYTES // (values.shape[1] * values.dtype.itemsize))


def pieces(offsets: np.ndarray, most: int) -> list[slice]:
    """Adjacent bags, of at most `most` instances together, or one bag that is longer."""
    found, first = [], 0
    while first < len(offsets) - 1:
        last = int(np.searchsorted(offsets, offsets[first] + most, "right")) - 1
        found.append(slice(first, max(last, first + 1)))
        first = found[-1].stop
    return found


def in_blocks(method: Callable[..., Any]) -> Callable[..., Any]:
    """A method that says something of each bag, for bags on disk too: block after block."""

    @wraps(method)
    def of_each_block(self: Any, X: Any, *more: Any, **named: Any) -> Any:
        if not isinstance(X, Bags) or not X.on_disk:
            return method(self, X, *more, **named)
        found = [method(self, block, *more, **named) for block in X.blocks()]
        if isinstance(found[0], list):
            return [each for of_block in found for each in of_block]
        return np.concatenate(found)

    return of_each_block


def column_names(X: Any) -> list[str] | None:
    """Names of the features of `X`: of `Bags` that have them, of a frame whose columns are text."""
    if isinstance(X, Bags):
        return X.features
    columns = getattr(X, "columns", None)
    if columns is None or not all(isinstance(column, str) for column in columns):
        return None
    return list(columns) or None


def aligned(bags: Sequence[Any], named: dict[str, Any]) -> tuple[Sequence[Any], dict[str, Any]]:
    """Frames with their columns in one order, and `features`, which says it; arrays as they are."""
    found = [column_names(bag) for bag in bags]
    if all(names is None for names in found):
        return bags, named
    wanted: Any = found[0] if named.get("features") is None else list(named["features"])
    for position, names in enumerate(found):
        if names is None or found[0] is None:
            odd = position if names is None else 0
            raise ValueError(
                "every bag of `X` must be a frame with names of columns, or none of them, got a"
                f" frame as bag {0 if odd else position} and {type(bags[odd]).__name__} as bag"
                f" {odd}; turn all into frames, or all into arrays."
            )
        if names != wanted and sorted(names) != sorted(wanted):
            raise ValueError(
                f"bag {position} of `X` must have the columns {wanted}, got {names}; give all"
                " frames the same."
            )
    pairs = zip(bags, found, strict=True)
    arranged = [bag if names == wanted else bag[wanted] for bag, names in pairs]
    return arranged, named | {"features": wanted}


def as_bags(X: Any) -> Bags:
    """`X` as `Bags`: an (n, L, d) array, a list of (L_i, d) arrays, or 2-D with bags of one."""
    if isinstance(X, Bags):
        return X
    if isinstance(X, (str, bytes)):
        raise TypeError(
            "`X` must hold bags of numbers, got a string; turn text into token vectors first."
        )
    refuse_sparse(X, "`X`")
    refuse_masked(X, "`X`")
    if isinstance(X, (list, tuple)):
        return from_sequence(X)
    if getattr(X, "ndim", 0) == 1 and getattr(X, "dtype", None) == np.dtype(object):
        return from_sequence(list(X))  # ragged bags in an array of objects, or in a Series
    array = numeric(X, "`X`")
    if array.ndim == 3:
        n, length, width = array.shape
        if length == 0 and n > 0:
            raise ValueError("bag 0 of `X` is empty; every bag needs at least one instance.")
        refuse_none(n, width, array.shape)
        return Bags(array.reshape(n * length, width), np.arange(n + 1) * length)
    if array.ndim == 2:
        refuse_none(array.shape[0], array.shape[1], array.shape)
        return Bags(array, np.arange(len(array) + 1), features=column_names(X))
    raise ValueError(
        "`X` must be an (n, L, d) array, a list of (L_i, d) arrays, `Bags`, or 2-D with one"
        f" instance per bag; got {array.ndim} dimensions, shape {array.shape}. Reshape your data."
    )


def from_sequence(X: Sequence[Any]) -> Bags:
    """A list of 2-D arrays is bags; a list of rows of numbers is a 2-D array."""
    if len(X) == 0:
        raise ValueError(
            "`X` must hold at least one bag (minimum of 1 is required), got an empty list."
        )
    for position, bag in enumerate(X):
        if bag is None or isinstance(bag, (str, bytes)):
            kind = "None; leave it out" if bag is None else "a string"
            raise TypeError(f"bag {position} of `X` must be an array of numbers, got {kind}.")
        refuse_masked(bag, f"bag {position} of `X`")
    try:
        depth = np.ndim(X[0])
    except ValueError:  # rows of unequal lengths inside the first bag
        depth = 2
    if depth >= 2:
        return Bags.from_list(X)
    rows = rows_of_numbers(X)
    if rows.ndim == 1 and rows.dtype == object:
        raise TypeError(
            f"`X` must hold arrays of numbers, got {type(X[0]).__name__}; give (L_i, d) arrays."
        )
    return as_bags(rows)
