"""Clocks that know load: what a computation has used of a processor, not how long it waited."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_SCHEDULED = 2  # CPUCLOCK_SCHED: time on a processor, of all threads of a process


def _clock(pid: int) -> float:
    return time.clock_gettime((~pid << 3) | _SCHEDULED)


def _tells() -> bool:
    """Whether this system has clocks of other processes, as Linux has."""
    try:
        return _clock(os.getpid()) > 0.0
    except (AttributeError, OSError):
        return False


_TELLS = _tells()


class ProcessClock:
    """Seconds that a process has computed since now; of the day where the system does not tell."""

    def __init__(self, pid: int) -> None:
        self._pid, self._seconds, self._began = pid, 0.0, 0.0
        self._began = self._now() or 0.0

    def __call__(self) -> float:
        now = self._now()
        if now is not None:
            self._seconds = now - self._began
        return self._seconds

    def _now(self) -> float | None:
        if not _TELLS:
            return time.monotonic()
        try:
            return _clock(self._pid)
        except OSError:  # it has ended: what it had at the last look stays
            return None


class Meter:
    """Seconds that a piece of work has computed: in its own thread, and elsewhere for it.

    A thread does not tell what it has used, for libraries compute in threads of their own: its
    time counts less when more computations share a processor.
    """

    def __init__(self) -> None:
        self._done = 0.0
        self._since: float | None = None
        self._other: Callable[[], float] | None = None

    def start(self) -> None:
        """The work begins."""
        self._since = time.monotonic()

    @property
    def seconds(self) -> float:
        """Computed so far."""
        here = 0.0 if self._since is None else (time.monotonic() - self._since) / load()
        return self._done + here + (0.0 if self._other is None else self._other())

    @contextmanager
    def elsewhere(self, seconds: Callable[[], float]) -> Iterator[None]:
        """Inside, somebody else works: what they have computed counts, not the wait for them."""
        self._done, self._since, self._other = self.seconds, None, seconds
        try:
            yield
        finally:
            self._done, self._other = self.seconds, None
            self.start()


def load() -> float:
    """How many computations share a processor, at least 1."""
    try:
        return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
    except (AttributeError, OSError):
        return 1.0
