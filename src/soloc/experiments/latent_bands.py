"""What the latent experiments share: slopes, bands that decide a claim, batches of bounded memory."""

from collections.abc import Iterator

import numpy as np
from threadpoolctl import threadpool_limits

from soloc.experiments.experiment import Certificate

# Matrices are small: threads of BLAS cost more than they bring, and would let rounding depend on
# the machine.
one_blas_thread = threadpool_limits.wrap(limits=1, user_api="blas")


def log_slope(x: np.ndarray, y: np.ndarray) -> float:
    """Least-squares slope of log y against log x."""
    return float(np.polyfit(np.log(np.asarray(x, float)), np.log(np.asarray(y, float)), 1)[0])


def band(
    claim: str, check: str, value: float, low: float, high: float, caveat: str = ""
) -> Certificate:
    """The certificate of a number that must fall in [low, high]."""
    return Certificate(
        claim, check, f"in [{low:g}, {high:g}]", f"{value:.4g}", bool(low <= value <= high), caveat
    )


def at_most(claim: str, check: str, value: float, high: float, caveat: str = "") -> Certificate:
    """The certificate of a number that must not exceed a bound."""
    return Certificate(claim, check, f"<= {high:g}", f"{value:.3g}", bool(value <= high), caveat)


def pieces(n: int, L: int, tokens: int = 200_000) -> Iterator[tuple[int, int]]:
    """Cut n sequences of L tokens into (number, how many) pieces of bounded memory."""
    size = max(1, tokens // L)
    for number, start in enumerate(range(0, n, size)):
        yield number, min(size, n - start)


def mean_and_error(draws: np.ndarray) -> tuple[float, float]:
    """Mean of independent draws and its standard error."""
    return float(np.mean(draws)), float(np.std(draws, ddof=1) / np.sqrt(len(draws)))
