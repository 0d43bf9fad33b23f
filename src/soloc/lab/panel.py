"""A panel: what every view answers, the same for the page and for scripts."""

import base64
import csv
import io
from typing import Any

import numpy as np
from pydantic import BaseModel, Field

_DIGITS = 6  # of a number that is only drawn


class Panel(BaseModel):
    """What a view shows, what it exports, and how to get the same in Python."""

    figure: dict[str, Any] = Field(description="a Plotly figure: {data, layout}")
    table: dict[str, list[Any]] = Field(
        default_factory=dict, description="columns of the CSV export, all of one length"
    )
    python: str = Field(description="lines that reproduce what is shown")
    sentence: str = Field(description="what is seen, in two sentences")
    numbers: dict[str, float | int | str | None] = Field(
        default_factory=dict, description="the numbers written in the panel"
    )
    overlays: dict[str, list[dict[str, Any]]] = Field(
        default_factory=dict, description="Plotly traces for other panels, by name"
    )
    pending: str | None = Field(default=None, description="what is still being computed by a job")

    def csv(self) -> str:
        """The table as CSV, numbers in full."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.table)
        writer.writerows(zip(*self.table.values(), strict=True))
        return text.getvalue()


def drawn(values: Any, digits: int = _DIGITS) -> list[Any]:
    """Numbers as (nested) lists, to as many digits as a drawing needs; what is not finite becomes
    None, a gap.
    """
    array = np.asarray(values, dtype=float)
    finite = np.isfinite(array)
    size = np.where(finite & (array != 0.0), np.abs(array), 1.0)
    scale = 10.0 ** np.clip(digits - 1 - np.floor(np.log10(size)), -300, 300)
    rounded = np.where(finite, np.round(np.where(finite, array, 0.0) * scale) / scale, 0.0).astype(
        object
    )
    rounded[~finite] = None
    return rounded.tolist()


def packed(values: np.ndarray) -> dict[str, str]:
    """A whole array as Plotly reads it without parsing a single number; what is not finite should
    be NaN, a gap.
    """
    content = np.ascontiguousarray(values, dtype="<f8")
    return {
        "dtype": "f8",
        "bdata": base64.b64encode(content.tobytes()).decode(),
        "shape": ", ".join(str(size) for size in content.shape),
    }


def full(values: Any) -> list[Any]:
    """Numbers as a list with all their digits; what is not finite becomes None."""
    array = np.asarray(values)
    if array.dtype.kind != "f":
        return array.tolist()
    plain = array.tolist()
    for place in np.flatnonzero(~np.isfinite(array)):
        plain[place] = None
    return plain


def number(value: Any) -> float | None:
    """One number of a panel; None when it is not finite."""
    value = float(value)
    return value if np.isfinite(value) else None
