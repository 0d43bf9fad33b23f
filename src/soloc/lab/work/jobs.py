"""Long work behind the page: a job runs in the background, streams what it finds, and can be
cancelled.

A view starts one with `jobs.start(work)`, where `work(job)` calls `job.report(...)` as it goes and
returns its last answer. Jobs are bounded in number, in time and in what they may say; one that
nobody listens to is stopped, one that has ended is forgotten.
"""

import asyncio
import json
import logging
import secrets
import threading
import time
from collections.abc import AsyncIterator, Callable
from typing import Any, Literal

from soloc.lab.work.clocks import Meter
from soloc.lab.work.limits import Busy
from soloc.lab.work.office import Lost, Office, Promise

LIVE = 32  # jobs waiting or running; more are refused
LANES = {"compute": 1, "fit": 2}  # jobs that run at once, so that fits do not hold up quick work
LONGEST = 900.0  # seconds a job may compute, whatever it asks for
WAITING = 1.0  # seconds after which a job that waits for its turn says so
UNHEARD = 20.0  # seconds without a listener after which a job is stopped
KEPT = 120.0  # seconds after its end for which a job can still be read
MOST_EVENTS, MOST_BYTES = 4000, 16_000_000  # what one job may say
HEARTBEAT = 10.0  # seconds of silence after which a comment keeps the stream open

State = Literal["waiting", "running", "done", "failed", "cancelled"]
log = logging.getLogger(__name__)


class Stopped(Exception):
    """The job was cancelled, nobody listens any more, or its time is over; its text says which."""


class OutOfTime(Stopped):
    """The job has computed for as long as it may."""


class Job:
    """One piece of work: `report` speaks to whoever listens, and raises `Stopped` when the work
    should end.
    """

    def __init__(self, seconds: float, office: Office) -> None:
        self._office = office
        self.id = secrets.token_urlsafe(16)
        self.state: State = "waiting"
        self.seconds = min(seconds, LONGEST)
        self.events: list[str] = []
        self.ended: float | None = None
        self._bytes = 0
        self._born = self._heard = time.monotonic()
        self.meter = Meter()
        self._cancelled = threading.Event()
        self._lock = threading.Lock()
        self._listeners: set[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = set()

    def cancel(self) -> None:
        """Ask the work to stop at its next report or check."""
        self._cancelled.set()

    def check(self) -> None:
        """Raise `Stopped` if the work should end now."""
        now = time.monotonic()
        if self._cancelled.is_set():
            raise Stopped("cancelled")
        if self.meter.seconds > self.seconds:
            raise OutOfTime(
                f"stopped after {self.seconds:g} seconds of computing, the most that it may take;"
                " make the problem smaller, or give it more time"
            )
        if not self._listeners and now - self._heard > UNHEARD:
            raise Stopped("stopped because nobody was listening")

    def report(self, **facts: Any) -> None:
        """Tell the listeners something; plain JSON."""
        self.check()
        self._say({"kind": "progress", **facts})

    def elsewhere(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """`function(*arguments)`, computed in the back office; `Stopped` if the work should end."""
        promise = self._office.submit(function, *arguments)
        with self.meter.elsewhere(lambda: promise.spent):
            while True:
                try:
                    return promise.result(timeout=0.05)
                except TimeoutError:
                    if promise.done():
                        raise
                    self._check_or_abandon(promise)
                except Lost as lost:
                    raise ValueError(str(lost)) from None

    def _check_or_abandon(self, promise: Promise) -> None:
        try:
            self.check()
        except Stopped:
            promise.abandon()
            raise

    def run(self, work: Callable[["Job"], dict[str, Any]], lane: threading.Semaphore) -> None:
        """Wait for a turn in the lane, work, and say how it ended."""
        mine = False
        try:
            while not (mine := lane.acquire(timeout=0.1)):
                self.check()
                self._say_that_it_waits()
            self.state = "running"
            self.meter.start()
            self.check()
            answer = work(self)
            self.check()
            self._end("done", {"kind": "done", **answer})
        except OutOfTime as stop:
            self._end(
                "failed",
                {"kind": "failed", "sentence": f"The work was {stop}.", "out_of_time": True},
            )
        except Stopped as stop:
            kind: State = "cancelled" if self._cancelled.is_set() else "failed"
            self._end(kind, {"kind": kind, "sentence": f"The work was {stop}."})
        except (ValueError, TypeError, OSError, MemoryError) as error:
            self._end(
                "failed",
                {
                    "kind": "failed",
                    "sentence": str(error) or "There was not enough memory for this.",
                },
            )
        except Exception:
            log.exception("a job failed")
            self._end(
                "failed",
                {
                    "kind": "failed",
                    "sentence": (
                        "The work failed for a reason nobody foresaw; see the server's log."
                    ),
                },
            )
        finally:
            if mine:
                lane.release()

    def _say_that_it_waits(self) -> None:
        if not self.events and time.monotonic() - self._born > WAITING:
            self._say({"kind": "progress", "waiting": True})

    def _say(self, event: dict[str, Any]) -> None:
        text = json.dumps(event, allow_nan=False, separators=(",", ":"))
        with self._lock:
            self._bytes += len(text)
            if event["kind"] == "progress" and (
                len(self.events) >= MOST_EVENTS or self._bytes > MOST_BYTES
            ):
                raise ValueError(
                    "The work has more to say than the lab carries; make the problem smaller."
                )
            self.events.append(text)
            for loop, news in self._listeners:
                loop.call_soon_threadsafe(news.set)

    def _end(self, state: State, event: dict[str, Any]) -> None:
        try:
            self._say(event)
        except ValueError:  # not JSON: a number that is none
            log.exception("a job's answer could not be written")
            state = "failed"
            self._say(
                {"kind": "failed", "sentence": "The answer holds a number that is not finite."}
            )
        self.state, self.ended = state, time.monotonic()

    async def stream(self, after: int) -> AsyncIterator[str]:
        """Events from number `after` on, as server-sent events, until the last one."""
        news = asyncio.Event()
        listener = (asyncio.get_running_loop(), news)
        with self._lock:
            self._listeners.add(listener)
        try:
            while True:
                news.clear()
                while after < len(self.events):
                    text = self.events[after]
                    yield f"id: {after}\ndata: {text}\n\n"
                    after += 1
                    if not text.startswith('{"kind":"progress"'):
                        return
                try:
                    await asyncio.wait_for(news.wait(), HEARTBEAT)
                except TimeoutError:
                    yield ": still here\n\n"
        finally:
            with self._lock:
                self._listeners.discard(listener)
            self._heard = time.monotonic()


class Jobs:
    """All jobs of one server."""

    def __init__(self) -> None:
        self.office = Office(patient=True)
        self._jobs: dict[str, Job] = {}
        self._lock = threading.Lock()
        self._lanes = {name: threading.Semaphore(count) for name, count in LANES.items()}

    def start(
        self, work: Callable[[Job], dict[str, Any]], *, seconds: float = 30.0, lane: str = "compute"
    ) -> Job:
        """Start `work` in the background; its dictionary is the last event. Raises `Busy` when
        there are too many.
        """
        with self._lock:
            self._forget()
            if sum(job.ended is None for job in self._jobs.values()) >= LIVE:
                raise Busy("The lab is busy with other work; try again in a few seconds.")
            job = Job(seconds, self.office)
            self._jobs[job.id] = job
        threading.Thread(
            target=self._run, args=(job, work, lane), name=f"job-{lane}", daemon=True
        ).start()
        return job

    def _run(self, job: Job, work: Callable[[Job], dict[str, Any]], lane: str) -> None:
        job.run(work, self._lanes[lane])
        if not any(other.ended is None for other in self._listed()):
            self.office.renew()

    def _listed(self) -> list[Job]:
        with self._lock:
            return [*self._jobs.values()]

    def get(self, identity: str) -> Job | None:
        """The job of that identity, if it is not forgotten."""
        with self._lock:
            self._forget()
            return self._jobs.get(identity)

    def close(self) -> None:
        """Cancel everything."""
        with self._lock:
            for job in self._jobs.values():
                job.cancel()
        self.office.close()

    def _forget(self) -> None:
        now = time.monotonic()
        ended = [job for job in self._jobs.values() if job.ended is not None]
        ended.sort(key=lambda job: job.ended or 0.0, reverse=True)
        for place, job in enumerate(ended):
            if place >= LIVE or now - (job.ended or 0.0) > KEPT:
                del self._jobs[job.id]
