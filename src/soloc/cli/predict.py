"""`soloc predict`: labels, intervals and the decisive instance for the bags of a table."""

import argparse
import io
import sys
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from soloc.cli.outputs import check_output
from soloc.cli.tables import bags_for, model_in, write_csv

COVERAGE = 0.9  # of an interval, unless told
ROWS = 50_000  # of a row group of the answers
_CLEAR = 2.0 / 3.0  # of the weight: twice as much as all others together


def add(subparsers: Any) -> None:
    """Register the command."""
    parser = subparsers.add_parser(
        "predict", help="predict the bags of a table with a fitted model"
    )
    parser.add_argument("model", type=Path, help="model file written by `soloc fit`")
    parser.add_argument(
        "data", type=Path, help="Parquet, CSV or TSV file with the columns of the fit"
    )
    parser.add_argument(
        "--out", type=Path, help="CSV or Parquet file to write (default: standard output)"
    )
    parser.add_argument("--coverage", type=float, help=f"of the intervals (default {COVERAGE})")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """One row per bag: prediction, interval or probabilities, decisive instance and its weight.

    A doubt about which instance is named stands in the column `trusted`, and in words on standard
    error.
    """
    import pandas as pd

    from soloc.runs.files import write_atomically

    if options.out is not None and options.out.suffix.lower() not in (".csv", ".parquet"):
        raise ValueError(f"`--out` must end in .csv or .parquet, got {options.out.name}.")
    if options.out is not None:
        check_output("--out", options.out, options.model, options.data)
    if options.coverage is not None and not 0.0 < options.coverage < 1.0:
        raise ValueError(
            f"`--coverage` must be between 0 and 1, got {options.coverage:g}; write 0.9 for"
            " intervals that hold nine labels of ten."
        )
    model = model_in(options.model)
    if options.coverage is not None and not hasattr(model, "predict_interval"):
        raise ValueError(
            "`--coverage` belongs to a model of numbers, and classes have no intervals; leave it"
            " out: the answers hold the probability of each class."
        )
    coverage = COVERAGE if options.coverage is None else options.coverage
    bags = bags_for(model, options.data)
    said: dict[str, None] = {}
    parts = (described(model, block, coverage, said) for block in bags.blocks())
    if options.out is None or options.out.suffix.lower() == ".csv":
        write_csv(pd.concat(parts, ignore_index=True), options.out)
    else:
        write_atomically(options.out, parquet_of(parts))
    for doubt in said:
        print(doubt, file=sys.stderr)
    return 0


def parquet_of(parts: Iterable[Any]) -> memoryview:
    """The parts of a table as one Parquet file; they are never in memory all at once."""
    import pandas as pd
    import pyarrow as pa
    import pyarrow.parquet as pq

    content, waiting = io.BytesIO(), []
    writer: Any = None

    def write(more: list[Any], writer: Any) -> Any:
        schema = None if writer is None else writer.schema
        joined = pd.concat(more, ignore_index=True)
        table = pa.Table.from_pandas(joined, schema=schema, preserve_index=False)
        writer = pq.ParquetWriter(content, table.schema) if writer is None else writer
        writer.write_table(table)
        return writer

    for part in parts:
        waiting.append(part)
        if sum(map(len, waiting)) >= ROWS:
            writer, waiting = write(waiting, writer), []
    if waiting:
        writer = write(waiting, writer)
    writer.close()
    return content.getbuffer()


def described(model: Any, bags: Any, coverage: float, said: dict[str, None]) -> Any:
    """One row per bag in memory; what the model doubts is added to `said`."""
    import numpy as np
    import pandas as pd

    table = pd.DataFrame({model.notes_["bag"]: [bags.id_of(i) for i in range(len(bags))]})
    table["prediction"] = model.predict(bags)
    if hasattr(model, "predict_interval"):
        table[["lower", "upper"]] = model.predict_interval(bags, coverage)
    else:
        for label, column in zip(model.classes_, model.predict_proba(bags).T, strict=True):
            table[f"probability_{label}"] = column
    where, doubts = located(model, bags)
    weights = model.attend(bags)
    # mean pooling weighs all alike: it names none
    points = np.array([len(each) == 1 or each.max() > each.min() for each in weights], dtype=bool)
    if bags.names is None:
        table["decisive"] = pd.array(where, dtype="Int64")
    else:
        named = [bags.names_of(i)[j] for i, j in enumerate(where)]
        table["decisive"] = pd.Series(named, dtype=object)
    table.loc[~points, "decisive"] = pd.NA if bags.names is None else None
    table["weight"] = [each.max() for each in weights]
    # a guess among several is no answer, however good the model
    table["trusted"] = (table["weight"] > _CLEAR) & (not doubts)
    said |= dict.fromkeys(doubts)
    return table


def located(model: Any, bags: Any) -> tuple[Any, list[str]]:
    """The decisive instance of every bag, and the doubts about it, in words."""
    from soloc.estimators import PointingWarning

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", PointingWarning)
        where = model.locate(bags)
    doubts = [str(each.message).rstrip(".") for each in caught if each.category is PointingWarning]
    return where, doubts
