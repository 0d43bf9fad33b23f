"""The picture with which the site opens, computed and drawn by the package while it is built."""

from pathlib import Path

from sphinx.application import Sphinx


def draw(app: Sphinx) -> None:
    """The problem in one picture: docs/_made/problem.svg."""
    from soloc.experiments.attention.problem import EXPERIMENT
    from soloc.figures.attention.problem import figure

    folder = Path(app.srcdir) / "_made"
    folder.mkdir(exist_ok=True)
    figure(EXPERIMENT.run(EXPERIMENT.config)).savefig(
        folder / "problem.svg", metadata={"Date": None}
    )


def setup(app: Sphinx) -> dict:
    app.connect("builder-inited", draw)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
