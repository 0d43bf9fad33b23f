"""Tables of a user: read by their ending, and as bags with the columns a model remembers."""

from pathlib import Path
from typing import Any

import pandas as pd


def read_table(path: Path) -> pd.DataFrame:
    """A Parquet, CSV or TSV file as a data frame."""
    endings = {
        ".parquet": pd.read_parquet,
        ".csv": pd.read_csv,
        ".tsv": lambda p: pd.read_csv(p, sep="\t"),
    }
    reader = endings.get(path.suffix.lower())
    if reader is None:
        raise ValueError(f"`data` must end in .parquet, .csv or .tsv, got {path.name}.")
    if not path.exists():
        raise FileNotFoundError(f"`data` {path} does not exist.")
    try:
        return reader(path)
    except pd.errors.ParserError as error:
        raise ValueError(f"`data` {path} could not be read: {error}") from None


def bags_for(model: Any, frame: pd.DataFrame) -> Any:
    """Bags of a table, with the columns that were named when the model was fitted."""
    from soloc.estimators import Bags

    notes = getattr(model, "notes_", {})
    if "bag" not in notes or not notes.get("features"):
        raise ValueError(
            "the model was not made by `soloc fit`, so it does not know its columns; use it from"
            " Python."
        )
    name = notes.get("name") if notes.get("name") in frame.columns else None
    return Bags.from_frame(frame, notes["bag"], notes["features"], name=name)
