"""What decided one bag: the attention weights of its instances."""

from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, HTTPException
from pydantic import Field

from soloc.lab.body import Body, Knob
from soloc.lab.figures.bags import bag_figure, shown_instances
from soloc.lab.panel import Panel, full, number
from soloc.lab.server.refusals import REFUSALS
from soloc.lab.uploads.routes import GONE, TablesHere, Token
from soloc.lab.view import Look, View
from soloc.lab.views.data import TAB, Fitted, python_of, studied

router = APIRouter(prefix="/api")


class BagAsk(Body):
    """One bag of a study."""

    data: Token
    fit: Fitted = 0
    bag: Annotated[int, Knob("bag", place="address")] = Field(
        default=0, ge=0, le=10**6, description="position of the bag"
    )


@router.post("/data/bag", responses={**REFUSALS, **GONE}, summary="What decided one bag")
async def bag_panel(ask: BagAsk, tables: TablesHere) -> Panel:
    """Attention weights of the instances of one bag."""
    table = studied(tables, ask.data)
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
    features = {
        name: np.asarray([np.nan if value is None else value for value in values[rows]])
        for name, values in study["features"].items()
    }
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
        figure=bag_figure(
            [names[at] for at in shown],
            weights[shown],
            shown,
            int(row["decisive"]),
            {name: values[shown] for name, values in features.items()},
        ),
        table={
            "position": list(range(len(weights))),
            **{name: instances[name][rows] for name in instances if name != "bag"},
            **{name: full(values) for name, values in features.items()},
        },
        python=(
            f"{python_of(table, table.asked)}\n"
            f"print(model.explain(bags, {ask.bag}))  # the weights of this bag, largest first"
        ),
        sentence=(
            f"Bar heights are the attention weights of the {len(weights)} instances{few} of bag"
            f" {row['bag']}, and sum to one; below stand their features. The model reads"
            f" mostly {row['decisive_name']} (weight {row['weight']:.2f}): {said}."
        ),
        numbers={
            "bag": row["bag"],
            "label": _shown(row["label"]),
            "prediction": _shown(row["prediction"]),
            **interval,
            "decisive instance": row["decisive_name"],
            "its weight": number(row["weight"]),
        },
    )


def _shown(value: Any) -> Any:
    return number(value) if isinstance(value, (int, float)) else str(value)


VIEW = View(
    name="bag",
    tab=TAB,
    title="What decided one bag",
    summary="What decided one bag",
    draw=None,
    path="/api/data/bag",
    look=Look(height="420px"),
    intro=(
        "After a fit: the attention weights of the instances of the bag that is chosen in the"
        " table above."
    ),
    bodies=(BagAsk,),
    router=router,
)
