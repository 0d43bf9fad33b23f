"""Progress for a person: a bar with the time left on a terminal and in a notebook, a line per
finished part elsewhere.
"""

import sys
import time
from typing import TextIO

_WIDTH = 28
_REDRAW = 0.2  # seconds
_LINE = 30.0


def clock(seconds: float) -> str:
    """Minutes and seconds, as 1:05."""
    whole = round(max(seconds, 0.0))
    return f"{whole // 60}:{whole % 60:02d}"


def _until(left: float) -> str:
    return f"{clock(left)} left" if left > 0.0 else "longer than foreseen"


def _eraser(stream: TextIO) -> str:
    """What takes the last line back: a terminal knows a command, a notebook only overwrites."""
    if stream.isatty():
        return "\r\x1b[K"
    return f"\r{' ' * 3 * _WIDTH}\r" if type(stream).__module__.startswith("ipykernel") else ""


class Progress:
    """Work measured in expected seconds; the rest is scaled by how the finished part turned out."""

    def __init__(
        self, total: float, workers: int, parts: int, stream: TextIO | None = None
    ) -> None:
        self.total = max(total, 1e-9)
        self.parts, self.done = parts, 0
        self.workers = max(workers, 1)
        self.stream = sys.stderr if stream is None else stream
        self.expected_done = 0.0
        self.spent = 0.0
        self.started = self.last = time.monotonic()
        self.label = ""
        self._eraser = _eraser(self.stream)
        self._drawn = self.started

    def finished(self, expected: float, spent: float, label: str) -> None:
        """A part of `label` that was expected to take `expected` seconds took `spent`."""
        self.done += 1
        self.expected_done += expected
        self.spent += spent
        self.label = label
        self.last = time.monotonic()

    def time_left(self, since: float) -> float:
        """Estimate of the seconds left, `since` seconds after a part was last finished."""
        pace = self.spent / self.expected_done if self.expected_done > 0 else 1.0
        return max((self.total - self.expected_done) * pace / self.workers - since, 0.0)

    def show(self) -> None:
        """Redraw the bar, a few times a second; where there is no terminal, a line now and then."""
        now = time.monotonic()
        if now - self._drawn < (_REDRAW if self._eraser else _LINE):
            return
        self._drawn = now
        left = self.time_left(now - self.last)
        if not self._eraser:
            self.line(f"  {self.done:,} of {self.parts:,} cells, {_until(left)}")
            return
        elapsed = now - self.started
        share = min(elapsed / (elapsed + left), 0.99) if elapsed > 0 else 0.0
        bar = "█" * round(share * _WIDTH) + "·" * (_WIDTH - round(share * _WIDTH))
        self.stream.write(
            f"{self._eraser}{bar} {share:4.0%}  {_until(left)}"
            f"  {self.done:,}/{self.parts:,} {self.label}"
        )
        self.stream.flush()

    def line(self, text: str) -> None:
        """A line that stays, above the bar where there is one."""
        self.stream.write(f"{self._eraser}{text}\n")
        self.stream.flush()

    def close(self) -> None:
        """Remove the bar."""
        self.stream.write(self._eraser)
        self.stream.flush()
