"""The front: the page's own files from the first moment, every other answer as soon as the views
behind it are imported.

Importing JAX and all the views takes seconds, and so does a browser with Plotly's script; this lets
them do it side by side.
"""

import asyncio
from collections.abc import Callable
from typing import Any

from soloc.lab.server import assets
from soloc.lab.server.guard import Receive, Scope, Send


class Front:
    """An ASGI application that serves `files` while `build()` makes the one that answers everything
    else.
    """

    def __init__(self, files: Any, build: Callable[[], Any]) -> None:
        self._files, self._build = files, build
        self._app: asyncio.Future[Any] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["path"] == assets.INDEX or scope["path"].startswith(assets.FILES):
            await self._files(scope, receive, send)
        else:
            assert self._app is not None  # the server calls the lifespan first
            app = await asyncio.shield(self._app)
            await app(scope, receive, send)

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        self._app = asyncio.get_running_loop().run_in_executor(None, self._build)
        await send({"type": "lifespan.startup.complete"})
        await receive()
        # lets it close what it opened
        await (await self._app)({"type": "lifespan"}, _start_and_stop(), _nobody)
        await send({"type": "lifespan.shutdown.complete"})


def _start_and_stop() -> Receive:
    messages = iter(("lifespan.startup", "lifespan.shutdown"))

    async def receive() -> dict[str, Any]:
        return {"type": next(messages)}

    return receive


async def _nobody(message: Any) -> None:
    pass
