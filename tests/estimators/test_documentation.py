"""What the documentation shows runs: examples in docstrings, and the gallery."""

import doctest
import os
import runpy
from pathlib import Path

import pytest

from soloc.datasets import digits, peptides, single_location
from soloc.estimators import bags, classifier, regressor, token_transformer

MODULES = [bags, regressor, classifier, token_transformer, single_location, digits, peptides]
GALLERY = sorted((Path(__file__).resolve().parents[2] / "examples").glob("plot_*.py"))
OURS = [
    p
    for p in GALLERY
    if p.stem in ("plot_peptides", "plot_digits", "plot_model_selection", "plot_intervals")
]


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_examples_in_docstrings_run(module):
    result = doctest.testmod(module)
    assert result.attempted > 0 and result.failed == 0


@pytest.mark.slow
@pytest.mark.parametrize("script", OURS, ids=lambda path: path.stem)
def test_the_gallery_runs(script, monkeypatch):
    import matplotlib

    matplotlib.use("Agg")
    monkeypatch.setitem(os.environ, "MPLBACKEND", "Agg")
    runpy.run_path(str(script), run_name="__main__")
