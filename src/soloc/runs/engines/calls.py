"""The language between a driver and its engine: calls go out, outcomes come back."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, NamedTuple, Protocol

from soloc.runs.worker import Reply

DEATHS = 3  # workers that a cell may cost before it is given up
Verdict = Literal["done", "refused", "failed", "lost"]


class Call(NamedTuple):
    """A function and what to call it with, anywhere.

    Calls that share one function object share what a worker has compiled for it.
    """

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    seconds: float = 1.0  #: about how long it takes; decides the order, never the result


class Outcome(NamedTuple):
    """What became of a call."""

    place: int  #: which of the calls
    verdict: Verdict
    value: Any  #: the result; the sentence of a refusal; the traceback of a failure
    seconds: float = 0.0


class Engine(Protocol):
    """Whoever turns calls into outcomes, each once, in any order.

    Where nothing has happened for a moment, `run` may yield None: the driver then looks at the
    clock. A worker that dies is replaced; a call that costs three workers is lost.
    """

    @property
    def workers(self) -> int:
        """How many calls are computed at the same time, as far as is known."""
        ...

    def run(self, calls: Sequence[Call]) -> Iterator[Outcome | None]:
        """Compute them all."""
        ...


def outcome_of(place: int, reply: Reply) -> Outcome:
    """A worker's reply as outcome: a `ValueError` is a refusal, any other error a failure."""
    if reply.error is None:
        return Outcome(place, "done", reply.value, reply.seconds)
    if isinstance(reply.error, ValueError):
        return Outcome(place, "refused", str(reply.error), reply.seconds)
    return Outcome(place, "failed", reply.trace, reply.seconds)


def lost(place: int) -> Outcome:
    """The outcome of a call that costs every worker its life."""
    return Outcome(place, "lost", f"{DEATHS} workers died of it (out of memory?)")
