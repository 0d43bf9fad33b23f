"""Refusals: every error as one sentence, for whoever moved a slider or wrote a script."""

import logging
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from soloc.lab.work.limits import Busy, StillComputing, TooLong
from soloc.lab.work.office import Lost

_LOG = logging.getLogger("soloc.lab")


class Refusal(BaseModel):
    """Why there is no answer, in one sentence."""

    detail: str


REFUSALS: dict[int | str, dict[str, Any]] = {
    400: {"model": Refusal, "description": "the Host header or the body cannot be read"},
    403: {"model": Refusal, "description": "the request comes from another site"},
    408: {"model": Refusal, "description": "the body did not come in time"},
    413: {"model": Refusal, "description": "the body is too large"},
    422: {
        "model": Refusal,
        "description": "a parameter is outside its bounds, or this takes too long",
    },
    429: {"model": Refusal, "description": "the lab is busy with other work"},
    503: {"model": Refusal, "description": "the answer is still being computed"},
}


def install(app: FastAPI) -> None:
    """Turn every error of the app into a sentence."""
    app.add_exception_handler(RequestValidationError, _out_of_bounds)
    app.add_exception_handler(HTTPException, _http)
    for kind in (ValueError, TypeError, OverflowError, TooLong, Lost):
        app.add_exception_handler(kind, _refused)
    app.add_exception_handler(Busy, _busy)
    app.add_exception_handler(StillComputing, _later)
    app.add_exception_handler(Exception, _unexpected)


def sentence_of(error: dict[str, Any]) -> str:
    """One error of pydantic as a sentence: the parameter in backticks, what must hold, what was
    got.
    """
    path = [str(part) for part in error["loc"] if part != "body"]
    name = ".".join(path) or "body"
    rule = error["msg"].removeprefix("Value error, ").removeprefix("Input should be ")
    if error["type"] == "value_error":
        return rule
    if error["type"] == "extra_forbidden":
        return f"`{name[:80]}` is not a parameter of this question; leave it out."
    if error["type"] == "missing":
        return f"`{name}` must be given."
    if error["type"].startswith("json"):
        return "`body` must be valid JSON."
    got = repr(error.get("input"))
    got = got if len(got) <= 60 else got[:57] + "..."
    return f"`{name}` must be {rule[:1].lower()}{rule[1:]}, got {got}."


async def _out_of_bounds(_: Request, error: Any) -> JSONResponse:
    return _json(422, " ".join(sentence_of(part) for part in error.errors()[:3]))


async def _http(_: Request, error: Any) -> JSONResponse:
    bare = {
        "Not Found": "There is nothing at this address.",
        "Method Not Allowed": "This address answers another method.",
    }
    bare["There was an error parsing the body"] = "The body must be JSON in UTF-8."
    return JSONResponse(
        {"detail": bare.get(error.detail, str(error.detail))},
        error.status_code,
        headers=error.headers,
    )


async def _refused(_: Request, error: Any) -> JSONResponse:
    return _json(422, str(error))


async def _busy(_: Request, error: Any) -> JSONResponse:
    return JSONResponse({"detail": str(error)}, 429, headers={"Retry-After": "1"})


async def _later(_: Request, error: Any) -> JSONResponse:
    return JSONResponse({"detail": str(error)}, 503, headers={"Retry-After": "1"})


async def _unexpected(request: Request, error: Exception) -> JSONResponse:
    _LOG.error("%s failed", request.url.path, exc_info=error)
    return _json(500, "The lab could not compute this; its terminal says why.")


def _json(status: int, detail: str) -> JSONResponse:
    return JSONResponse({"detail": detail}, status)
