"""A server that does not wait for ever: who is silent, or sends drop by drop, is hung up on.

uvicorn closes connections that are idle between requests, but not those that have not begun one, or
have begun one and never end it; a few hundred of them would be all that the lab accepts.
"""

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD, BODY = 5.0, 20.0  # seconds for all of the head of a request, and for all of its body


class PatientProtocol(H11Protocol):
    """HTTP by h11, whose heads are limited to 64 KB, with a limit of time for every request."""

    _alarm: asyncio.TimerHandle | None = None
    _awaited: float | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._await(HEAD)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        state = self.conn.their_state
        begun = state is h11.IDLE and bool(self.conn.trailing_data[0])
        self._await(BODY if state is h11.SEND_BODY else HEAD if begun else None)

    def connection_lost(self, exc: Exception | None) -> None:
        self._await(None)
        super().connection_lost(exc)

    def _await(self, seconds: float | None) -> None:
        """Set the alarm for what is awaited, unless the same is awaited already."""
        if seconds == self._awaited:
            return
        if self._alarm is not None:
            self._alarm.cancel()
        self._awaited = seconds
        self._alarm = None if seconds is None else self.loop.call_later(seconds, self._give_up)

    def _give_up(self) -> None:
        if not self.transport.is_closing():
            self.transport.abort()
