"""Addresses of jobs: start one, listen to what it finds, cancel it."""

from collections.abc import Callable
from typing import Any

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import StreamingResponse
from pydantic import BaseModel

from soloc.lab.work.jobs import Job, Jobs


class Started(BaseModel):
    """The identity of a job: GET /api/jobs/{job}/events listens to it, DELETE /api/jobs/{job}
    cancels it.
    """

    job: str


async def jobs_of(request: Request) -> Jobs:
    """The jobs of the server, as a FastAPI dependency."""
    return request.app.state.jobs


def start_job(
    jobs: Jobs,
    work: Callable[[Job], dict[str, Any]],
    *,
    seconds: float = 30.0,
    lane: str = "compute",
) -> Started:
    """What a view's POST /api/jobs/... answers: the started job."""
    return Started(job=jobs.start(work, seconds=seconds, lane=lane).id)


router = APIRouter(prefix="/api", tags=["jobs"])
UNKNOWN: dict[int | str, dict[str, Any]] = {
    404: {"description": "No such job; jobs are forgotten soon after they end."}
}


async def _known(request: Request, job: str) -> Job:
    found = (await jobs_of(request)).get(job)
    if found is None:
        raise HTTPException(404, "There is no such job; jobs are forgotten soon after they end.")
    return found


@router.get(
    "/jobs/{job}/events",
    response_class=StreamingResponse,
    responses={**UNKNOWN, 200: {"content": {"text/event-stream": {}}}},
)
async def job_events(request: Request, job: str) -> StreamingResponse:
    """Server-sent events, each a JSON object with `kind`: progress, and at the end done, failed or
    cancelled.
    """
    found = await _known(request, job)
    last = request.headers.get("last-event-id", "")
    after = int(last) + 1 if last.isascii() and last.isdigit() and len(last) < 7 else 0
    return StreamingResponse(
        found.stream(after), media_type="text/event-stream", headers={"Cache-Control": "no-store"}
    )


@router.delete("/jobs/{job}", status_code=204, responses=UNKNOWN)
async def cancel_job(request: Request, job: str) -> None:
    """Cancel a job; it stops at its next report."""
    (await _known(request, job)).cancel()
