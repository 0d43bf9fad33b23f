"""Gallery and tutorials: every script runs without a warning and ends in a picture."""

import pytest

from tests.examples import EXAMPLES, pictures, scripts

GALLERY, TUTORIALS = scripts("gallery"), scripts("tutorials")
QUICK = {"plot_17_learning_curves", "plot_20_largest_score", "plot_31_one_sequence"}
NEEDS = {"plot_06_decisive_word": "wordllama", "plot_34_real_layer": "equinox"}
NEEDS["plot_4_cluster"] = "distributed"


def _marked(path):
    marks = [] if path.stem in QUICK else [pytest.mark.slow]
    return pytest.param(path, marks=marks, id=path.stem)


@pytest.mark.parametrize("path", [*map(_marked, GALLERY + TUTORIALS)])
def test_an_example_runs_and_ends_in_a_picture(path, monkeypatch):
    pytest.importorskip(NEEDS.get(path.stem, "matplotlib"))
    drawn = pictures(path, monkeypatch)
    assert drawn and all(axis.has_data() for figure in drawn for axis in figure.axes)


@pytest.mark.parametrize("path", GALLERY + TUTORIALS, ids=lambda path: path.stem)
def test_an_example_opens_with_a_title_and_what_it_shows(path):
    quotes, title, rule, empty, *prose = path.read_text().splitlines()
    assert (quotes, rule, empty) == ('"""', "=" * len(title), "")
    words = "\n".join(prose[: prose.index('"""')])
    assert words.count(".") + words.count("?") >= 2 and max(map(len, prose)) <= 100


def test_there_is_a_gallery_and_every_folder_of_it_has_a_heading():
    assert len(GALLERY) >= 15 and len(TUTORIALS) == 4
    for folder in {path.parent for path in GALLERY + TUTORIALS} | {EXAMPLES / "gallery"}:
        assert (folder / "GALLERY_HEADER.rst").read_text().count("\n") >= 4
