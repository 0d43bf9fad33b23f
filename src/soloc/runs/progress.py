"""Progress for a person: a bar with the time left on a terminal, a line per finished part
elsewhere.
"""

import sys
import time
from typing import TextIO

_WIDTH = 28


def clock(seconds: float) -> str:
    """Minutes and seconds, as 1:05."""
    whole = round(max(seconds, 0.0))
    return f"{whole // 60}:{whole % 60:02d}"


class Progress:
    """Work measured in expected seconds; what remains is scaled by how the finished part compared
    with its expectation.
    """

    def __init__(self, total: float, workers: int, stream: TextIO | None = None) -> None:
        self.total = max(total, 1e-9)
        self.workers = max(workers, 1)
        self.stream = sys.stderr if stream is None else stream
        self.expected_done = 0.0
        self.spent = 0.0
        self.started = time.monotonic()
        self._lively = self.stream.isatty()

    def finished(self, expected: float, spent: float) -> None:
        """A part that was expected to take `expected` seconds took `spent`."""
        self.expected_done += expected
        self.spent += spent

    def time_left(self, running: float) -> float:
        """Estimate of the seconds left when the parts in flight have been at it for `running`
        seconds together.
        """
        pace = self.spent / self.expected_done if self.expected_done > 0 else 1.0
        return max((self.total - self.expected_done) * pace - running, 0.0) / self.workers

    def show(self, label: str, running: float = 0.0) -> None:
        """Redraw the bar (terminals only)."""
        if not self._lively:
            return
        left = self.time_left(running)
        elapsed = time.monotonic() - self.started
        share = min(elapsed / (elapsed + left), 1.0) if elapsed + left > 0 else 1.0
        bar = "█" * round(share * _WIDTH) + "·" * (_WIDTH - round(share * _WIDTH))
        self.stream.write(f"\r\x1b[K{bar} {share:4.0%}  {clock(left)} left  {label}")
        self.stream.flush()

    def line(self, text: str) -> None:
        """A line that stays, above the bar on a terminal."""
        self.stream.write(f"\r\x1b[K{text}\n" if self._lively else f"{text}\n")
        self.stream.flush()

    def close(self) -> None:
        """Remove the bar."""
        if self._lively:
            self.stream.write("\r\x1b[K")
            self.stream.flush()
