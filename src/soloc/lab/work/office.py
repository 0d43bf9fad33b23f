"""A back office: processes of their own for work that takes longer than a slider should wait.

The interpreter runs one thread at a time, so heavy work in the server's own process would hold up
every slider. Until an office has opened the same work is done by threads here. A process that dies
is replaced, and what it was asked is asked again; one whose work nobody wants any more is killed
and replaced, so that its place is free at once.
"""

import contextlib
import logging
import math
import os
import pickle
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any, NamedTuple

from soloc.lab.work.clocks import ProcessClock
from soloc.lab.work.limits import TooLong
from soloc.runs.processes import begin_child, children, one_thread, without_main

_LOG = logging.getLogger("soloc.lab")
_LOOK = 0.05  # seconds between looks at a process that computes
_DEATHS = 2  # of processes over one question, after which it is given up


class Lost(Exception):
    """The process died before it had the result, and so did its successor."""


class Abandoned(Exception):
    """Nobody wants the result any more."""


class Promise(Future[Any]):
    """A result to come; `abandon` frees whoever works on it."""

    def __init__(self) -> None:
        super().__init__()
        self.spent = 0.0  #: seconds that another process has computed for it
        self.abandoned = threading.Event()

    def abandon(self) -> None:
        """Nobody wants it any more."""
        self.abandoned.set()
        self.cancel()


class _Clerk(NamedTuple):
    """A process and the line to it."""

    process: BaseProcess
    line: Connection


class _Task(NamedTuple):
    promise: Promise
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    seconds: float  #: that it may compute


class Office:
    """Hands functions of modules, with plain arguments, to other processes.

    A `patient` office leaves the cores to others first.
    """

    def __init__(self, workers: int = 1, patient: bool = False) -> None:
        self._patient = patient
        self._waiting: queue.SimpleQueue[_Task | None] = queue.SimpleQueue()
        self._clerks: list[_Clerk | None] = [None] * workers
        self._lock = threading.Lock()
        self._closed = self._opened = False
        for number in range(workers):
            threading.Thread(
                target=self._serve, args=(number,), daemon=True, name=f"lab-office-{number}"
            ).start()

    def open(self, prepare: Callable[[], Any]) -> None:
        """Start the processes, let them `prepare`, and send all further work there."""
        for number in range(len(self._clerks)):
            clerk = self._hired()
            if clerk is None:
                return
            with contextlib.suppress(EOFError, OSError):
                clerk.line.send((prepare, ()))
                clerk.line.recv()
            with self._lock:
                self._clerks[number] = clerk
        self._opened = True

    @property
    def is_open(self) -> bool:
        """Whether all work goes to other processes."""
        return None not in self._clerks

    def submit(
        self, function: Callable[..., Any], *arguments: Any, seconds: float = math.inf
    ) -> Promise:
        """The result of `function(*arguments)`, some time; `TooLong` when it computes longer."""
        promise = Promise()
        self._waiting.put(_Task(promise, function, arguments, seconds))
        return promise

    def close(self) -> None:
        """Let everybody go; what waits is dropped."""
        with self._lock:
            self._closed = True
            clerks = [clerk for clerk in self._clerks if clerk is not None]
        for _ in self._clerks:
            self._waiting.put(None)
        for clerk in clerks:
            _dismiss(clerk)

    def _serve(self, number: int) -> None:
        """One task after the other, for the process of that number or, without one, here."""
        while (task := self._waiting.get()) is not None and not self._closed:
            if not task.promise.set_running_or_notify_cancel():
                continue
            done, result = self._outcome(number, task)
            if done:
                task.promise.set_result(result)
            else:
                task.promise.set_exception(result)

    def _outcome(self, number: int, task: _Task) -> tuple[bool, Any]:
        """Whether it is done, and the result or the error; asked again where a process dies."""
        for _ in range(_DEATHS):
            clerk = self._clerks[number]
            if clerk is None:
                return _carried_out(task.function, task.arguments)
            try:
                return _asked(clerk, task)
            except (Abandoned, TooLong) as reason:
                self._replace(number, clerk)
                return False, reason
            except (EOFError, OSError):
                if self._closed:
                    break
                _LOG.warning("a process for long computations has died; another takes its place")
                self._replace(number, clerk)
        return False, Lost("The computation has ended its process twice; take another setting.")

    def _replace(self, number: int, clerk: _Clerk) -> None:
        _dismiss(clerk)
        successor = self._hired()
        with self._lock:
            self._clerks[number] = successor
            if self._closed and successor is not None:
                _dismiss(successor)

    def _hired(self) -> _Clerk | None:
        """A new process; None where the system gives none, and threads must do."""
        context = children()
        here, there = context.Pipe()
        try:
            with self._lock:
                if self._closed:
                    return None
                with one_thread(), without_main():
                    process = context.Process(
                        target=_work, args=(there, self._patient), daemon=True, name="lab-office"
                    )
                    process.start()
        except OSError:
            _LOG.warning("no process for long computations can be started; the lab gets slower")
            return None
        finally:
            there.close()
        return _Clerk(process, here)


def _dismiss(clerk: _Clerk) -> None:
    clerk.process.kill()
    clerk.process.join()
    clerk.line.close()


def _asked(clerk: _Clerk, task: _Task) -> tuple[bool, Any]:
    """The answer of a process, while somebody wants it and it may go on."""
    try:
        message = pickle.dumps((task.function, task.arguments))
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        return False, error
    pid = clerk.process.pid
    assert pid is not None
    computed = ProcessClock(pid)
    clerk.line.send_bytes(message)
    while not clerk.line.poll(_LOOK):
        task.promise.spent = computed()
        if task.promise.abandoned.is_set():
            raise Abandoned
        if task.promise.spent > task.seconds:
            raise TooLong(task.seconds)
    answer: tuple[bool, Any] = clerk.line.recv()
    return answer


def _carried_out(function: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[bool, Any]:
    try:
        return True, function(*arguments)
    except Exception as error:
        return False, error


def _work(line: Connection, patient: bool) -> None:
    """The life of a process: task after task, until the server is gone."""
    begin_child()
    if patient and hasattr(os, "nice"):
        os.nice(10)
    while True:
        try:
            function, arguments = line.recv()
            line.send_bytes(_posted(_carried_out(function, arguments)))
        except (EOFError, OSError):
            return


def _posted(answer: tuple[bool, Any]) -> bytes:
    """An answer as bytes; of an error that pickle cannot restore, its sentence alone."""
    done, result = answer
    if not done:
        try:
            pickle.loads(pickle.dumps(result))
        except Exception:
            return pickle.dumps((False, ValueError(str(result))))
    return pickle.dumps(answer)
