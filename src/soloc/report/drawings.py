"""Figures of stored tables as files; a module of its own so that a process that only draws loads little."""

from importlib import import_module
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from soloc.figures.export import FORMATS, figure_bytes
from soloc.figures.style import styled
from soloc.runs.store import write_atomically


def draw(module: str, table: pd.DataFrame) -> Figure:
    """The figure that a module of `soloc.figures` makes of a table, in the house style."""
    return styled(import_module(f"soloc.figures.{module}").figure)(table)


def write_figures(module: str, name: str, folder: Path, kinds: tuple[str, ...] = FORMATS) -> str:
    """Draw a stored table in every format of `kinds`; the SVG is returned for the page."""
    figure = draw(module, pd.read_parquet(folder / f"data/{name}.parquet"))
    files = {kind: figure_bytes(figure, kind, name) for kind in kinds}
    for kind, content in files.items():
        write_atomically(folder / f"figures/{name}.{kind}", content)
    return files["svg"].decode()
