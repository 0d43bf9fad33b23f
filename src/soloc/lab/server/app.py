"""The application: its views, its page, its guard."""

from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI

import soloc
import soloc.lab.views.registry
from soloc.lab.server import about, assets, job_routes, refusals
from soloc.lab.server.guard import LOOPBACK, Guard
from soloc.lab.server.routes import router_of
from soloc.lab.uploads.process import Workers
from soloc.lab.uploads.sessions import Tables
from soloc.lab.view import VIEWS
from soloc.lab.work.desk import Desk
from soloc.lab.work.jobs import Jobs


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
    app.include_router(about.router)
    for view in VIEWS.values():
        app.include_router(router_of(view))
    app.include_router(job_routes.router)
    app.router.routes.extend(assets.ROUTES)
    limits = {path: size for view in VIEWS.values() for path, size in view.largest.items()}
    app.add_middleware(Guard, hosts=hosts, any_address=any_address, limits=limits)
    return app
