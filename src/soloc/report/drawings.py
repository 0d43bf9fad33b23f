"""Figures of stored tables as files; matplotlib is imported by the process that draws, not by the
one that asks.
"""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from soloc.figures.formats import FORMATS
from soloc.runs.files import write_atomically

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw(module: str, table: pd.DataFrame) -> "Figure":
    """The figure that a module of `soloc.figures` makes of a table, in the house style."""
    from soloc.figures.style import plain_rulers, styled

    figure = styled(import_module(f"soloc.figures.{module}").figure)(table)
    plain_rulers(figure)
    return figure


def write_figures(module: str, name: str, folder: Path, kinds: tuple[str, ...] = FORMATS) -> str:
    """Draw a stored table in every format of `kinds`; the SVG is returned for the page."""
    from soloc.figures.export import figure_bytes

    figure = draw(module, pd.read_parquet(folder / f"data/{name}.parquet"))
    files = {kind: figure_bytes(figure, kind, name) for kind in kinds}
    for kind, content in files.items():
        write_atomically(folder / f"figures/{name}.{kind}", content)
    return files["svg"].decode()
