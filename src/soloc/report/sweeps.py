"""A sweep as a file says it: question, grid and figure; and figures of its table."""

import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from soloc.experiments.questions import find
from soloc.figures.formats import kind_of
from soloc.runs.files import read_facts, write_atomically

_KNOWN = ("question", "seed", "grid", "figure")
_RANGE = {"from", "to", "count", "log"}
_FIGURE = ("x", "y", "value", "as")


class Asked(NamedTuple):
    """What a file asks for."""

    question: Callable[..., Any]
    grid: dict[str, list[Any]]
    seed: int
    figure: Mapping[str, str]


def read(path: Path) -> Asked:
    """The sweep of a TOML file; what it does not understand is refused."""
    try:
        content = tomllib.loads(path.read_text())
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"`FILE` {path} must be TOML: {error}.") from None
    unknown = [name for name in content if name not in _KNOWN]
    if unknown or "question" not in content or not isinstance(content.get("grid"), dict):
        raise ValueError(
            f"`FILE` {path} must hold `question` and `[grid]`, and may hold `seed` and `[figure]`;"
            f" got {', '.join(content) or 'nothing'}."
        )
    drawn = content.get("figure", {})
    wrong = [name for name in drawn if name not in _FIGURE]
    if wrong:
        raise ValueError(f"`[figure]` may hold {', '.join(_FIGURE)}; got {', '.join(wrong)}.")
    grid = {name: _axis(name, values) for name, values in content["grid"].items()}
    return Asked(find(content["question"]), grid, content.get("seed", 0), drawn)


def _axis(name: str, values: Any) -> list[Any]:
    """A list as it is; one value as a list of one; {from, to, count, log} spread evenly."""
    if isinstance(values, list):
        return values
    if not isinstance(values, dict):
        return [values]
    if not {"from", "to", "count"} <= values.keys() <= _RANGE:
        raise ValueError(
            f"`grid.{name}` must be a list, a value, or {{from, to, count}} with log = true or"
            f" without; got {', '.join(values)}."
        )
    spread = np.geomspace if values.get("log") else np.linspace
    if values.get("log") and min(values["from"], values["to"]) <= 0:
        raise ValueError(f"`grid.{name}` must be positive to be spread in the logarithm.")
    found: list[Any] = spread(values["from"], values["to"], values["count"]).tolist()
    return found


def draw_sweep(
    table_path: Path,
    path: Path,
    x: str | None = None,
    y: str | None = None,
    value: str | None = None,
    kind: str | None = None,
) -> None:
    """A figure of a sweep's table: `value` over the axes x and y, as "map" or "curves".

    Unless told, the axes are the first two that take several values, the value the first number
    that was found, and it is a map where both axes have five values or more.
    """
    from soloc.figures import sweep as drawing
    from soloc.figures.export import figure_bytes
    from soloc.figures.style import plain_rulers, styled

    drawn_as = kind_of(path)
    facts, table = read_facts(table_path), pd.read_parquet(table_path)
    if "axes" not in facts:
        raise ValueError(f"`NAME` {table_path} must be the table of a sweep.")
    axes = drawing.axes_of(table, facts["axes"])
    results = [name for name in table.columns if name not in facts["axes"]]
    numbers = [name for name in results if table[name].dtype.kind in "iufb"]
    if len(axes) < 2 or not numbers:
        raise ValueError(
            f"`NAME` {table_path} must have two axes with several values and a number to draw; got"
            f" the axes {', '.join(axes) or 'none'} and the numbers {', '.join(numbers) or 'none'}."
        )
    x = _chosen("x", x, axes)
    y = _chosen("y", y, [axis for axis in axes if axis != x])
    value = _chosen("value", value, numbers)
    many = min(table[x].nunique(), table[y].nunique()) >= 5
    kind = _chosen("as", kind, ["map", "curves"] if many else ["curves", "map"])
    made = styled(drawing.figure)(table, x, y, value, kind == "map")
    if kind != "map":
        plain_rulers(made)
    write_atomically(path, figure_bytes(made, drawn_as, table_path.stem))


def _chosen(name: str, wanted: str | None, known: list[str]) -> str:
    if wanted is None:
        return known[0]
    if wanted not in known:
        raise ValueError(f"`{name}` must be one of {', '.join(known)}; got {wanted!r}.")
    return wanted
