"""The desk: where questions of the page become answers, with bounded threads, time and memory."""

import asyncio
import json
import os
import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from fastapi import Request, Response
from pydantic import BaseModel

from soloc.lab.panel import Panel
from soloc.lab.work.limits import Busy, StillComputing
from soloc.lab.work.office import Office

_WORKERS = 2  # quick computations side by side: the machine has few cores
_WAITING = 64  # questions that may wait for a worker, of either kind
_SECONDS = 30.0  # that a slow answer may compute
_PATIENCE = 10.0  # seconds for which a question waits before it is told to ask again
_REMEMBERED = 64 * 2**20  # bytes of answers kept

Key = tuple[str, str, str]  #: address, question and form of an answer


class Desk:
    """A few worker threads, a bounded queue in front of them, and the latest answers.

    Slow questions go to the back office, through a queue of their own: a slider never waits for
    somebody's critical points. An answer that takes longer than a question should wait is told to
    come back, and found when it is asked for again.
    """

    def __init__(
        self,
        workers: int = _WORKERS,
        waiting: int = _WAITING,
        seconds: float = _SECONDS,
        patience: float = _PATIENCE,
    ) -> None:
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="lab")
        self.office = Office(max(1, min(3, (os.cpu_count() or 1) - 1)))
        self._quick_places = threading.BoundedSemaphore(workers + waiting)
        self._slow_places = threading.BoundedSemaphore(workers + waiting)
        self._seconds, self._patience = seconds, patience
        self._running: dict[Key, asyncio.Future[bytes]] = {}
        self._answers: OrderedDict[Key, bytes] = OrderedDict()
        self._bytes = 0

    def submit(
        self, work: Callable[..., Any], *arguments: Any, slow: bool = False
    ) -> "Future[Any]":
        """Hand work to a worker; its place in the queue is free again when it has really ended."""
        places = self._slow_places if slow else self._quick_places
        if not places.acquire(blocking=False):
            raise Busy("The lab is busy with other computations; ask again in a second.")
        try:
            future: Future[Any] = (
                self.office.submit(work, *arguments, seconds=self._seconds)
                if slow
                else self._pool.submit(work, *arguments)
            )
        except BaseException:
            places.release()
            raise
        future.add_done_callback(lambda _: places.release())
        return future

    async def answer(
        self,
        request: Request,
        ask: BaseModel,
        draw: Callable[[Any], Panel],
        with_table: bool = False,
        slow: bool = False,
    ) -> Response:
        """The panel that `draw` makes of `ask`, from memory when it is known.

        With Accept: text/csv its table in full; else JSON, in which the table is empty or,
        `with_table`, shortened to 15 digits: a slider should not wait for digits that nobody
        draws.
        """
        as_csv = "text/csv" in request.headers.get("accept", "")
        key = (request.url.path, ask.model_dump_json(), "csv" if as_csv else "json")
        arguments = (draw, ask, as_csv, with_table)
        content = await self.remembered(key, _written, *arguments, slow=slow)
        return Response(content, media_type="text/csv" if as_csv else "application/json")

    async def remembered(
        self, key: Key, work: Callable[..., bytes], *arguments: Any, slow: bool = False
    ) -> bytes:
        """The result of `work(*arguments)`, from memory when it is known."""
        content = self._answers.get(key)
        if content is None:
            return await self.computed(key, work, *arguments, slow=slow)
        self._answers.move_to_end(key)
        return content

    async def computed(
        self, key: Key, work: Callable[..., bytes], *arguments: Any, slow: bool = False
    ) -> bytes:
        """The result of `work(*arguments)`, which whoever asks for the same key waits for, too."""
        future = self._running.get(key)
        if future is None:
            future = asyncio.wrap_future(self.submit(work, *arguments, slow=slow))
            self._running[key] = future
            future.add_done_callback(lambda done: self._finish(key, done))
        await asyncio.wait([future], timeout=self._patience)
        if not future.done():
            raise StillComputing("The answer is still being computed; ask again in a second.")
        return future.result()

    def _finish(self, key: Key, done: "asyncio.Future[bytes]") -> None:
        del self._running[key]
        if not done.cancelled() and done.exception() is None:
            self._remember(key, done.result())

    def _remember(self, key: Key, content: bytes) -> None:
        self._bytes += len(content) - len(self._answers.pop(key, b""))
        self._answers[key] = content
        while self._bytes > _REMEMBERED:
            self._bytes -= len(self._answers.popitem(last=False)[1])

    def close(self) -> None:
        """Let the workers go; what waits is dropped."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        self.office.close()


def _written(draw: Callable[[Any], Panel], ask: BaseModel, as_csv: bool, with_table: bool) -> bytes:
    panel = draw(ask)
    if as_csv:
        return panel.csv().encode()
    table = {name: _short(values) for name, values in panel.table.items()} if with_table else {}
    content = panel.model_dump(exclude={"table"}) | {"table": table}
    return json.dumps(content, allow_nan=False, separators=(",", ":")).encode()


def _short(values: list[Any]) -> list[Any]:
    """A column to 15 digits: enough even for the part of a unit vector that is left over."""
    return [float(f"{value:.15g}") if isinstance(value, float) else value for value in values]
