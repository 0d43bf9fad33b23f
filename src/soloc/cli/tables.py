"""Tables of a user: read by their ending, and as bags with the columns a model remembers."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from soloc.cli.memory import give_back_at_once

if TYPE_CHECKING:  # `soloc --help` need not wait for it
    import pandas as pd


LARGE = 2**30  # bytes of numbers beyond which a Parquet file is read in blocks


def is_large(path: Path) -> bool:
    """Whether a table is rather read in blocks: a Parquet file of more than 1 GB of numbers."""
    if path.suffix.lower() != ".parquet" or not path.exists():
        return False
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            return file.metadata.num_rows * file.metadata.num_columns * 8 > LARGE
    except pa.ArrowInvalid:
        return False  # whoever reads it says what is wrong


def read_table(path: Path, ids: Sequence[str] = (), names: Sequence[str] = ()) -> "pd.DataFrame":
    """A Parquet, CSV or TSV file as a data frame; columns of `ids` and `names` stay text in both
    of the latter.
    """
    import pandas as pd

    from soloc.estimators.dialects import read_text_table
    from soloc.estimators.frames import refuse_equal_names

    ending = path.suffix.lower()
    if ending not in (".parquet", ".csv", ".tsv"):
        raise ValueError(f"`data` must end in .parquet, .csv or .tsv, got {path.name}.")
    if not path.exists():
        raise FileNotFoundError(f"`data` {path} does not exist.")
    try:
        if ending == ".parquet":
            import pyarrow.parquet as pq

            refuse_equal_names(pq.read_schema(path).names, "it")
            return pd.read_parquet(path)
        usual = "\t" if ending == ".tsv" else ","
        given = usual if ending == ".tsv" else None
        table, dialect = read_text_table(path.read_bytes(), given, ids, names)
    except (pd.errors.ParserError, pd.errors.EmptyDataError, ValueError) as error:
        raise ValueError(f"`data` {path} could not be read: {error}") from None
    if said := dialect.words(usual):
        print(f"{path}: read as {said}", file=sys.stderr)
    return table


def model_in(path: Path) -> Any:
    """The fitted model in a file."""
    from soloc.estimators import load

    if not path.is_file():
        raise FileNotFoundError(f"`model` {path} is no file; `soloc fit` writes one.")
    return load(path)


def bags_for(model: Any, path: Path) -> Any:
    """Bags of a table, with the columns that were named when the model was fitted."""
    from soloc.estimators import Bags

    notes = getattr(model, "notes_", {})
    if "bag" not in notes or not notes.get("features"):
        raise ValueError(
            "the model was not made by `soloc fit`, so it does not know its columns; use it from"
            " Python."
        )
    if is_large(path):
        give_back_at_once()
        return Bags.from_parquet(path, notes["bag"], notes["features"])
    name = notes.get("name")
    frame = read_table(path, [notes["bag"]], [] if name is None else [name])
    name = name if name in frame.columns else None
    missing = [column for column in notes["features"] if column not in frame.columns]
    if missing:
        raise ValueError(
            f"the table must have every column that the model was fitted to; {missing} are missing,"
            f" it has {list(frame.columns)}."
        )
    known = {*notes["features"], *model.columns_aside_, notes["bag"]}
    unknown = [str(column) for column in frame.columns if column not in known]
    if unknown:
        print(f"the model was not fitted to {unknown}, which are ignored", file=sys.stderr)
    return Bags.from_frame(frame, notes["bag"], notes["features"], name=name)


def write_csv(table: "pd.DataFrame", path: Path | None) -> None:
    """A CSV file that a spreadsheet reads without running anything; standard output when None."""
    from soloc.estimators.spreadsheets import without_formulas

    text = without_formulas(table).to_csv(index=False)
    if path is None:
        print(text, end="")
    else:
        from soloc.runs.files import write_atomically

        write_atomically(path, text.encode("utf-8"))
