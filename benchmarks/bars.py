"""Bars of a benchmark: each printed with its number as all.py reads it, and remembered."""

import time
from collections.abc import Callable

results: list[bool] = []
printed: list[str] = []


def bar(
    what: str,
    value: float,
    limit: float,
    unit: str = "",
    *,
    at_least: bool = False,
    plain: float | None = None,
) -> bool:
    """Print one bar with PASS or FAIL; `plain` is what a plain baseline took, in the same unit.

    The unit of a number that is a ratio to such a baseline itself is "times".
    """
    passed = bool(value >= limit if at_least else value <= limit)
    results.append(passed)
    beside = "" if plain is None else f", {plain / value:.4g} times as fast as plain"
    printed.append(
        f"{'PASS' if passed else 'FAIL'}  {what}: {f'{value:.4g} {unit}'.strip()}{beside}"
        f" (bar {'>=' if at_least else '<='} {limit:.4g})"
    )
    print(printed[-1], flush=True)
    return passed


def best_of(repeats: int, work: Callable[[], object]) -> float:
    """Least CPU seconds of several calls."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)
