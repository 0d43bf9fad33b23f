"""Addresses for tables: upload one or take an example, fit the estimator to it, forget it."""

from typing import Annotated, Any, ClassVar, Literal

from fastapi import APIRouter, Depends, HTTPException, Query, Request, Response
from pydantic import BaseModel, Field

from soloc.lab.body import Body, Choices, Group, Knob
from soloc.lab.server.job_routes import Started, jobs_of, start_job
from soloc.lab.server.refusals import REFUSALS
from soloc.lab.uploads.examples import EXAMPLES, example_csv
from soloc.lab.uploads.process import Workers
from soloc.lab.uploads.sessions import Table, Tables
from soloc.lab.work.jobs import Job, Jobs

READING, FITTING, MOST_FITTING = 20.0, 100.0, 900.0  # seconds of computing
router = APIRouter()  # below the addresses of the view

Token = Annotated[
    str,
    Field(
        min_length=1,
        max_length=64,
        pattern=r"^[A-Za-z0-9_-]+$",
        description="what /api/data answered",
    ),
]
ColumnName = Annotated[str, Field(min_length=1, max_length=200)]
GONE: dict[int | str, dict[str, Any]] = {404: {"description": "The table is no longer kept."}}


def _losses() -> Choices:
    return [
        ("auto", "whichever predicts better"),
        ("likelihood", "likelihood"),
        ("squared", "squared"),
    ]


def _models() -> Choices:
    return [
        ("linear", "linear attention"),
        ("network", "a network"),
        ("auto", "whichever predicts better"),
    ]


def _missing() -> Choices:
    return [
        ("refuse", "are refused"),
        ("drop", "drop their rows"),
        ("fill", "fill with the mean"),
    ]


class ExampleAsk(Body):
    """One of the tables to start with."""

    example: Literal["peptides", "numbers", "classes"]


class ForgetAsk(Body):
    """The table to forget."""

    data: Token


class FitAsk(Body):
    """Which columns are what, and how to fit."""

    group: ClassVar[Group] = Group("data", "Your data")
    data: Token
    bag: ColumnName = Field(description="column that says which bag a row belongs to")
    label: ColumnName = Field(description="column of the label, equal within a bag")
    name: ColumnName | None = Field(None, description="column that names the instances")
    features: list[ColumnName] = Field(
        default_factory=list, max_length=200, description="feature columns; all numbers when empty"
    )
    classes: bool = Field(False, description="the label is a class, not a number")
    missing: Annotated[
        Literal["refuse", "drop", "fill"], Knob("missing values", choices=_missing)
    ] = Field(default="refuse", description="of features")
    model: Annotated[Literal["linear", "network", "auto"], Knob("model", choices=_models)] = Field(
        default="linear", description="what is fitted"
    )
    loss: Annotated[Literal["auto", "likelihood", "squared"], Knob("loss", choices=_losses)] = (
        Field(default="auto", description="how the linear model is fitted")
    )
    coverage: Annotated[float, Knob("coverage of intervals")] = Field(
        default=0.9, ge=0.5, le=0.99, description="how often an interval should hold the label"
    )
    seconds: float = Field(
        default=FITTING, ge=0.05, le=MOST_FITTING, description="that the fit may compute"
    )


class Opened(BaseModel):
    """A table and the job that describes its columns."""

    data: str
    job: str


class Forgotten(BaseModel):
    """Whether there was something to forget."""

    forgotten: bool


async def tables_of(request: Request) -> Tables:
    """The tables of the server, as a FastAPI dependency."""
    return request.app.state.tables


async def workers_of(request: Request) -> Workers:
    """The worker processes of the server, as a FastAPI dependency."""
    return request.app.state.workers


TablesHere = Annotated[Tables, Depends(tables_of)]
WorkersHere = Annotated[Workers, Depends(workers_of)]
JobsHere = Annotated[Jobs, Depends(jobs_of)]


def kept(tables: Tables, token: str) -> Table:
    """The table of that token; refused when it is no longer kept."""
    table = tables.get(token)
    if table is None:
        raise HTTPException(404, "This table is no longer kept; upload it again.")
    return table


@router.post(
    "/data",
    responses=REFUSALS,
    summary="Upload a table of bags: CSV, TSV or Parquet, one row per instance",
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {
                "application/octet-stream": {"schema": {"type": "string", "format": "binary"}}
            },
        }
    },
)
async def upload(
    request: Request,
    name: Annotated[str, Query(min_length=1, max_length=200)],
    tables: TablesHere,
    workers: WorkersHere,
    jobs: JobsHere,
) -> Opened:
    """Keep the table in memory for this session, and start a job that describes its columns."""
    return _opened(name, await request.body(), tables, workers, jobs)


@router.post("/data/example", responses=REFUSALS, summary="Take a table to start with")
async def take_example(
    ask: ExampleAsk, request: Request, tables: TablesHere, workers: WorkersHere, jobs: JobsHere
) -> Opened:
    """As if the example had been uploaded."""
    content = await _example(request, ask.example)
    return _opened(f"{ask.example}.csv", content, tables, workers, jobs)


@router.get(
    "/data/example/{example}.csv",
    response_class=Response,
    responses={200: {"content": {"text/csv": {}}}, **GONE},
)
async def download_example(example: str, request: Request) -> Response:
    """An example as a CSV file, to see what a table must look like."""
    if example not in EXAMPLES:
        raise HTTPException(404, f"There is no such example; take one of {', '.join(EXAMPLES)}.")
    named = {"Content-Disposition": f'attachment; filename="{example}.csv"'}
    return Response(await _example(request, example), media_type="text/csv", headers=named)


async def _example(request: Request, name: str) -> bytes:
    """An example as the back office makes it: this process needs none of the libraries."""
    key = ("/api/data/example", name, "csv")
    content: bytes = await request.app.state.desk.remembered(key, example_csv, name, slow=True)
    return content


@router.post("/data/forget", responses=REFUSALS, summary="Forget a table now")
async def forget(ask: ForgetAsk, tables: TablesHere) -> Forgotten:
    """Forget the table and everything found in it."""
    return Forgotten(forgotten=tables.drop(ask.data))


def _opened(name: str, content: bytes, tables: Tables, workers: Workers, jobs: Jobs) -> Opened:
    if not content:
        raise HTTPException(422, "The file must not be empty.")
    request = {"what": "describe", "name": name}
    job = start_job(
        jobs,
        lambda job: workers.work(job, request, content, lambda event: None),
        seconds=READING,
        lane="fit",
    )
    return Opened(data=tables.add(name, content).token, job=job.job)


@router.post("/jobs/fit", responses={**REFUSALS, **GONE}, summary="Fit the estimator to a table")
async def start_fit(
    ask: FitAsk, tables: TablesHere, workers: WorkersHere, jobs: JobsHere
) -> Started:
    """Cross-validate against mean-pool ridge, fit to all bags, keep the study with the table."""
    table = kept(tables, ask.data)

    def work(job: Job) -> dict[str, Any]:
        request = {
            "what": "fit",
            "name": table.name,
            "classes": ask.classes,
            "missing": ask.missing,
            "model": ask.model,
            "loss": ask.loss,
            "coverage": ask.coverage,
            "columns": {
                "bag": ask.bag,
                "label": ask.label,
                "name": ask.name,
                "features": ask.features,
            },
        }
        job.report(stage="starting", share=0.0)
        study = workers.work(
            job,
            request,
            table.content,
            lambda event: job.report(stage=event["stage"], share=event["share"]),
        )
        tables.remember(table, ask, study)
        return {"bags": len(study["bags"]["bag"])}

    return start_job(jobs, work, seconds=ask.seconds, lane="fit")
