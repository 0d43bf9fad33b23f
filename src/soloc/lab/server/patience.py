"""A server that does not wait for ever: a request whose head or body comes drop by drop loses its
connection.

uvicorn closes connections that are idle between requests, but not those that have begun one and
never end it; two hundred of them would be all that the lab accepts.
"""

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

SECONDS = 20.0  # for the head and body of a request


class PatientProtocol(H11Protocol):
    """HTTP by h11, whose heads are limited to 64 KB, with a limit of time for every request to
    arrive.
    """

    _alarm: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.cycle is not None and not self.cycle.more_body:
            self._rest()
        elif self._alarm is None:
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        self._rest()
        super().connection_lost(exc)

    def _wait(self) -> None:
        self._alarm = self.loop.call_later(SECONDS, self._give_up)

    def _rest(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None

    def _give_up(self) -> None:
        if not self.transport.is_closing():
            self.transport.abort()
