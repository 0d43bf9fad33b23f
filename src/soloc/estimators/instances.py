"""Instances in standard units without a copy, and the few products that objectives need."""

from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from soloc.estimators.bags import Bags, pieces
from soloc.estimators.repeats import CHANCE, WORTH, distinct_rows, row_digests
from soloc.estimators.tickets import mixed

COLUMNS = 8  # features that tell instances apart: more would only cost time
FARTHER = 2.0  # times: a feature that hardly varied in training would shout later
BLOCK = 8192  # rows per block where a temporary of the size of the data must be avoided


def product(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """left @ right without the warning that OpenBLAS causes by what lies beyond a last column.

    Both are finite; it reads further than them, and marks as invalid what it does not use.
    """
    with np.errstate(invalid="ignore"):
        return left @ right


def sums_of_columns(x: np.ndarray) -> np.ndarray:
    """Sums over the first axis, in double precision: of few columns thirty times faster by BLAS."""
    if x.ndim == 1:
        return x.sum(dtype=np.float64)
    return product(np.ones(len(x)), x.astype(np.float64, copy=False))


class Instances:
    """Instances x in standard units z = (x - centre) / scale, kept as they are.

    `scores(k)` is z.k up to a constant, `values(B)` is z @ B, `adjoint(g)` is z' g, `pool(w)` is
    sum_l w_l z_l of each bag. Each is one pass over the data. A constant feature has scale
    infinity: it is worth zero.

    With `shared`, instances that repeat (the same word in many bags) are kept and computed once,
    where that is worth it: `x` then holds the distinct ones and `rows` says which one each instance
    is; else `rows` is None. Where fewer repeat, but more than by chance, `repeated` still says
    which. With `log_counts`, each instance stands for several, which raises its score.
    """

    def __init__(
        self,
        bags: Bags,
        centre: np.ndarray,
        scale: np.ndarray,
        *,
        shared: bool = False,
        log_counts: np.ndarray | None = None,
        stands_for: int | None = None,
    ) -> None:
        self.bags = bags
        self.x: Any = bags.values
        self.rows: np.ndarray | None = None
        self.repeated: np.ndarray | None = None
        if shared and not bags.on_disk:  # those on disk are not compared
            first, which = distinct_rows(bags.values)
            if len(first) <= CHANCE * len(which):
                self.repeated = which
            if len(first) <= WORTH * len(which):
                self.x, self.rows = bags.values[first], which
        self.count = len(bags.values)
        self.log_counts = None if log_counts is None else log_counts.astype(self.x.dtype)
        self.stands_for = self.count if stands_for is None else stands_for
        self.dtype = self.x.dtype
        self.starts = bags.offsets[:-1]
        self._lengths = None if bags.on_disk else bags.lengths
        self.centre = centre
        self.scale = scale

    @property
    def lengths(self) -> np.ndarray:
        """Number of instances of each bag; not kept where bags are on disk, and many."""
        return self.bags.lengths if self._lengths is None else self._lengths

    @cached_property
    def owner(self) -> np.ndarray:
        """The bag of each instance."""
        return np.repeat(np.arange(len(self.bags)), self.lengths)

    def few_bags(self, most: int) -> list[slice]:
        """Bags in pieces of at most `most` instances, or of one bag that is longer."""
        return pieces(self.bags.offsets, most)

    def rows_of(self, bags: slice) -> slice:
        """The instances of adjacent bags."""
        return slice(int(self.bags.offsets[bags.start]), int(self.bags.offsets[bags.stop]))

    # -- passes over the data

    def scores(self, key: np.ndarray) -> np.ndarray:
        """z.k up to a constant, (N,): all that a softmax sees."""
        return self.counted(self.each(product(self.x, (key / self.scale).astype(self.dtype))))

    def counted(self, scores: np.ndarray) -> np.ndarray:
        """Scores of instances, raised where one stands for several."""
        return scores if self.log_counts is None else scores + self.log_counts

    def deviation(self, direction: np.ndarray) -> float:
        """Standard deviation of the scores over instances."""
        values = self.values(direction).astype(np.float64)
        counts = None if self.log_counts is None else np.exp(self.log_counts, dtype=np.float64)
        mean = np.average(values, weights=counts)
        return float(np.sqrt(np.average((values - mean) ** 2, weights=counts)))

    def values(self, directions: np.ndarray, some: np.ndarray | slice | None = None) -> np.ndarray:
        """z @ B, of shape (N,) or (N, c), or of `some` instances alone."""
        scaled = (directions.T / self.scale).T
        x = self.x if some is None else self._raw(some)
        out = product(x, scaled.astype(self.dtype))
        out -= (self.centre @ scaled).astype(self.dtype)
        return self.each(out) if some is None else out

    def adjoint(self, weights: np.ndarray, some: np.ndarray | None = None) -> np.ndarray:
        """z' g in double precision, of shape (d,) or (d, c); g of `some` instances alone."""
        if some is not None:
            gathered, x = weights, self._raw(some)
        else:
            gathered, x = weights if self.rows is None else self._gather @ weights, self.x
        summed = product(gathered.T.astype(self.dtype, copy=False), x).astype(np.float64)
        total = sums_of_columns(weights)
        return ((summed - np.multiply.outer(total, self.centre)) / self.scale).T

    def _raw(self, some: np.ndarray | slice) -> np.ndarray:
        """Some instances as they are; all of them without a copy."""
        if self.rows is None and not isinstance(some, slice) and len(some) == self.count:
            return self.x
        return self.x[some if self.rows is None else self.rows[some]]

    def pool(self, weights: np.ndarray) -> np.ndarray:
        """sum_l w_l z_l of each bag, (n, d)."""
        matrix = csr_array(
            (weights.astype(self.dtype), self._columns, self._rows),
            shape=(len(self.bags), len(self.x)),
        )
        pooled = matrix @ self.x
        pooled -= self.total(weights).astype(self.dtype)[:, None] * self.centre.astype(self.dtype)
        pooled /= self.scale.astype(self.dtype)
        return pooled

    def along(self, per_bag: np.ndarray) -> np.ndarray:
        """z_l . g_i of each instance, with one g for each bag, (N,)."""
        directions = (per_bag / self.scale).astype(self.dtype)
        out = np.empty(self.count, dtype=self.dtype)
        for start in range(0, self.count, BLOCK):
            rows = slice(start, start + BLOCK)
            out[rows] = np.einsum("ld,ld->l", self._raw(rows), directions[self.owner[rows]])
        return out - self.spread((directions @ self.centre).astype(self.dtype))

    def each(self, of_distinct: np.ndarray) -> np.ndarray:
        """What was computed for the rows of `x`, for each instance."""
        return of_distinct if self.rows is None else of_distinct[self.rows]

    @cached_property
    def _gather(self) -> csr_array:
        """The matrix that sums over the instances that are the same one."""
        assert self.rows is not None
        order = np.argsort(self.rows, kind="stable")
        starts = np.concatenate([[0], np.cumsum(np.bincount(self.rows, minlength=len(self.x)))])
        ones = np.ones(self.count, dtype=self.dtype)
        return csr_array((ones, order, starts), shape=(len(self.x), self.count))

    @cached_property
    def _columns(self) -> np.ndarray:
        kind = np.int32 if self.count < 2**31 else np.int64
        return np.arange(self.count, dtype=kind) if self.rows is None else self.rows.astype(kind)

    @cached_property
    def _rows(self) -> np.ndarray:
        return self.bags.offsets.astype(self._columns.dtype)

    @cached_property
    def lots(self) -> np.ndarray:
        """A number for each instance by what it and its bag hold, whatever the order, (N,)."""
        rows = self.each(mixed(row_digests(self.x[:, :COLUMNS])))
        return mixed(rows ^ np.repeat(mixed(self.total(rows)), self.lengths))

    # -- work within bags, linear in the number of instances

    def total(self, flat: np.ndarray) -> np.ndarray:
        """Sum over the instances of each bag."""
        return np.add.reduceat(flat, self.starts)

    def spread(self, per_bag: np.ndarray) -> np.ndarray:
        """The entry of its bag, for each instance."""
        return np.repeat(per_bag, self.lengths, axis=0)

    def softmax(self, scores: np.ndarray) -> np.ndarray:
        """Attention within each bag."""
        shifted = scores - self.spread(np.maximum.reduceat(scores, self.starts))
        np.exp(shifted, out=shifted)
        shifted /= self.spread(self.total(shifted))
        return shifted

    def log_sum_exp(self, scores: np.ndarray) -> np.ndarray:
        """log sum_l exp(score_l) of each bag, in double precision."""
        top = np.maximum.reduceat(scores, self.starts)
        return np.log(self.total(np.exp(scores - self.spread(top)))).astype(np.float64) + top

    def part(self, chosen: np.ndarray) -> "Instances":
        """Some of the bags, copied in standard units and single precision, for searches."""
        bags = self.bags
        lengths = self.lengths[chosen]
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        rows = np.repeat(self.starts[chosen] - offsets[:-1], lengths) + np.arange(offsets[-1])
        if self.rows is not None and len(self.x) < len(rows):  # each of those that repeat once
            distinct = ((self.x - self.centre) / self.scale).astype(np.float32)
            values = distinct[self.rows[rows]]
        else:
            values = np.empty((len(rows), bags.width), dtype=np.float32)
            for start in range(0, len(rows), BLOCK):
                values[start : start + BLOCK] = self.standard(rows[start : start + BLOCK])
        if bags.on_disk:
            bags.values.forget()
        width = bags.width
        return Instances(
            Bags(values, offsets),
            np.zeros(width),
            np.ones(width),
            shared=self.rows is not None,
            log_counts=None if self.log_counts is None else self.log_counts[rows],
        )

    def loaded(self, chosen: np.ndarray | slice) -> "Instances":
        """Some of the bags in memory, in their own units and precision."""
        return Instances(self.bags[chosen], self.centre, self.scale)

    def thinned(self, kept: np.ndarray, log_counts: np.ndarray) -> "Instances":
        """The kept instances, in order, each of which stands for several; no bag may be empty."""
        lengths = np.bincount(self.owner[kept], minlength=len(self.bags))
        return Instances(
            Bags(self._raw(kept), np.concatenate([[0], np.cumsum(lengths)])),
            self.centre,
            self.scale,
            shared=self.rows is not None,
            log_counts=log_counts,
            stands_for=self.count,
        )

    def all_standard(self) -> np.ndarray:
        """All instances in standard units; those of a part as they are, in single precision."""
        plain = self.rows is None and not self.centre.any() and (self.scale == 1).all()
        return self.x if plain else self.standard(slice(None))

    def standard(self, rows: np.ndarray | slice) -> np.ndarray:
        """A few instances in standard units, in double precision."""
        wanted = rows if self.rows is None else self.rows[rows]
        out = self.x[wanted].astype(np.float64, copy=False) - self.centre
        out /= self.scale
        return out


def reach_of(bags: Bags, centre: np.ndarray) -> np.ndarray:
    """How far from the centre each feature of a new instance may lie: FARTHER than any seen.

    Anywhere where it never varied, and is worth nothing.
    """
    x, count = bags.values, len(bags.values)
    blocks = [x[start : start + BLOCK] for start in range(0, count, BLOCK)]
    least = np.min([block.min(axis=0) for block in blocks], axis=0)
    most = np.max([block.max(axis=0) for block in blocks], axis=0)
    seen = np.maximum(most - centre, centre - least)
    return np.where(seen > 0, FARTHER * seen, np.inf)


def within(bags: Bags, centre: np.ndarray, reach: np.ndarray) -> Bags:
    """The bags, whose features are taken to lie no farther from the centre than their reach."""
    low, high = centre - reach, centre + reach
    x = bags.values
    if (x.min(axis=0) >= low).all() and (x.max(axis=0) <= high).all():
        return bags
    near = np.clip(x, low, high).astype(x.dtype, copy=False)
    return bags.with_values(near, bags.features)


def centre_and_scale(
    bags: Bags, centred: bool, weights: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation of each feature over instances, in double precision.

    An instance weighs as much as its bag.
    """
    x, count = bags.values, len(bags.values)
    blocks = [slice(start, start + BLOCK) for start in range(0, count, BLOCK)]
    if weights is None or (weights == weights[0]).all():
        mean = sum(x[block].sum(axis=0, dtype=np.float64) for block in blocks) / count
        variance = sum(((x[block] - mean) ** 2).sum(axis=0) for block in blocks) / count
    else:
        each = np.repeat(weights / (weights @ bags.lengths), bags.lengths)
        mean = sum(each[block] @ x[block] for block in blocks)
        variance = sum(each[block] @ (x[block] - mean) ** 2 for block in blocks)
    largest = np.maximum(np.abs(mean), np.sqrt(variance))
    precision = np.finfo(x.dtype).eps
    constant = np.sqrt(variance) <= 10 * precision * largest
    if not centred:
        return np.zeros_like(mean), np.where(largest > 0, np.sqrt(variance + mean**2), np.inf)
    return mean, np.where(constant, np.inf, np.sqrt(variance))
