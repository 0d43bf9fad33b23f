"""Scripts of the gallery run as the site runs them: cell by cell, with the pictures they end in."""

import ast
import re
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
import pytest
from matplotlib.figure import Figure

EXAMPLES = Path(__file__).parents[1] / "examples"
CELL = re.compile(r"^# %%.*$", re.MULTILINE)


def scripts(*folders: str) -> list[Path]:
    """All scripts of these folders that the site executes."""
    return sorted(path for folder in folders for path in (EXAMPLES / folder).rglob("plot_*.py"))


def pictures(path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Figure]:
    """The figures of a script: those of pyplot, and those that a cell ends with."""
    matplotlib.use("agg")
    monkeypatch.setattr(plt, "show", lambda: None)
    plt.close("all")
    names: dict = {"__name__": "__main__", "__file__": str(path)}
    ended = []
    for cell in CELL.split(path.read_text()):
        lines = ast.parse(cell).body
        last = lines.pop() if lines and isinstance(lines[-1], ast.Expr) else None
        exec(compile(ast.Module(lines, []), str(path), "exec"), names)
        if last is not None:
            ended.append(eval(compile(ast.Expression(last.value), str(path), "eval"), names))
    drawn = [plt.figure(number) for number in plt.get_fignums()]
    return drawn + [one for one in ended if isinstance(one, Figure) and one not in drawn]
