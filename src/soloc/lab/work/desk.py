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
from soloc.lab.work.limits import Busy, TooSlow
from soloc.lab.work.office import Lost, Office

_WORKERS = 2  # quick computations side by side: the machine has few cores
_WAITING = 64  # questions that may wait for a worker
_SECONDS = 30.0  # after which an answer is given up
_REMEMBERED = 64 * 2**20  # bytes of answers kept


class Desk:
    """A few worker threads, a bounded queue in front of them, and the latest answers.

    Slow questions go to the back office: a slider never waits for somebody's critical points.
    """

    def __init__(
        self, workers: int = _WORKERS, waiting: int = _WAITING, seconds: float = _SECONDS
    ) -> None:
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="lab")
        self.office = Office(max(1, min(3, (os.cpu_count() or 1) - 1)))
        self._places = threading.BoundedSemaphore(workers + waiting)
        self._seconds = seconds
        self._answers: OrderedDict[tuple[str, str, str], bytes] = OrderedDict()
        self._bytes = 0

    async def compute(self, work: Callable[..., Any], *arguments: Any, slow: bool = False) -> Any:
        """The result of `work(*arguments)`, done by a worker; refused when the queue is full, given
        up after the time limit.
        """
        future = self.submit(work, *arguments, slow=slow)
        try:
            return await asyncio.wait_for(asyncio.wrap_future(future), self._seconds)
        except TimeoutError:
            raise TooSlow(
                f"The answer took longer than {self._seconds:g} s; take a smaller setting or try"
                " again."
            ) from None
        except Lost as lost:
            raise TooSlow(str(lost)) from None

    def submit(
        self, work: Callable[..., Any], *arguments: Any, slow: bool = False
    ) -> "Future[Any]":
        """Hand work to a worker; its place in the queue is free again when it has really ended."""
        if not self._places.acquire(blocking=False):
            raise Busy("The lab is busy with other computations; try again in a second.")
        try:
            future = (self.office if slow else self._pool).submit(work, *arguments)
        except BaseException:
            self._places.release()
            raise
        future.add_done_callback(lambda _: self._places.release())
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
        content = self._answers.get(key)
        if content is None:
            content = await self.compute(_written, draw, ask, as_csv, with_table, slow=slow)
            self._remember(key, content)
        else:
            self._answers.move_to_end(key)
        return Response(content, media_type="text/csv" if as_csv else "application/json")

    def _remember(self, key: tuple[str, str, str], content: bytes) -> None:
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
