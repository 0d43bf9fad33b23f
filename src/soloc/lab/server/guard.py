"""The guard: who may ask, how much they may send, and what a browser may do with the answer."""

import asyncio
import ipaddress
import json
from collections.abc import Awaitable, Callable, Collection, MutableMapping
from typing import Any
from urllib.parse import urlsplit

from starlette.exceptions import HTTPException

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
_BODY = 64 * 1024  # bytes of a question; uploads name their own limit
_PATIENCE = 15.0  # seconds to wait for the next part of a body

#: Plotly writes inline styles (style-src) and makes its PNG and SVG exports through data: and blob:
#: images (img-src). It needs
#: no eval for the traces drawn here, so scripts come from this server alone.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:"
    " blob:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none';"
    " frame-ancestors 'none'"
)
_HEADERS = [
    (b"content-security-policy", _POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
]


class TooLarge(HTTPException):
    """The body grew beyond its limit while it was read."""

    def __init__(self, limit: int) -> None:
        super().__init__(413, _too_large(limit))


class Guard:
    """ASGI middleware: foreign Host and Origin, large bodies, security headers.

    A page elsewhere that points its own name at 127.0.0.1 (DNS rebinding) arrives with a foreign
    Host; a form or a fetch from elsewhere arrives with a foreign Origin. `hosts` are the names that
    are ours; with `any_address` (the server listens on all interfaces) addresses written as numbers
    are too, since a number cannot be rebound.
    """

    def __init__(
        self,
        app: Any,
        hosts: Collection[str] = LOOPBACK,
        any_address: bool = False,
        limits: dict[str, int] | None = None,
    ) -> None:
        self._app, self._hosts, self._any_address = (
            app,
            frozenset(host.lower() for host in hosts),
            any_address,
        )
        self._limits = limits or {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        headers = {name.lower(): value.decode("latin-1") for name, value in scope["headers"]}
        sent = _WithHeaders(send)
        refusal = self._refusal(scope, headers)
        if refusal is not None:
            await _refuse(sent, *refusal)
            return
        await self._app(scope, _limited(receive, self._limit(scope["path"])), sent)

    def _limit(self, path: str) -> int:
        return self._limits.get(path, _BODY)

    def _refusal(self, scope: Scope, headers: dict[bytes, str]) -> tuple[int, str] | None:
        host = headers.get(b"host", "")
        if not self._is_ours(host):
            return (
                400,
                (
                    "`Host` must be the address at which the lab was started; open the address that"
                    " its terminal shows."
                ),
            )
        origin = headers.get(b"origin")
        if origin is not None and _place(origin) != host.lower():
            return 403, "`Origin` must be the lab itself: pages of other sites may not ask."
        if headers.get(b"sec-fetch-site") in ("cross-site", "same-site") and scope[
            "path"
        ].startswith("/api"):
            return 403, "`Sec-Fetch-Site` must be the lab itself: pages of other sites may not ask."
        length = headers.get(b"content-length", "0")
        limit = self._limit(scope["path"])
        if not (length.isascii() and length.isdigit()):
            return 400, "`Content-Length` must be a whole number."
        return (413, _too_large(limit)) if len(length) > 18 or int(length) > limit else None

    def _is_ours(self, host: str) -> bool:
        try:
            name = (urlsplit(f"//{host}").hostname or "").lower()
        except ValueError:
            return False
        if name in self._hosts:
            return True
        if not self._any_address:
            return False
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True


class _WithHeaders:
    """`send` that adds the security headers to every response."""

    def __init__(self, send: Send) -> None:
        self._send = send

    async def __call__(self, message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", []), *_HEADERS]
        await self._send(message)


def _place(origin: str) -> str:
    """Host and port of an origin; nothing when it is none."""
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return ""


def _limited(receive: Receive, limit: int) -> Receive:
    """`receive` that stops a body once it is too large, or when the rest of it does not come."""
    total, complete = 0, False

    async def count() -> MutableMapping[str, Any]:
        nonlocal total, complete
        try:
            message = await (receive() if complete else asyncio.wait_for(receive(), _PATIENCE))
        except TimeoutError:
            raise HTTPException(
                408, f"The rest of the body must come within {_PATIENCE:g} s."
            ) from None
        complete = not message.get("more_body", False)
        total += len(message.get("body", b""))
        if total > limit:
            raise TooLarge(limit)
        return message

    return count


def _too_large(limit: int) -> str:
    size = f"{limit // 2**20} MB" if limit >= 2**20 else f"{limit // 1024} KB"
    return f"The body must be at most {size}."


async def _refuse(send: _WithHeaders, status: int, sentence: str) -> None:
    body = json.dumps({"detail": sentence}).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
