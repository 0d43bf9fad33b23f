"""Repeats: instances that stand in many bags (a word, an image) are computed once."""

import numpy as np

WORTH = 0.5  # share of distinct instances above which their repeats save nothing
CHANCE = 0.95  # share of distinct instances above which bags that share one are too few to matter
BLOCK = 8192


def distinct_rows(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """First position of each distinct row, and for each row the number of its distinct one.

    Rows that a few columns tell apart are never read whole; where those columns repeat, so mostly
    does the row, which is looked up; else rows are compared by a 64-bit digest of all their bytes.
    """
    few = min(2, values.shape[1])
    _, first, number = np.unique(
        row_digests(values[:, :few]), return_index=True, return_inverse=True
    )
    if len(first) < len(values) and few < values.shape[1] and not _are_equal(values, first[number]):
        _, first, number = np.unique(row_digests(values), return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")  # number them in order of appearance
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return first[order], rank[number]


def _are_equal(values: np.ndarray, others: np.ndarray) -> bool:
    """Is every row the same as the one whose position is given?"""
    parts = [slice(start, start + BLOCK) for start in range(0, len(values), BLOCK)]
    return all(np.array_equal(values[part], values[others[part]]) for part in parts)


def row_digests(values: np.ndarray) -> np.ndarray:
    """A 64-bit number per row: equal for equal rows, different for others but for 1 in 10^19."""
    rng = np.random.default_rng(20241)
    odd = rng.integers(0, 2**63, values.shape[1], dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    width = np.uint32 if values.dtype == np.float32 else np.uint64
    out = np.empty(len(values), dtype=np.uint64)
    for start in range(0, len(values), BLOCK):
        # -0 becomes 0
        block = np.ascontiguousarray(values[start : start + BLOCK]) + values.dtype.type(0)
        bits = block.view(width).astype(np.uint64)
        bits ^= bits >> np.uint64(29)
        bits *= np.uint64(0xBF58476D1CE4E5B9)
        bits ^= bits >> np.uint64(32)
        out[start : start + BLOCK] = (bits * odd).sum(axis=1, dtype=np.uint64)
    return out
