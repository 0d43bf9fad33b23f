"""Sequences in batches of bounded memory, on one thread, and what their errors average to."""

from collections.abc import Iterator

import numpy as np
from threadpoolctl import threadpool_limits

# Matrices are small: threads of BLAS cost more than they bring, and would let rounding depend on
# the machine.
one_blas_thread = threadpool_limits.wrap(limits=1, user_api="blas")


def pieces(n: int, L: int, tokens: int = 200_000) -> Iterator[tuple[int, int]]:
    """Cut n sequences of L tokens into (number, how many) pieces of bounded memory."""
    size = max(1, tokens // L)
    for number, start in enumerate(range(0, n, size)):
        yield number, min(size, n - start)


def mean_and_error(draws: np.ndarray) -> tuple[float, float]:
    """Mean of independent draws and its standard error."""
    return float(np.mean(draws)), float(np.std(draws, ddof=1) / np.sqrt(len(draws)))
