"""A worker: a process of its own that calls functions for somebody else, one at a time.

It replies to every call as soon as it is done, so that whoever asked knows which one it died of.
"""

import pickle
import time
import traceback
from collections.abc import Callable, Iterable
from functools import lru_cache
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

import cloudpickle

from soloc.runs.processes import begin_child, begin_patient_child, children, starting

_FAREWELL = 2.0  # seconds that an idle worker has to end by itself


class Reply(NamedTuple):
    """What came of a call: a value or an error."""

    value: Any
    error: Exception | None = None
    trace: str = ""  #: where the error was raised
    seconds: float = 0.0


class Died(Exception):
    """The worker ended before it had replied."""


def pack(function: Callable[..., Any]) -> bytes:
    """A function as bytes; one of a script or a notebook, which no worker can import, by value."""
    try:
        return bytes(cloudpickle.dumps(function))
    except Exception as error:
        raise TypeError(
            f"`function` must be one that can be sent to another process, got {function!r}:"
            f" {error}."
        ) from None


@lru_cache(maxsize=64)
def unpack(function: bytes) -> Any:
    """The function of `pack`; once for each, so that what it compiles is kept."""
    return cloudpickle.loads(function)


def carried_out(function: bytes, arguments: tuple[Any, ...]) -> Reply:
    """A packed function called."""
    return called(lambda *each: unpack(function)(*each), arguments)


def called(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Reply:
    """`function(*arguments)`; whatever it raises is part of the reply."""
    started = time.perf_counter()
    try:
        value = function(*arguments)
        return Reply(value, seconds=time.perf_counter() - started)
    except Exception as error:
        return Reply(None, error, traceback.format_exc(), time.perf_counter() - started)


class Worker:
    """A process and the pipe to it; a `patient` one leaves the cores to others first."""

    def __init__(self, patient: bool = False) -> None:
        context = children()
        self.pipe, far_end = context.Pipe()
        self.process = context.Process(target=_serve, args=(far_end, patient), daemon=True)
        with starting():
            self.process.start()
        far_end.close()
        self.begun = False  # a process that dies before it has begun is no call's fault

    def send(self, function: bytes, arguments: Iterable[tuple[Any, ...]]) -> None:
        """Ask for a packed function at each of `arguments`; there is a reply for each, in order."""
        message = cloudpickle.dumps((function, list(arguments)))
        try:
            self.pipe.send_bytes(message)
        except OSError:
            return  # it is dead: `receive` says so

    def waits(self, seconds: float) -> bool:
        """Whether there is something to `receive`, a death included, within so many seconds."""
        try:
            return bool(self.pipe.poll(seconds))
        except OSError:
            return True

    def receive(self) -> Reply | None:
        """The next reply, after a None that says that it has begun; `Died` when there is none."""
        try:
            reply: Reply | None = pickle.loads(self.pipe.recv_bytes())
        except (EOFError, OSError):
            raise Died from None
        self.begun = True
        return reply

    def close(self, busy: bool = True) -> None:
        """End the process; one that is not `busy` may first clear up what its libraries left."""
        self.pipe.close()
        if not busy:
            self.process.join(_FAREWELL)
        self.process.kill()
        self.process.join()


def _serve(pipe: Connection, patient: bool) -> None:
    """The life of a worker: call after call, until the other side is gone."""
    (begin_patient_child if patient else begin_child)()
    try:
        pipe.send_bytes(pickle.dumps(None))
        while True:
            function, arguments = pickle.loads(pipe.recv_bytes())
            for each in arguments:
                pipe.send_bytes(sendable(carried_out(function, each)))
    except (EOFError, OSError):
        return


def sendable(reply: Reply) -> bytes:
    """A reply as bytes; of a value or an error that cannot travel, the sentence alone."""
    try:
        message = pickle.dumps(reply, protocol=5)
        if reply.error is not None:
            pickle.loads(message)  # some errors can be pickled and not restored
        return message
    except Exception as problem:
        if reply.error is None:
            error: Exception = TypeError(
                f"the result, a {type(reply.value).__name__}, cannot be sent back: {problem}."
            )
        else:
            kind = ValueError if isinstance(reply.error, ValueError) else RuntimeError
            error = kind(str(reply.error))
        return pickle.dumps(Reply(None, error, reply.trace or str(error), reply.seconds))
