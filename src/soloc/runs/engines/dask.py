"""The Dask engine: calls in batches on a cluster that somebody else runs, or on one of our own.

Dask tries the tasks of a lost worker elsewhere, and gives a task up when it has cost several
workers. It cannot know which call of a batch was to blame, nor whether a task merely stood next to
the guilty one: so the calls of such a batch are tried singly, and at last one by one, alone.
"""

import logging
import queue
import time
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any

from soloc.runs.engines.batches import Batch, Waiting
from soloc.runs.engines.calls import Call, Outcome, lost, outcome_of
from soloc.runs.engines.dask_cluster import own_cluster
from soloc.runs.engines.dask_workers import check_versions, computed

_BATCH_SECONDS = 1.0
_MOMENT = 0.2  # seconds of silence after which the driver may look at the clock
_LOOK = 2.0  # seconds between two looks at the cluster


@dataclass(frozen=True)
class Dask:
    """A cluster: a `Client`, the address of a scheduler, or None for `jobs` processes here."""

    scheduler: Any = None
    jobs: int = 1
    patience: float = 60.0  #: seconds without any worker after which the run ends

    @property
    def workers(self) -> int:
        return self.jobs

    def run(self, calls: Sequence[Call]) -> Iterator[Outcome | None]:
        """Compute all calls; what a lost worker had is computed by another."""
        with _quiet(), _connected(self) as client:
            yield from _Flight(client, self.patience, calls).outcomes()


class _Flight:
    """One run: batches in flight, and calls that are under suspicion."""

    def __init__(self, client: Any, patience: float, calls: Sequence[Call]) -> None:
        self.client, self.patience = client, patience
        self.threads = 0
        self.seen_alive = self.looked = time.monotonic()
        self.waiting = Waiting(calls, 1, _BATCH_SECONDS)
        self._wait_for_workers()
        check_versions(client.get_versions(packages=["soloc", "jax", "jaxlib", "pyarrow"]))
        self.flying: dict[str, tuple[Any, Batch, bool]] = {}
        self.arrived: queue.SimpleQueue[str] = queue.SimpleQueue()
        self.single: deque[int] = deque()  # of batches that were given up
        self.suspects: deque[int] = deque()  # given up singly: next time nobody else is in the air

    def outcomes(self) -> Iterator[Outcome | None]:
        """Batches go out, outcomes come in, until there are no more."""
        try:
            while self._launch():
                try:
                    key = self.arrived.get(timeout=_MOMENT)
                except queue.Empty:
                    self._look()
                    yield None
                else:
                    yield from self._land(*self.flying.pop(key))
        finally:
            self.client.cancel([future for future, _, _ in self.flying.values()], force=True)

    def _wait_for_workers(self) -> None:
        """Return when there is a worker; refuse to wait longer than one may."""
        while not self.threads:
            self._look(now=True)
            time.sleep(_MOMENT)

    def _launch(self) -> bool:
        """Keep the cluster busy; False when everything has landed."""
        while len(self.flying) < 2 * self.threads and not self._alone():
            batch = (
                self.waiting.alone(self.single.popleft()) if self.single else self.waiting.take()
            )
            if batch is None:
                break
            self._submit(batch, alone=False)
        if not self.flying and self.suspects:
            self._submit(self.waiting.alone(self.suspects.popleft()), alone=True)
        return bool(self.flying)

    def _alone(self) -> bool:
        return any(alone for _, _, alone in self.flying.values())

    def _submit(self, batch: Batch, alone: bool) -> None:
        arguments = [each for _, each in self.waiting.arguments(batch)]
        future = self.client.submit(computed, batch.function, arguments, pure=False)
        self._await(future, batch, alone)

    def _await(self, future: Any, batch: Batch, alone: bool) -> None:
        self.flying[future.key] = (future, batch, alone)
        future.add_done_callback(lambda done: self.arrived.put(done.key))

    def _land(self, future: Any, batch: Batch, alone: bool) -> Iterator[Outcome]:
        try:
            replies = future.result(timeout=_LOOK)
        except TimeoutError:  # its worker died with the result: it is computed again
            self._await(future, batch, alone)
        except CancelledError:
            raise OSError(_GONE) from None
        except Exception as error:
            if type(error).__name__ != "KilledWorker":
                raise
            if alone:
                yield lost(batch.places[0])
            elif len(batch.places) == 1:
                self.suspects.extend(batch.places)
            else:
                self.single.extend(batch.places)
        else:
            self.seen_alive = time.monotonic()
            for place, reply in zip(batch.places, replies, strict=True):
                self.waiting.took(place, reply.seconds)
                yield outcome_of(place, reply)

    def _look(self, now: bool = False) -> None:
        """How many threads there are; none for too long, or no scheduler, is an end."""
        clock = time.monotonic()
        if clock - self.looked < _LOOK and not now:
            return
        self.looked = clock
        if self.client.status not in ("running", "connecting"):
            raise OSError(_GONE)
        try:
            self.threads = sum(self.client.nthreads().values())
        except (OSError, ValueError, TimeoutError):  # it may be coming back
            self.threads = 0
        if self.threads:
            self.seen_alive, self.waiting.hands = clock, self.threads
        elif clock - self.seen_alive > self.patience:
            raise OSError(
                f"the Dask scheduler has had no worker for {self.patience:.0f} seconds; what was"
                " finished is kept: see to the workers and run the command again."
            )


_GONE = (
    "the Dask scheduler has gone; what was finished is kept: start a scheduler and run the command"
    " again."
)


@contextmanager
def _quiet() -> Iterator[None]:
    """Dask's own words about lost workers are left out: an outcome says what matters."""
    logger = logging.getLogger("distributed")
    before = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(before)


@contextmanager
def _connected(engine: Dask) -> Iterator[Any]:
    """A client of the engine's cluster; what was started here ends here."""
    try:
        distributed: Any = import_module("distributed")
    except ImportError:
        raise ImportError(
            "the dask engine needs distributed (pip install 'soloc[cluster]')."
        ) from None
    client_of = partial(distributed.Client, set_as_default=False)
    if isinstance(engine.scheduler, distributed.Client):
        yield engine.scheduler
        return
    if engine.scheduler is None:
        with own_cluster(engine.jobs) as address, client_of(address) as client:
            yield client
        return
    try:
        client = client_of(engine.scheduler, timeout=engine.patience)
    except (OSError, ValueError, TimeoutError) as error:
        raise OSError(
            f"`scheduler` must be the address of a running Dask scheduler, as tcp://host:8786; got"
            f" {engine.scheduler!r}: {error}."
        ) from None
    with client:
        yield client
