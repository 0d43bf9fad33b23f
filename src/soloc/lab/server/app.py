"""The application: its views, its page, its guard."""

from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI

import soloc
from soloc.lab.server import assets, refusals
from soloc.lab.server.guard import LOOPBACK, Guard
from soloc.lab.uploads.process import Workers
from soloc.lab.uploads.sessions import Tables
from soloc.lab.views import (
    about,
    attentions,
    critical,
    curves,
    data,
    landscape,
    latent,
    sentence,
    sequence,
)
from soloc.lab.work import jobs
from soloc.lab.work.desk import Desk
from soloc.lab.work.jobs import Jobs

#: One module per view, each with its `router`.
VIEWS = (about, landscape, critical, curves, sequence, attentions, latent, data, sentence, jobs)
#: Largest bodies, in bytes, of the addresses that take more than a question.
LIMITS: dict[str, int] = {**data.UPLOAD}


def create_app(hosts: Collection[str] = LOOPBACK, any_address: bool = False) -> FastAPI:
    """The lab as an ASGI application, answering under the names in `hosts` (see `Guard`)."""
    parts: dict[str, Any] = {
        "desk": Desk(),
        "jobs": Jobs(),
        "workers": Workers(),
        "tables": Tables(),
    }

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        for part in parts.values():
            part.close()

    app = FastAPI(
        title="soloc lab",
        version=soloc.__version__,
        description="Exact risks and training dynamics of attention on single-location regression.",
        docs_url=None,  # FastAPI's own pages load from another host
        redoc_url=None,
        lifespan=lifespan,
    )
    for name, part in parts.items():
        setattr(app.state, name, part)
    refusals.install(app)
    for view in VIEWS:
        app.include_router(view.router)
    app.router.routes.extend(assets.ROUTES)
    app.add_middleware(Guard, hosts=hosts, any_address=any_address, limits=LIMITS)
    return app
