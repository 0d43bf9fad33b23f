"""The server's side of the worker process: start it ahead of time, hand it a file, listen, and kill
it when told to stop.
"""

import json
import os
import selectors
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

from soloc.lab.work.clocks import ProcessClock
from soloc.lab.work.jobs import Job

_MOST_SAID = 48 * 2**20  # bytes that a worker may answer
_TOO_MUCH = "The file needs more time or memory than the lab gives it; make it smaller."
_QUIET = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "JAX_PLATFORMS": "cpu",
}


class Workers:
    """Worker processes, one of them always started ahead, since importing takes longer than reading
    a small file.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._spare: subprocess.Popen[bytes] | None = None
        self._closed = False

    def prepare(self) -> None:
        """Start the spare, if there is none."""
        with self._lock:
            if self._closed or (self._spare is not None and self._spare.poll() is None):
                return
            self._spare = _started()

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
            process = self._taken()
            clock = _WorkClock(process.pid)
            try:
                with job.meter.elsewhere(clock):
                    return _dialogue(process, clock, job, request, content, heard)
            except _Killed:
                if last:
                    raise ValueError(_TOO_MUCH) from None
            finally:
                _ended(process)
        raise AssertionError("the last round returns or raises")

    def close(self) -> None:
        """End the spare."""
        with self._lock:
            self._closed = True
            if self._spare is not None:
                _ended(self._spare)
                self._spare = None

    def _taken(self) -> "subprocess.Popen[bytes]":
        with self._lock:
            process, self._spare = self._spare, None
        if process is None or process.poll() is not None:
            process = _started()
        self.prepare()
        return process


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


def _started() -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-m", "soloc.lab.uploads.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **_QUIET},
        bufsize=0,
    )


def _ended(process: "subprocess.Popen[bytes]") -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()


def _dialogue(
    process: "subprocess.Popen[bytes]",
    clock: _WorkClock,
    job: Job,
    request: dict[str, Any],
    content: bytes,
    heard: Callable[[dict[str, Any]], None],
) -> dict[str, Any]:
    assert process.stdin is not None and process.stdout is not None
    message = (
        json.dumps({**request, "size": len(content), "seconds": int(job.seconds) + 2}).encode()
        + b"\n"
        + content
    )
    writer = threading.Thread(target=_written, args=(process.stdin, message), daemon=True)
    writer.start()
    said = bytearray()
    total = 0
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while True:
            job.check()
            if not selector.select(timeout=0.1):
                continue
            part = os.read(process.stdout.fileno(), 1 << 16)
            total += len(part)
            if not part and process.wait() == -signal.SIGKILL:
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


def _written(pipe: Any, message: bytes) -> None:
    try:
        view = memoryview(message)
        while view:
            view = view[pipe.write(view) :]
    except (BrokenPipeError, ValueError, OSError):  # the worker has ended, and its silence says so
        return
