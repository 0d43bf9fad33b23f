"""The front serves the page's files while everything else is still being built."""

import threading
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager

from fastapi import FastAPI
from fastapi.testclient import TestClient
from starlette.applications import Starlette

from soloc.lab.server.assets import ROUTES
from soloc.lab.server.front import Front
from soloc.lab.server.guard import Guard


def test_files_come_at_once_and_answers_when_they_can():
    gate, closed = threading.Event(), threading.Event()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        closed.set()

    def build() -> FastAPI:
        assert gate.wait(20)
        app = FastAPI(lifespan=lifespan)
        app.add_api_route("/api/number", lambda: 7)
        return app

    front = Front(Guard(Starlette(routes=ROUTES)), build)
    with TestClient(front, base_url="http://127.0.0.1") as client, ThreadPoolExecutor(1) as other:
        answer = other.submit(client.get, "/api/number")
        page = client.get("/")
        assert (
            page.status_code == 200
            and "script-src 'self'" in page.headers["content-security-policy"]
        )
        assert (
            client.get("/static/lab.js").status_code == 200
            and client.get("/static/nothing").status_code == 404
        )
        assert client.get("/", headers={"Host": "evil.example"}).status_code == 400
        assert not answer.done()
        gate.set()
        assert answer.result(20).json() == 7
    assert closed.is_set()
