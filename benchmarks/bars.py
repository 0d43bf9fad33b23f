"""Bars of a benchmark: each printed with its number, all remembered."""

import time
from collections.abc import Callable

results: list[bool] = []


def bar(what: str, value: float, limit: float, unit: str) -> None:
    """Print one bar with PASS or FAIL."""
    results.append(value <= limit)
    print(f"{'PASS' if results[-1] else 'FAIL'}  {what}: {value:.3g} {unit} (bar {limit:g} {unit})")


def best_of(repeats: int, work: Callable[[], object]) -> float:
    """Least CPU seconds of several calls."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)
