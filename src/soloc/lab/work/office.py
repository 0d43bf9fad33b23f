"""A back office: processes of their own for work that takes longer than a slider should wait.

The interpreter runs one thread at a time, so heavy work in the server's own process would hold up
every slider. Until an office has opened, and should one of its processes die, the same work is done
by threads here.
"""

import logging
import multiprocessing
import os
import pickle
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any, NamedTuple

from soloc.runs.processes import begin_child

_LOG = logging.getLogger("soloc.lab")


class Lost(Exception):
    """The process died before it had the result."""


class _Clerk(NamedTuple):
    """A process and the line to it."""

    process: BaseProcess
    line: Connection


class _Task(NamedTuple):
    future: "Future[Any]"
    function: Callable[..., Any]
    arguments: tuple[Any, ...]


class Office:
    """Hands functions of modules, with plain arguments, to other processes; a `patient` office
    leaves the cores to others first.
    """

    def __init__(self, workers: int = 1, patient: bool = False) -> None:
        self._patient = patient
        self._waiting: queue.SimpleQueue[_Task | None] = queue.SimpleQueue()
        self._clerks: list[_Clerk | None] = [None] * workers
        self._processes: list[BaseProcess] = []
        self._lock = threading.Lock()
        self._closed = False
        for number in range(workers):
            threading.Thread(
                target=self._serve, args=(number,), daemon=True, name=f"lab-office-{number}"
            ).start()

    def open(self, prepare: Callable[[], Any]) -> None:
        """Start the processes, let them `prepare`, and send all further work there."""
        for number in range(len(self._clerks)):
            with self._lock:
                if self._closed:
                    return
                clerk = _hired(self._patient)
                self._processes.append(clerk.process)
            try:
                clerk.line.send((prepare, ()))
                clerk.line.recv()
            except (EOFError, OSError):
                self._mourn()
            else:
                self._clerks[number] = clerk

    @property
    def is_open(self) -> bool:
        """Whether all work goes to other processes."""
        return None not in self._clerks

    def submit(self, function: Callable[..., Any], *arguments: Any) -> "Future[Any]":
        """The result of `function(*arguments)`, some time."""
        future: Future[Any] = Future()
        self._waiting.put(_Task(future, function, arguments))
        return future

    def close(self) -> None:
        """Let everybody go; what waits is dropped."""
        with self._lock:
            self._closed = True
        for _ in self._clerks:
            self._waiting.put(None)
        for process in self._processes:
            process.kill()
            process.join()

    def _serve(self, number: int) -> None:
        """Take one task after the other, for the process of that number or, where there is none,
        for this thread.
        """
        while (task := self._waiting.get()) is not None and not self._closed:
            if not task.future.set_running_or_notify_cancel():
                continue
            clerk = self._clerks[number]
            try:
                done, result = (
                    _carried_out(task.function, task.arguments)
                    if clerk is None
                    else _asked(clerk, task)
                )
            except (EOFError, OSError):
                self._clerks[number] = None
                self._mourn()
                done, result = False, Lost("The computation was interrupted; ask again.")
            if done:
                task.future.set_result(result)
            else:
                task.future.set_exception(result)

    def _mourn(self) -> None:
        if not self._closed:
            _LOG.warning(
                "a process for long computations has died; the lab goes on without it, more slowly"
            )


def _asked(clerk: _Clerk, task: _Task) -> tuple[bool, Any]:
    try:
        message = pickle.dumps((task.function, task.arguments))
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        return False, error
    clerk.line.send_bytes(message)
    return clerk.line.recv()


def _carried_out(function: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[bool, Any]:
    try:
        return True, function(*arguments)
    except Exception as error:
        return False, error


def _hired(patient: bool) -> _Clerk:
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(
        target=_work, args=(there, patient), daemon=True, name="soloc-lab-office"
    )
    process.start()
    there.close()
    return _Clerk(process, here)


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
