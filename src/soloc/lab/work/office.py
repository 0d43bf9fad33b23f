"""A back office: processes of their own for work that takes longer than a slider should wait.

The interpreter runs one thread at a time, so heavy work in the server's own process would hold up
every slider. Until an office has opened the same work is done by threads here. A process that dies
is replaced, and what it was asked is asked again; one whose work nobody wants any more is killed
and replaced, so that its place is free at once.
"""

import contextlib
import logging
import math
import pickle
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, NamedTuple

from soloc.lab.work.clocks import ProcessClock
from soloc.lab.work.limits import TooLong
from soloc.runs.worker import Died, Reply, Worker, called, pack

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
        self._workers: list[Worker | None] = [None] * workers
        self._lock = threading.Lock()
        self._places = [threading.Lock() for _ in range(workers)]  # held while somebody works there
        self._used: set[int] = set()  # places at which somebody has worked
        self._heritage: tuple[bytes, Any] | None = None  # of those who prepared, and how to take it
        self._closed = False
        for number in range(workers):
            threading.Thread(
                target=self._serve, args=(number,), daemon=True, name=f"lab-office-{number}"
            ).start()

    def hire(self) -> None:
        """Start the processes, and send all further work there."""
        for number in range(len(self._workers)):
            self._enter(number, self._hired())

    def open(self, prepare: Callable[[], Any], inherit: Callable[[Any], Any] | None = None) -> None:
        """Start processes, let them `prepare`, and send all further work there.

        Those that were hired before go on meanwhile, and leave when they have nothing to do. What
        that returns all that come later `inherit`.
        """
        for number in range(len(self._workers)):
            worker = self._hired()
            if worker is None:
                return
            worker.send(pack(prepare), [()])
            with contextlib.suppress(Died):
                reply = _reply(worker)
                if inherit is not None and reply.error is None:
                    self._heritage = pack(inherit), reply.value
            self._enter(number, worker)

    def renew(self) -> None:
        """Processes that have nothing to do any more leave, with the memory that they needed."""
        for number in [*self._used]:
            here = self._workers[number] is not None
            if here and self._waiting.empty() and not self._places[number].locked():
                self._used.discard(number)
                self._enter(number, self._hired())

    def _enter(self, number: int, worker: Worker | None) -> None:
        """A process takes a place; whoever had it leaves it after the present task."""
        with self._places[number]:
            with self._lock:
                before, self._workers[number] = self._workers[number], worker
                leaves = worker if self._closed else before
            if leaves is not None:
                leaves.close()

    @property
    def is_open(self) -> bool:
        """Whether all work goes to other processes."""
        return None not in self._workers

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
            workers = [worker for worker in self._workers if worker is not None]
        for _ in self._workers:
            self._waiting.put(None)
        for worker in workers:
            worker.close()

    def _serve(self, number: int) -> None:
        """One task after the other, for the process of that number or, without one, here."""
        while (task := self._waiting.get()) is not None and not self._closed:
            if not task.promise.set_running_or_notify_cancel():
                continue
            with self._places[number]:
                self._used.add(number)
                reply = self._outcome(number, task)
            if reply.error is None:
                task.promise.set_result(reply.value)
            else:
                task.promise.set_exception(reply.error)

    def _outcome(self, number: int, task: _Task) -> Reply:
        """What came of a task; asked again where a process dies."""
        for _ in range(_DEATHS):
            worker = self._workers[number]
            if worker is None:
                return called(task.function, task.arguments)
            try:
                return _asked(worker, task)
            except (Abandoned, TooLong) as reason:
                self._replace(number, worker)
                return Reply(None, reason)
            except Died:
                if self._closed:
                    break
                _LOG.warning("a process for long computations has died; another takes its place")
                self._replace(number, worker)
        lost = Lost("The computation has ended its process twice; take another setting.")
        return Reply(None, lost)

    def _replace(self, number: int, worker: Worker) -> None:
        worker.close()
        successor = self._hired()
        with self._lock:
            self._workers[number] = successor
            if self._closed and successor is not None:
                successor.close()

    def _hired(self) -> Worker | None:
        """A new process; None where the system gives none, and threads must do."""
        with self._lock:
            if self._closed:
                return None
            try:
                worker = Worker(self._patient)
            except OSError:
                _LOG.warning("no process for long computations can be started; the lab gets slower")
                return None
        return self._heir(worker)

    def _heir(self, worker: Worker) -> Worker:
        """The process with what others have prepared; it is asked nothing before it has that."""
        if self._heritage is not None:
            inherit, value = self._heritage
            worker.send(inherit, [(value,)])
            with contextlib.suppress(Died):
                _reply(worker)
        return worker


def _asked(worker: Worker, task: _Task) -> Reply:
    """The answer of a process, while somebody wants it and it may go on."""
    pid = worker.process.pid
    assert pid is not None
    computed = ProcessClock(pid)

    def look() -> None:
        task.promise.spent = computed()
        if task.promise.abandoned.is_set():
            raise Abandoned
        if task.promise.spent > task.seconds:
            raise TooLong(task.seconds)

    try:
        worker.send(pack(task.function), [task.arguments])
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        return Reply(None, error)
    return _reply(worker, look)


def _reply(worker: Worker, look: Callable[[], None] = lambda: None) -> Reply:
    """The next reply of a process, which is looked at while it computes."""
    while True:
        while not worker.waits(_LOOK):
            look()
        reply = worker.receive()
        if reply is not None:  # None says that the process has begun
            return reply
