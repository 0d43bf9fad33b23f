"""A back office: processes of their own for work that takes longer than a slider should wait.

The interpreter runs one thread at a time, so heavy work in the server's own process would hold up every slider. Until an office
has opened, and should its process die, the same work is done by a few threads here.
"""

import logging
import multiprocessing
import os
import pickle
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any

_LOG = logging.getLogger("soloc.lab")
_THREADS = 2  # while the office is closed
_ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")  # matrices here are small: more threads only wait


class Office:
    """Hands functions of modules, with plain arguments, to other processes; a `patient` office leaves the cores to others first."""

    def __init__(self, workers: int = 1, patient: bool = False) -> None:
        self._workers, self._patient = workers, patient
        self._here = ThreadPoolExecutor(_THREADS, thread_name_prefix="lab-dear")
        self._there: ProcessPoolExecutor | None = None
        self._lock = threading.Lock()
        self._closed = False

    def open(self, prepare: Callable[[], Any]) -> None:
        """Start the processes, let them `prepare`, and send all further work there."""
        pool = ProcessPoolExecutor(self._workers, multiprocessing.get_context("spawn"), initializer=_begin, initargs=(self._patient,))
        try:
            for prepared in [pool.submit(prepare) for _ in range(self._workers)]:
                prepared.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
        with self._lock:
            if not self._closed:
                self._there = pool
                return
        pool.shutdown(wait=False, cancel_futures=True)

    @property
    def is_open(self) -> bool:
        """Whether work goes to other processes."""
        return self._there is not None

    def submit(self, function: Callable[..., Any], *arguments: Any) -> "Future[Any]":
        """The result of `function(*arguments)`, some time."""
        there = self._there
        if there is not None:
            try:
                return there.submit(_carried_out, function, arguments)
            except BrokenProcessPool:
                self._there = None
                _LOG.warning("the process for long computations has died; the lab goes on without it, more slowly")
        return self._here.submit(function, *arguments)

    def close(self) -> None:
        """Let everybody go; what waits is dropped."""
        with self._lock:
            self._closed = True
        pools: list[Executor | None] = [self._here, self._there]
        for pool in pools:
            if pool is not None:
                pool.shutdown(wait=False, cancel_futures=True)


def _carried_out(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """The result; an error that cannot travel between processes would break the office, so its sentence goes alone."""
    try:
        return function(*arguments)
    except Exception as error:
        try:
            pickle.loads(pickle.dumps(error))
        except Exception:
            raise ValueError(str(error)) from None
        raise


def _begin(patient: bool) -> None:
    """The first thing a process of the office does: see to it that it ends with the server, however that ends."""
    for name in _ONE_THREAD:
        os.environ.setdefault(name, "1")
    if patient and hasattr(os, "nice"):
        os.nice(10)
    threading.Thread(target=_end_with_server, daemon=True, name="server").start()


def _end_with_server() -> None:
    server = multiprocessing.parent_process()
    assert server is not None
    server.join()
    os._exit(0)
