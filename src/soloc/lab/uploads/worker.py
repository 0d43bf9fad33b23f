"""The process that touches a stranger's file: one request through a socket, JSON lines back, then
it ends.

The server never parses an uploaded file itself. This process does, with its memory, time and files
bounded by the system, and the server kills it when it is told to stop. It holds the data in memory
only.
"""

import contextlib
import json
import os
import socket
from typing import Any

import numpy as np
import pandas as pd

from soloc.estimators import Bags
from soloc.estimators.study import study
from soloc.lab.uploads.files import described, guessed, read_bags_file
from soloc.runs.processes import begin_child

_MEMORY = 1_500_000_000  # bytes beyond what the process has when it starts to work


def limit_resources(seconds: int) -> None:
    """Bound memory and processor time, forbid writing files; where the system offers no such
    limits, the server's clock remains.
    """
    try:
        import resource
    except ImportError:
        return
    used = resource.getrusage(resource.RUSAGE_SELF)  # importing does not count
    most = int(used.ru_utime + used.ru_stime) + seconds
    wanted = [(resource.RLIMIT_CPU, most), (resource.RLIMIT_FSIZE, 0), (resource.RLIMIT_CORE, 0)]
    with contextlib.suppress(OSError, ValueError), open("/proc/self/statm") as pages:
        held = int(pages.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        wanted.append((resource.RLIMIT_AS, held + _MEMORY))
    for what, limit in wanted:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(what, (limit, limit))


def answer(request: dict[str, Any], content: bytes, say: Any) -> dict[str, Any]:
    """Describe the table, or fit bags made of it."""
    ids = [request["columns"][role] for role in ("bag", "name")] if "columns" in request else []
    table, dialect, as_text = read_bags_file(request["name"], content, ids)
    if request["what"] == "describe":
        return {
            "rows": len(table),
            "columns": [column._asdict() for column in described(table)],
            "guess": guessed(table)._asdict(),
            "read_as": "" if dialect is None else dialect.words(),
        }
    say({"kind": "progress", "stage": "reading the table", "share": 0.0})
    columns = request["columns"]
    for role in ("bag", "label", "name", *(("features",) if columns["features"] else ())):
        for column in columns[role] if role == "features" else [columns[role]]:
            if column is not None and column not in table.columns:
                raise ValueError(f"The table has no column {column!r} (`{role}`).")
    _plain(table, columns)
    table = _without_holes(table, columns["features"], request["missing"])
    bags = Bags.from_frame(
        table,
        columns["bag"],
        columns["features"] or None,
        label=columns["label"],
        name=columns["name"],
    )
    found = study(
        bags,
        classes=request["classes"],
        model=request["model"],
        loss=request["loss"],
        coverage=request["coverage"],
        progress=lambda stage, share: say({"kind": "progress", "stage": stage, "share": share}),
    )
    plain = found._asdict()
    for part in ("bags", "instances", "features"):
        plain[part] = {name: _listed(column) for name, column in plain[part].items()}
    options = {} if dialect is None else dialect.options
    return plain | {
        "options": options | ({"dtype": dict.fromkeys(as_text, "str")} if as_text else {})
    }


def _without_holes(table: pd.DataFrame, features: list[str], missing: str) -> pd.DataFrame:
    """The table with rows dropped, or features filled with their means, where a feature is missing;
    whoever refuses says so later.
    """
    features = features or [name for name in table if pd.api.types.is_numeric_dtype(table[name])]
    if missing == "drop":
        return table.dropna(subset=features)
    if missing == "fill":
        return table.fillna(table[features].mean())
    return table


def _plain(table: pd.DataFrame, columns: dict[str, Any]) -> None:
    """Identifiers and names as text, so that every kind of column can be one; labels that are lists
    are refused.
    """
    for role in ("bag", "name"):
        column = columns[role]
        if column is not None and table[column].dtype == object:
            table[column] = table[column].where(table[column].isna(), table[column].astype(str))
    labels = table[columns["label"]]
    if (
        labels.dtype == object
        and not labels.map(
            lambda entry: isinstance(entry, (str, int, float, bool, type(None)))
        ).all()
    ):
        raise ValueError(f"The label {columns['label']!r} must hold numbers or short texts.")


def _listed(column: pd.Series) -> list[Any]:
    values = column.tolist()
    return [
        None if isinstance(value, float) and not np.isfinite(value) else value for value in values
    ]


def serve(pipe: socket.socket) -> None:
    """Read a request, answer it."""
    begin_child()
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):  # whatever a library prints does not belong to the answer
        os.dup2(nowhere, descriptor)
    source, out = pipe.makefile("rb"), pipe.makefile("w")

    def say(event: dict[str, Any]) -> None:
        out.write(json.dumps(event, allow_nan=False, default=_number) + "\n")
        out.flush()

    say({"kind": "ready"})
    line = source.readline()
    if not line:  # the server has ended
        return
    request = json.loads(line)
    content = source.read(request["size"])
    limit_resources(request["seconds"])
    try:
        say({"kind": "done", **answer(request, content, say)})
    except MemoryError:
        say(
            {
                "kind": "failed",
                "sentence": "The file needs more memory than the lab gives it; make it smaller.",
            }
        )
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError) as error:
        say({"kind": "failed", "sentence": str(error)[:600]})
    except Exception as error:
        say(
            {
                "kind": "failed",
                "sentence": f"The file could not be worked with ({type(error).__name__}).",
            }
        )


def _number(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else str(value)
