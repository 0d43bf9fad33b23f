"""The files of the page: its own, and Plotly's script from the installed package; compressed once,
kept in memory.
"""

import gzip
import hashlib
from functools import cache
from importlib import resources
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
}
PLOTLY = "plotly.min.js"
_PAGE, _PLAIN = "index.html", "theme.js"  # a plain script, not a module
INDEX, FILES, ICON = "/", "/static/", "/favicon.ico"


class Asset(NamedTuple):
    """A file as it is sent."""

    plain: bytes
    compressed: bytes
    etag: str
    media_type: str


@cache
def asset(name: str) -> Asset | None:
    """The file of that name, None when the page has none; names come from a listing, so no path
    leads elsewhere.
    """
    if name == PLOTLY:
        content = resources.files("plotly").joinpath("package_data", PLOTLY).read_bytes()
    elif name in names():
        content = resources.files("soloc.lab").joinpath("page", *name.split("/")).read_bytes()
    else:
        return None
    if name == _PAGE:
        content = content.replace(b"  <!-- scripts -->\n", _scripts())
    suffix = name[name.rindex(".") :]
    etag = f'"{hashlib.sha256(content).hexdigest()[:24]}"'
    return Asset(content, gzip.compress(content, 1), etag, _TYPES[suffix])


@cache
def names() -> frozenset[str]:
    """All files of the page, relative to its folder."""
    page = resources.files("soloc.lab").joinpath("page")
    folders = [("", page), ("views/", page.joinpath("views"))]
    return frozenset(
        prefix + entry.name
        for prefix, folder in folders
        for entry in folder.iterdir()
        if entry.name.endswith(tuple(_TYPES))
    )


def _scripts() -> bytes:
    """Links by which a browser reads all scripts at once, not each when another one needs it."""
    wanted = sorted(name for name in names() if name.endswith(".js") and name != _PLAIN)
    link = '  <link rel="modulepreload" href="{}{}">\n'
    return "".join(link.format(FILES, name) for name in wanted).encode()


async def _index(request: Request) -> Response:
    return _sent(request, _PAGE)


async def _file(request: Request) -> Response:
    return _sent(request, request.path_params["name"])


async def _icon(request: Request) -> Response:
    """For browsers that ask without reading the page."""
    return _sent(request, "icon.svg")


ROUTES = [Route(INDEX, _index), Route(FILES + "{name:path}", _file), Route(ICON, _icon)]


def _sent(request: Request, name: str) -> Response:
    found = asset(name) if name == PLOTLY or name in names() else None
    if found is None:
        return JSONResponse({"detail": "There is no such file."}, 404)
    headers = {"ETag": found.etag, "Cache-Control": "no-cache", "Vary": "Accept-Encoding"}
    if request.headers.get("if-none-match") == found.etag:
        return Response(status_code=304, headers=headers)
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Response(
            found.compressed,
            media_type=found.media_type,
            headers=headers | {"Content-Encoding": "gzip"},
        )
    return Response(found.plain, media_type=found.media_type, headers=headers)
