"""The local engine: processes of this machine, one thread each, replaced when they die.

A worker computes one call at a time on one thread, so results do not depend on the number of
workers or cores.
"""

from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import wait

from soloc.runs.engines.batches import Batch, Waiting
from soloc.runs.engines.calls import DEATHS, Call, Outcome, lost, outcome_of
from soloc.runs.processes import start_server
from soloc.runs.worker import Died, Worker

_BATCH_SECONDS = 0.2  # work that is handed out at once; a reply comes for each call all the same
_PRELOADED = ("soloc.runs.cells",)  # unless a server with more is there already
_STILLBORN, _TRIES = -1, 20  # deaths of workers that no call is to blame for, and how many may be
_MOMENT = 0.2  # seconds of silence after which the driver may look at the clock


@dataclass(frozen=True)
class Local:
    """`jobs` processes of this machine."""

    jobs: int

    def __post_init__(self) -> None:
        if isinstance(self.jobs, bool) or not isinstance(self.jobs, int) or self.jobs < 1:
            raise ValueError(f"`jobs` must be a whole number >= 1, got {self.jobs!r}.")

    @property
    def workers(self) -> int:
        return self.jobs

    def run(self, calls: Sequence[Call]) -> Iterator[Outcome | None]:
        """Compute all calls; a worker that dies is replaced and its call tried twice more."""
        waiting = Waiting(calls, self.jobs, _BATCH_SECONDS)
        deaths: Counter[int] = Counter()
        desks: list[_Desk] = []
        start_server(_PRELOADED)
        try:
            for _ in range(min(self.jobs, len(calls))):
                desks.append(_Desk())
            while busy := [desk for desk in desks if desk.has_work(waiting)]:
                ready = wait([desk.worker.pipe for desk in busy], timeout=_MOMENT)
                if not ready:
                    yield None
                for desk in busy:
                    if desk.worker.pipe not in ready:
                        continue
                    outcome = self._heard(desk, waiting, deaths)
                    if outcome is not None:
                        yield outcome
        finally:
            for desk in desks:
                desk.worker.close(busy=bool(desk.batch and desk.batch.places))

    def _heard(self, desk: "_Desk", waiting: Waiting, deaths: Counter[int]) -> Outcome | None:
        """What a worker says, or what its death means."""
        try:
            reply = desk.worker.receive()
        except Died:
            begun, place = desk.worker.begun, desk.open.popleft()
            waiting.give_back(desk.open)
            desk.replace()
            deaths[place if begun else _STILLBORN] += 1
            if deaths[_STILLBORN] > _TRIES:
                raise OSError(
                    f"{_TRIES} worker processes ended as soon as they began (out of memory?); what"
                    " was finished is kept: run the command again, with fewer `jobs`."
                ) from None
            if deaths[place] >= DEATHS:
                return lost(place)
            if begun:
                waiting.put_last(place)
            else:
                waiting.give_back([place])
            return None
        if reply is None:
            return None
        place = desk.open.popleft()
        waiting.took(place, reply.seconds)
        return outcome_of(place, reply)


class _Desk:
    """A worker and the calls that it has been given and not yet replied to."""

    def __init__(self) -> None:
        self.worker = Worker()
        self.batch: Batch | None = None

    @property
    def open(self) -> deque[int]:
        assert self.batch is not None
        return self.batch.places

    def has_work(self, waiting: Waiting) -> bool:
        """Whether there is something to do, or more to fetch."""
        if self.batch is None or not self.batch.places:
            self.batch = waiting.take(None if self.batch is None else self.batch.kind)
            if self.batch is not None:
                arguments = [each for _, each in waiting.arguments(self.batch)]
                self.worker.send(self.batch.function, arguments)
        return self.batch is not None

    def replace(self) -> None:
        """Another worker, with nothing to do yet."""
        self.worker.close()
        self.worker, self.batch = Worker(), None
