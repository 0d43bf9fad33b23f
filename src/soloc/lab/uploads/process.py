"""The server's side of the worker process: start it, hand it a file, listen, and kill it when told
to stop.
"""

import json
import selectors
import signal
import socket
import threading
from collections.abc import Callable
from typing import Any

from soloc.lab.work.clocks import ProcessClock
from soloc.lab.work.helpers import PRELOADED
from soloc.lab.work.jobs import Job
from soloc.runs.processes import children, forks, start_server, starting

_MOST_SAID = 48 * 2**20  # bytes that a worker may answer
_TOO_MUCH = "The file needs more time or memory than the lab gives it; make it smaller."
#: What a process that was killed ends with; the second where whoever it was forked from is gone.
_KILLED = (-signal.SIGKILL, 255) if hasattr(signal, "SIGKILL") else ()


class Helper:
    """A worker process and the socket to it."""

    def __init__(self) -> None:
        start_server(PRELOADED)
        self.pipe, far_end = socket.socketpair()
        self.process = children().Process(target=_begun, args=(far_end,), daemon=True)
        with starting():
            self.process.start()
        far_end.close()

    @property
    def pid(self) -> int:
        """Its number."""
        assert self.process.pid is not None
        return self.process.pid

    def kill(self) -> None:
        """End it at once."""
        self.process.kill()

    def was_killed(self) -> bool:
        """Whether somebody has killed it; it has ended."""
        self.process.join()
        return self.process.exitcode in _KILLED

    def end(self) -> None:
        """End it, and forget it."""
        self.kill()
        self.process.join()
        self.pipe.close()


def _begun(pipe: socket.socket) -> None:
    from soloc.lab.uploads.worker import serve

    serve(pipe)


class Workers:
    """Worker processes, each for one file.

    They are forked in a moment where they can be; elsewhere one is always started ahead, since
    importing takes longer than reading a small file.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._spare: Helper | None = None
        self._closed = False

    def prepare(self) -> None:
        """Start the spare, if there is none."""
        with self._lock:
            if not forks() and not self._closed and self._spare is None:
                self._spare = Helper()

    def work(
        self,
        job: Job,
        request: dict[str, Any],
        content: bytes,
        heard: Callable[[dict[str, Any]], None],
    ) -> dict[str, Any]:
        """The last event of a worker that gets the request and the file; `heard` gets the others.

        A worker that somebody kills is replaced, once, and asked again.
        """
        for last in (False, True):
            helper = self._taken()
            clock = _WorkClock(helper.pid)
            try:
                with job.meter.elsewhere(clock):
                    return _dialogue(helper, clock, job, request, content, heard)
            except _Killed:
                if last:
                    raise ValueError(_TOO_MUCH) from None
            finally:
                helper.end()
        raise AssertionError("the last round returns or raises")

    def close(self) -> None:
        """End the spare."""
        with self._lock:
            self._closed = True
            if self._spare is not None:
                self._spare.end()
                self._spare = None

    def _taken(self) -> Helper:
        with self._lock:
            helper, self._spare = self._spare, None
        helper = helper or Helper()
        self.prepare()
        return helper


class _Killed(Exception):
    """Somebody has killed the worker."""


class _WorkClock:
    """Seconds that a worker has computed since it was ready: importing does not count."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._clock: ProcessClock | None = None

    def start(self) -> None:
        self._clock = ProcessClock(self._pid)

    def __call__(self) -> float:
        return 0.0 if self._clock is None else self._clock()


def _dialogue(
    helper: Helper,
    clock: _WorkClock,
    job: Job,
    request: dict[str, Any],
    content: bytes,
    heard: Callable[[dict[str, Any]], None],
) -> dict[str, Any]:
    message = (
        json.dumps({**request, "size": len(content), "seconds": int(job.seconds) + 2}).encode()
        + b"\n"
        + content
    )
    writer = threading.Thread(target=_written, args=(helper.pipe, message), daemon=True)
    writer.start()
    said = bytearray()
    total = 0
    with selectors.DefaultSelector() as selector:
        selector.register(helper.pipe, selectors.EVENT_READ)
        while True:
            job.check()
            if not selector.select(timeout=0.1):
                continue
            part = _read(helper.pipe)
            total += len(part)
            if not part and helper.was_killed():
                raise _Killed
            if not part or total > _MOST_SAID:
                raise ValueError(_TOO_MUCH)
            said += part
            if b"\n" not in part:
                continue
            *lines, said = said.split(b"\n")
            for line in lines:
                event = json.loads(line)
                if event["kind"] == "ready":
                    clock.start()
                    continue
                if event["kind"] == "failed":
                    raise ValueError(event["sentence"])
                if event["kind"] == "done":
                    return event
                heard(event)


def _read(pipe: socket.socket) -> bytes:
    try:
        return pipe.recv(1 << 16)
    except ConnectionError:  # it has ended with something unread
        return b""


def _written(pipe: socket.socket, message: bytes) -> None:
    try:
        pipe.sendall(message)
    except (ValueError, OSError):  # the worker has ended, and its silence says so
        return
