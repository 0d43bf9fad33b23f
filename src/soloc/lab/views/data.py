"""Your data: a table of bags, the estimator fitted to it, and how well it predicts."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, HTTPException
from pydantic import Field

from soloc.lab.body import Body
from soloc.lab.figures.bags import classes_figure, numbers_figure
from soloc.lab.panel import Panel, number
from soloc.lab.server.refusals import REFUSALS
from soloc.lab.uploads import routes
from soloc.lab.uploads.examples import EXAMPLES
from soloc.lab.uploads.routes import FITTING, GONE, MOST_FITTING, FitAsk, TablesHere, Token, kept
from soloc.lab.uploads.sessions import KEPT, LARGEST_FILE, Table, Tables
from soloc.lab.view import Look, Tab, View

TAB = Tab("data", "Your data")
Fitted = Annotated[int, Field(ge=0, le=10**9, description="any number: a new one asks again")]
router = APIRouter(prefix="/api")


class StudyAsk(Body):
    """The study of a table."""

    data: Token
    fit: Fitted = 0
    columns: Literal[1, 2] = Field(2, description="plots side by side")


@router.post("/data/study", responses={**REFUSALS, **GONE}, summary="What was found in a table")
async def study_panel(ask: StudyAsk, tables: TablesHere) -> Panel:
    """Scores of left-out bags, intervals and the decisive instance of every bag."""
    table = studied(tables, ask.data)
    study = table.study
    assert study is not None
    ours, pool, boosting = (study[f"{of}score"] for of in ("", "mean_pool_", "boosting_"))
    facts = study["facts"]
    kind = "accuracy" if study["classes"] else "R²"
    numbers: dict[str, Any] = {
        "pointing": "in doubt" if facts["doubts"] else "trusted",
        f"left-out {kind}": number(ours),
        f"mean-pool ridge {kind}": number(pool),
        f"boosting {kind}": number(boosting),
        "bags": len(study["bags"]["bag"]),
        "instances": len(study["instances"]["bag"]),
        "features": facts["features"],
        **{name: facts[name] for name in ("chosen", "members", "loss", "alpha") if name in facts},
        "mean largest weight": number(facts["top_weight"]),
        "agreement of halves": number(facts["agreement"]),
    }
    if study["covered"] is not None:
        numbers["left-out labels inside their interval"] = number(study["covered"])
    return Panel(
        figure=(classes_figure if study["classes"] else numbers_figure)(study, ask.columns),
        table=study["bags"],
        python=python_of(table, table.asked),
        sentence=(
            "Each bag was predicted by a model that had not seen it: attention to one instance"
            f" reaches {kind} {ours:.3f}, mean-pool ridge {pool:.3f} and boosted trees"
            f" {boosting:.3f}. {_verdict(facts['doubts'])}"
        ),
        numbers=numbers,
    )


def _verdict(doubts: list[str]) -> str:
    """Whether the instance that is named can be trusted, in one sentence."""
    if not doubts:
        return "Nothing speaks against the instance that it names in each bag."
    return f"Do not trust which instance it names: {'; '.join(doubts)}."


def studied(tables: Tables, token: str) -> Table:
    """A table that something was fitted to."""
    table = kept(tables, token)
    if table.study is None:
        raise HTTPException(404, "Nothing was fitted to this table yet.")
    return table


def python_of(table: Table, ask: FitAsk) -> str:
    """The lines that fit the same to the same file."""
    assert table.study is not None
    reader = "read_parquet" if table.content[:4] == b"PAR1" else "read_csv"
    options = "".join(f", {name}={value!r}" for name, value in table.study["options"].items())
    given = [f"bag={ask.bag!r}", f"label={ask.label!r}"]
    given += [f"name={ask.name!r}"] if ask.name else []
    given += [f"features={ask.features!r}"] if ask.features else []
    labels = "bags.labels.astype(str)" if ask.classes else "bags.labels.astype(float)"
    loss = f", {ask.loss!r}" if ask.model == "linear" else ""
    lines = [
        "import pandas as pd",
        "from soloc.estimators import Bags",
        "from soloc.estimators.study import model_of, study",
        "",
        f"table = pd.{reader}({table.name!r}{options})",
        *_holes(ask),
        f"bags = Bags.from_frame(table, {', '.join(given)})",
        (
            f"found = study(bags, classes={ask.classes}, model={ask.model!r}, loss={ask.loss!r},"
            f" coverage={ask.coverage!r})  # five parts left out in turn"
        ),
        "print(found.score, found.mean_pool_score, found.boosting_score)",
        "",
        f"model = model_of({ask.model!r}, {ask.classes}{loss}).fit(bags, {labels})  # all bags",
        "predictions, decisive = model.predict(bags), model.locate(bags)",
    ]
    return "\n".join(
        lines
        if ask.classes
        else [*lines, f"intervals = model.predict_interval(bags, {ask.coverage!r})"]
    )


def _holes(ask: FitAsk) -> list[str]:
    """What is done about missing values."""
    chosen = repr(ask.features) if ask.features else "table.select_dtypes('number').columns"
    if ask.missing == "drop":
        return [f"table = table.dropna(subset={chosen})"]
    if ask.missing == "fill":
        return [f"table = table.fillna(table[{chosen}].mean())"]
    return []


def _facts() -> dict[str, Any]:
    return {
        "examples": [(name, f"example: {title}") for name, (title, _) in EXAMPLES.items()],
        "seconds": FITTING,
        "most_seconds": MOST_FITTING,
        "columns": StudyAsk.model_fields["columns"].default,
        "help": (
            f"CSV, TSV or Parquet up to {LARGEST_FILE // 2**20} MB, one row per instance; it stays"
            f" in this computer's memory and is forgotten after {KEPT / 60:.0f} minutes without use"
        ),
    }


router.include_router(routes.router)
VIEW = View(
    name="data",
    tab=TAB,
    title="Your data",
    summary="What was found in a table",
    draw=None,
    path="/api/data/study",
    look=Look(height="380px", narrow_height="640px"),
    intro=(
        "Each bag holds instances and has one label, which one of the instances decides. Take an"
        " example or drop a table here, say which column is what, and press Fit."
    ),
    bodies=(FitAsk,),
    facts=_facts,
    router=router,
    largest={"/api/data": LARGEST_FILE + 1024},
)
