"""The greeter: a process of its own that serves the page's files while the lab is being imported.

It is forked before anything large is there, and listens at the socket that the lab will listen at.
So a browser reads the page and Plotly's script on one core while this process imports JAX and the
views on another. Questions that come early wait; when the lab is there, they are sent to it.
"""

import asyncio
import os
import select
import signal
import socket
import threading
import webbrowser
from typing import Any

from soloc.lab.server.guard import Receive, Scope, Send

_LINGER = 3.0  # seconds in which a page that is being read can be read to its end
_HEARD = 5.0  # seconds for which the lab waits for the greeter to let go of the socket


class Greeter:
    """The process, and the two pipes by which it is told that the lab is there and says so."""

    def __init__(self, listener: socket.socket, files: Any, address: str | None) -> None:
        """`files` is the application that serves them; `address` is opened in the browser."""
        told, self._tell = os.pipe()
        self._heard, hear = os.pipe()
        self._pid = os.fork()  # there is no thread yet
        if self._pid:
            os.close(told)
            os.close(hear)
            return
        try:
            os.close(self._tell)  # so that the end of the lab is seen
            _greet(listener, files, address, told, hear)
        finally:
            os._exit(0)

    def leave(self) -> None:
        """The lab is there: whoever connects from now on is its guest."""
        os.write(self._tell, b"!")
        select.select([self._heard], [], [], _HEARD)
        os.close(self._tell)
        os.close(self._heard)

    def wait(self) -> None:
        """Until it has ended."""
        os.waitpid(self._pid, 0)


def _greet(listener: socket.socket, files: Any, address: str | None, told: int, hear: int) -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # the lab ends, and so does this
    if address is not None:
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()

    import uvicorn

    from soloc.lab.server.front import Front
    from soloc.lab.server.options import OPTIONS
    from soloc.lab.server.patience import PatientProtocol

    there = threading.Event()

    def build() -> Any:
        there.wait()
        return _go_there

    server = uvicorn.Server(uvicorn.Config(Front(files, build), http=PatientProtocol, **OPTIONS))

    async def greet() -> None:
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        if not await asyncio.get_running_loop().run_in_executor(None, os.read, told, 1):
            os._exit(0)
        while not server.started and not serving.done():
            await asyncio.sleep(0.01)
        for each in server.servers:
            each.close()
        listener.close()
        os.write(hear, b"!")
        there.set()
        for _ in range(int(_LINGER / 0.05)):
            await asyncio.sleep(0.05)
            if not server.server_state.connections:
                break

    asyncio.run(greet())


async def _go_there(scope: Scope, receive: Receive, send: Send) -> None:
    """The same question again, on a new connection: that will be one to the lab."""
    where = scope["raw_path"] + (b"?" + scope["query_string"] if scope["query_string"] else b"")
    headers = [(b"location", where), (b"connection", b"close"), (b"content-length", b"0")]
    await send({"type": "http.response.start", "status": 307, "headers": headers})
    await send({"type": "http.response.body"})
