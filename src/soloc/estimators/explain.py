"""An explanation of one bag: every instance with its weight, its value and what it contributed."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
import pandas as pd

from soloc.estimators.bags import as_bags
from soloc.estimators.instances import Instances
from soloc.estimators.parameters import is_whole, plain_number


def alike(numbers: Iterable[float], digits: int) -> Callable[[float], str]:
    """Writes numbers that are added up, all to the same place: what is seen adds up as well."""
    largest = max(map(abs, numbers), default=0.0)
    places = digits - 1 - math.floor(math.log10(largest)) if 0.0 < largest < math.inf else digits
    places = max(places, 0)
    return lambda number: f"{round(float(number), places) + 0.0:+.{places}f}"


@dataclass(frozen=True)
class Explanation:
    """What decided one bag.

    `table` has one row per instance: name, weight, value, contribution, decisive; where all weigh
    the same, none is decisive.
    """

    bag: str
    prediction: str
    table: pd.DataFrame
    #: what the contributions are added to: the intercept, and the context term if there is one
    offset: float
    doubts: tuple[str, ...]
    offset_is: str = "intercept"  #: what the offset is, in words
    total_is: str = "prediction"  #: what contributions and offset add up to, in words

    @property
    def total(self) -> float:
        """Contributions and offset together: the prediction, or the score of its class."""
        return float(self.table["contribution"].sum()) + self.offset

    def shown(self, digits: int) -> Callable[[float], str]:
        """How contributions are written: the largest with so many digits, all with its decimals."""
        return alike([*self.table["contribution"], self.offset], digits)

    def figure(self, ax: Any = None) -> Any:
        """Weights and contributions as a matplotlib figure."""
        from soloc.figures.explanation import figure

        return figure(self.table, title=f"bag {self.bag}: prediction {self.prediction}", ax=ax)

    def html(self) -> str:
        """The instances in a row, shaded by weight, the decisive one framed."""
        largest = max(float(self.table["weight"].max()), 1e-12)
        pieces = []
        for row in self.table.itertuples():
            shade = 0.85 * float(row.weight) / largest
            colour = "30,100,200" if row.contribution >= 0 else "200,70,30"
            frame = "2px solid currentColor" if row.decisive else "2px solid transparent"
            hover = (
                f"weight {row.weight:.3f}, value {row.value:.4g}, contribution"
                f" {row.contribution:.4g}"
            )
            style = (
                f"background:rgba({colour},{shade:.3f});border:{frame};"
                "border-radius:4px;padding:1px 4px"
            )
            pieces.append(
                f'<span title="{escape(hover)}" style="{style}">{escape(str(row.name))}</span>'
            )
        doubt = "".join(
            f"<div><em>Do not trust which instance is named: {escape(text)}.</em></div>"
            for text in self.doubts
        )
        heading = f"<div>bag {escape(self.bag)}: prediction <b>{escape(self.prediction)}</b></div>"
        rest = f"<div>{escape(self.offset_is)} {self.offset:+.4g}</div>"
        body = f"{heading}<div>{' '.join(pieces)}</div>{rest}{doubt}"
        return f'<div style="font-family:sans-serif;line-height:2">{body}</div>'

    def _repr_html_(self) -> str:
        return self.html()

    def page(self) -> str:
        """A whole document with nothing to fetch, in the reader's colours."""
        from soloc.estimators.explanation_page import page

        return page(self)

    def __str__(self) -> str:
        lines = [f"bag {self.bag}: prediction {self.prediction}"]
        order = np.argsort(-self.table["weight"].to_numpy(), kind="stable")
        show = self.shown(4)
        for position in order:
            row = self.table.iloc[position]
            mark = "*" if row["decisive"] else " "
            lines.append(
                f"{mark} {row['name']:<24} weight {row['weight']:.3f}  contribution "
                f"{show(row['contribution'])}"
            )
        lines.append(f"  {self.offset_is:<37}  contribution {show(self.offset)}")
        if self.total_is != "prediction":
            lines.append(f"  sum: {self.total_is:<32}  {' ' * 12} {show(self.total)}")
        return "\n".join(
            lines + [f"do not trust which instance is named: {text}" for text in self.doubts]
        )


def explain(model: Any, X: Any, bag: int = 0, id: Any = None, output: Any = None) -> Explanation:
    """The explanation of one bag of `X`, by position or by its name `id`."""
    if isinstance(X, np.ndarray) and X.ndim == 2:
        X = X[None]
    bags = as_bags(X)
    if id is not None:
        ids = [bags.id_of(position) for position in range(len(bags))]
        if id not in ids:
            raise ValueError(
                f"`id` must be the name of a bag of `X`, such as {ids[0]!r}, got {id!r}."
            )
        bag = ids.index(id)
    if not is_whole(bag) or not -len(bags) <= bag < len(bags):
        raise ValueError(
            f"`bag` must be a position among the {len(bags)} bags of `X`, got {bag!r}."
        )
    bag = int(bag) % len(bags)
    one = bags[bag]
    instances: Instances = model._bags(one)[1]
    reading = model._read(instances)
    outputs = 1 if reading.offset.ndim == 1 else reading.offset.shape[1]
    output = position_of(output, outputs, getattr(model, "classes_", None))
    values, offset = model._contributions(reading, instances, output)
    weights = reading.attention.astype(np.float64)
    table = pd.DataFrame(
        {
            "name": one.names_of(0),
            "weight": weights,
            "value": values,
            "contribution": weights * values,
        }
    )
    points = len(weights) == 1 or weights.max() > weights.min()  # mean pooling names none
    table["decisive"] = points & (np.arange(len(table)) == int(np.argmax(weights)))
    prediction = model.predict(one)[0]
    shown = f"{prediction:.4g}" if isinstance(prediction, (float, np.floating)) else str(prediction)
    return Explanation(
        str(bags.id_of(bag)),
        shown,
        table,
        offset,
        tuple(model.diagnostics_.doubts),
        _offset_of(model),
        _total_of(model, output, prediction),
    )


def position_of(output: Any, outputs: int, classes: np.ndarray | None) -> int | None:
    """Which column `output` means: an integer is its position, anything else may be a class."""
    if output is None or (is_whole(output) and 0 <= output < outputs):
        return output
    names = [] if classes is None else classes.tolist()
    if not is_whole(output):
        for position, name in enumerate(names):
            if not is_whole(name) and type(name) is type(plain_number(output)) and name == output:
                return position
    allowed = f"an integer from 0 to {outputs - 1}" if outputs > 1 else "0, the only label"
    if names and not any(map(is_whole, names)):
        allowed += f", or a class, one of {', '.join(map(repr, names))}"
    raise ValueError(f"`output` must be None or {allowed:.200}, got {output!r:.60}.")


def _offset_of(model: Any) -> str:
    """What stands beside the contributions of a model, in words."""
    model = getattr(model, "model_", model)
    network = hasattr(model, "members_")
    parts = ["intercept"]
    if network or model.context:
        parts.append("context")
    if network and model.share_:
        parts.append("kernel" if model.kernel_ is not None else "trees")
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def _total_of(model: Any, output: int | None, prediction: Any) -> str:
    """What contributions and offset add up to, in words."""
    if not hasattr(model, "classes_"):
        return "prediction"
    inner = getattr(model, "model_", model)
    what = "probability" if getattr(inner, "loss_", "") == "likelihood" else "score"
    return f"{what} of {prediction if output is None else model.classes_[output]}"
