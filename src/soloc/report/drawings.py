"""Figures of tables as files; only the process that draws imports matplotlib."""

from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from soloc.figures.formats import FORMATS, kind_of
from soloc.runs.files import write_atomically

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def _opened(path: Path) -> BytesIO:
    """A file's content: Arrow opens no path that holds bytes which are not text."""
    return BytesIO(path.read_bytes())


def draw(drawn_by: str, table: pd.DataFrame) -> "Figure":
    """The figure that `module:function` makes of a table, in the house style."""
    from soloc.figures.style import plain_rulers, styled

    module, _, function = drawn_by.partition(":")
    figure = styled(getattr(import_module(module), function))(table)
    plain_rulers(figure)
    return figure


def write_figure(drawn_by: str, table: pd.DataFrame, name: str, path: Path) -> None:
    """Draw a table in the format that the name of the file asks for."""
    from soloc.figures.export import figure_bytes

    kind = kind_of(path)
    write_atomically(path, figure_bytes(draw(drawn_by, table), kind, name))


def write_figures(drawn_by: str, name: str, folder: Path, kinds: tuple[str, ...] = FORMATS) -> str:
    """Draw a stored table in every format of `kinds`; the SVG is returned for the page."""
    from soloc.figures.export import figure_bytes

    figure = draw(drawn_by, pd.read_parquet(_opened(folder / f"data/{name}.parquet")))
    files = {kind: figure_bytes(figure, kind, name) for kind in kinds}
    for kind, content in files.items():
        write_atomically(folder / f"figures/{name}.{kind}", content)
    return files["svg"].decode()
