"""From a view to its addresses: the question, and the job where it has one."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Response

from soloc.lab.panel import Panel
from soloc.lab.server.job_routes import Started, jobs_of, start_job
from soloc.lab.server.refusals import REFUSALS
from soloc.lab.view import View, asked_by
from soloc.lab.work.jobs import Jobs


def router_of(view: View) -> APIRouter:
    """All addresses of a view."""
    router = APIRouter()
    if view.draw is not None:
        _add_question(router, view)
    if view.job is not None:
        _add_job(router, view)
    if view.router is not None:
        router.include_router(view.router)
    return router


def _add_question(router: APIRouter, view: View) -> None:
    """POST with the body that the first parameter of `draw` is annotated with."""
    draw = view.draw
    assert draw is not None

    async def endpoint(ask: Any, request: Request) -> Response:
        return await request.app.state.desk.answer(
            request, ask, draw, with_table=view.with_table, slow=view.slow(ask)
        )

    endpoint.__annotations__["ask"] = asked_by(draw)
    endpoint.__doc__ = draw.__doc__
    router.add_api_route(
        view.address,
        endpoint,
        methods=["POST"],
        name=view.name,
        summary=view.summary,
        response_model=None,
        responses={200: {"model": Panel, "content": {"text/csv": {}}}, **REFUSALS},
    )


def _add_job(router: APIRouter, view: View) -> None:
    work = view.job
    assert work is not None

    async def start(ask: Any, jobs: Annotated[Jobs, Depends(jobs_of)]) -> Started:
        return start_job(jobs, lambda job: work(ask, job), seconds=view.seconds)

    start.__annotations__["ask"] = asked_by(work)
    start.__doc__ = f"{work.__doc__ or ''}\n\nListen to /api/jobs/{{job}}/events."
    router.add_api_route(
        view.job_address,
        start,
        methods=["POST"],
        name=f"start_{view.name}",
        summary=f"{view.summary}: as a job that tells what it finds",
        responses=REFUSALS,
    )
