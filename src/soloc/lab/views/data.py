"""View 7, your data: a table of bags, uploaded or an example; the estimator fitted to it, and what
decided each bag.
"""

from typing import Annotated, Any, Literal

import numpy as np
from fastapi import APIRouter, Depends, HTTPException, Query, Request, Response
from pydantic import BaseModel, Field

from soloc.lab.controls import Body
from soloc.lab.figures.bags import bag_figure, classes_figure, numbers_figure, shown_instances
from soloc.lab.panel import Panel, number
from soloc.lab.uploads.examples import EXAMPLES, example_csv
from soloc.lab.uploads.files import MOST_BYTES
from soloc.lab.uploads.process import Workers
from soloc.lab.uploads.sessions import Table, Tables
from soloc.lab.work.desk import REFUSALS
from soloc.lab.work.jobs import Job, Jobs, Started, jobs_of, start_job

UPLOAD = {"/api/data": MOST_BYTES + 1024}  # bytes of a body, by address
READING, FITTING = 20.0, 100.0  # seconds
router = APIRouter(prefix="/api")

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


class ExampleAsk(Body):
    """One of the tables to start with."""

    example: Literal["peptides", "numbers", "classes"]


class ForgetAsk(Body):
    """The table to forget."""

    data: Token


class FitAsk(Body):
    """Which columns are what, and how to fit."""

    data: Token
    bag: ColumnName = Field(description="column that says which bag a row belongs to")
    label: ColumnName = Field(description="column of the label, equal within a bag")
    name: ColumnName | None = Field(None, description="column that names the instances")
    features: list[ColumnName] = Field(
        default_factory=list, max_length=200, description="feature columns; all numbers when empty"
    )
    classes: bool = Field(False, description="the label is a class, not a number")
    loss: Literal["auto", "likelihood", "squared"] = Field(
        "auto", description="how the estimator is fitted"
    )
    coverage: float = Field(
        0.9, ge=0.5, le=0.99, description="probability with which intervals hold the label"
    )


class StudyAsk(Body):
    """The study of a table."""

    data: Token
    fit: int = Field(0, ge=0, le=10**9, description="any number: a new one asks again")
    columns: Literal[1, 2] = Field(2, description="plots side by side")


class BagAsk(Body):
    """One bag of a study."""

    data: Token
    fit: int = Field(0, ge=0, le=10**9, description="any number: a new one asks again")
    bag: int = Field(0, ge=0, le=10**6, description="position of the bag")


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


def _kept(tables: Tables, token: str) -> Table:
    table = tables.get(token)
    if table is None:
        raise HTTPException(404, "This table is no longer kept; upload it again.")
    return table


# -- a table comes in ------------------------------------------------------------------------------
# ----------------------


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
    ask: ExampleAsk, tables: TablesHere, workers: WorkersHere, jobs: JobsHere
) -> Opened:
    """As if the example had been uploaded."""
    return _opened(f"{ask.example}.csv", example_csv(ask.example), tables, workers, jobs)


@router.get(
    "/data/example/{example}.csv",
    response_class=Response,
    responses={200: {"content": {"text/csv": {}}}, **GONE},
)
async def download_example(example: str) -> Response:
    """An example as a CSV file, to see what a table must look like."""
    if example not in EXAMPLES:
        raise HTTPException(404, f"There is no such example; take one of {', '.join(EXAMPLES)}.")
    named = {"Content-Disposition": f'attachment; filename="{example}.csv"'}
    return Response(example_csv(example), media_type="text/csv", headers=named)


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


# -- a fit -----------------------------------------------------------------------------------------
# ----------------------


@router.post("/jobs/fit", responses={**REFUSALS, **GONE}, summary="Fit the estimator to a table")
async def start_fit(
    ask: FitAsk, tables: TablesHere, workers: WorkersHere, jobs: JobsHere
) -> Started:
    """Cross-validate against mean-pool ridge, fit to all bags, and keep the study with the table."""
    table = _kept(tables, ask.data)

    def work(job: Job) -> dict[str, Any]:
        request = {
            "what": "fit", "name": table.name, "classes": ask.classes, "loss": ask.loss, "coverage": ask.coverage,
            "columns": {"bag": ask.bag, "label": ask.label, "name": ask.name, "features": ask.features},
        }  # fmt: skip
        job.report(stage="starting", share=0.0)
        study = workers.work(
            job,
            request,
            table.content,
            lambda event: job.report(stage=event["stage"], share=event["share"]),
        )
        tables.remember(table, ask, study)
        return {"bags": len(study["bags"]["bag"])}

    return start_job(jobs, work, seconds=FITTING, lane="fit")


@router.post("/data/study", responses={**REFUSALS, **GONE}, summary="What was found in a table")
async def study_panel(ask: StudyAsk, tables: TablesHere) -> Panel:
    """Scores of left-out bags, intervals and the decisive instance of every bag."""
    table = _studied(tables, ask.data)
    study = table.study
    assert study is not None
    ours, pool, facts = study["score"], study["mean_pool_score"], study["facts"]
    kind = "accuracy" if study["classes"] else "R²"
    doubts = facts["doubts"]
    trust = (
        "its pointing can be trusted"
        if not doubts
        else "do not trust which instance it names: " + "; ".join(doubts)
    )
    numbers: dict[str, Any] = {
        f"left-out {kind}": number(ours), f"mean-pool ridge {kind}": number(pool), "bags": len(study["bags"]["bag"]),
        "instances": len(study["instances"]["bag"]), "features": facts["features"], "loss": facts["loss"],
        "alpha": number(facts["alpha"]), "mean largest weight": number(facts["top_weight"]),
    }  # fmt: skip
    if study["covered"] is not None:
        numbers["left-out labels inside their interval"] = number(study["covered"])
    return Panel(
        figure=(classes_figure if study["classes"] else numbers_figure)(study, ask.columns),
        table=study["bags"],
        python=_python(table, table.asked),
        sentence=(
            "Each bag was predicted by a model that had not seen it: attention to one instance"
            f" reaches {kind} {ours:.3f}, the mean of all instances (mean-pool ridge) {pool:.3f}."
            f" The model fitted to all bags puts {facts['top_weight']:.2f} of its attention on one"
            f" instance on average; {trust}."
        ),
        numbers=numbers,
    )


@router.post("/data/bag", responses={**REFUSALS, **GONE}, summary="What decided one bag")
async def bag_panel(ask: BagAsk, tables: TablesHere) -> Panel:
    """Attention weights of the instances of one bag."""
    table = _studied(tables, ask.data)
    study = table.study
    assert study is not None
    bags, instances = study["bags"], study["instances"]
    count = len(bags["bag"])
    if ask.bag >= count:
        raise HTTPException(422, f"`bag` must be below the number of bags, {count}, got {ask.bag}.")
    start = int(sum(bags["instances"][: ask.bag]))
    rows = slice(start, start + int(bags["instances"][ask.bag]))
    weights = np.asarray(instances["weight"][rows], dtype=float)
    names = instances["name"][rows]
    shown = shown_instances(weights)
    row = {name: values[ask.bag] for name, values in bags.items()}
    few = "" if len(shown) == len(weights) else f" (the {len(shown)} of largest weight are drawn)"
    if study["classes"]:
        said = (
            f"it predicts class {row['prediction']} with probability {row['probability']:.2f}; the"
            f" label is {row['label']}"
        )
        interval = {}
    else:
        said = (
            f"it predicts {row['prediction']:.4g}, between {row['low']:.4g} and {row['high']:.4g};"
            f" the label is {row['label']:.4g}"
        )
        interval = {"low": number(row["low"]), "high": number(row["high"])}
    return Panel(
        figure=bag_figure([names[at] for at in shown], weights[shown], shown, int(row["decisive"])),
        table={"position": list(range(len(weights))), **{name: instances[name][rows] for name in instances if name != "bag"}},
        python=f"{_python(table, table.asked)}\nprint(model.explain(bags, {ask.bag}))  # the weights of this bag, largest first",
        sentence=(
            f"Bar heights are the attention weights of the {len(weights)} instances{few} of bag {row['bag']}, and sum to one. "
            f"The model reads mostly {row['decisive_name']} (weight {row['weight']:.2f}): {said}."
        ),
        numbers={
            "bag": row["bag"], "label": _shown(row["label"]), "prediction": _shown(row["prediction"]), **interval,
            "decisive instance": row["decisive_name"], "its weight": number(row["weight"]),
        },
    )  # fmt: skip


def _studied(tables: Tables, token: str) -> Table:
    table = _kept(tables, token)
    if table.study is None:
        raise HTTPException(404, "Nothing was fitted to this table yet.")
    return table


def _shown(value: Any) -> Any:
    return number(value) if isinstance(value, (int, float)) else str(value)


def _python(table: Table, ask: FitAsk) -> str:
    kind = "SingleLocationClassifier" if ask.classes else "SingleLocationRegressor"
    reader = "read_parquet" if table.content[:4] == b"PAR1" else "read_csv"
    given = [f"bag={ask.bag!r}", f"label={ask.label!r}"]
    given += [f"name={ask.name!r}"] if ask.name else []
    given += [f"features={ask.features!r}"] if ask.features else []
    labels = "bags.labels.astype(str)" if ask.classes else "bags.labels.astype(float)"
    lines = [
        "import pandas as pd",
        f"from soloc.estimators import Bags, {kind}",
        "from soloc.estimators.study import study",
        "",
        f"bags = Bags.from_frame(pd.{reader}({table.name!r}), {', '.join(given)})",
        (
            f"found = study(bags, classes={ask.classes}, loss={ask.loss!r},"
            f" coverage={ask.coverage!r})  # five parts left out in turn"
        ),
        "print(found.score, found.mean_pool_score)",
        "",
        f"model = {kind}(loss={ask.loss!r}).fit(bags, {labels})  # all bags",
        "predictions, decisive = model.predict(bags), model.locate(bags)",
    ]
    return "\n".join(
        lines
        if ask.classes
        else [*lines, f"intervals = model.predict_interval(bags, {ask.coverage!r})"]
    )
