"""The README leads somewhere, shows what is so, and there is one version everywhere."""

import re
import tomllib

import numpy as np
import pytest
from matplotlib.image import imread

from soloc import __version__
from soloc.cli import main
from tests.pages import ROOT, links

README = (ROOT / "README.md").read_text()


def test_links_of_the_readme_lead_somewhere():
    found = links(README)
    assert len(found) > 8
    for link in found:
        assert (ROOT / link).exists(), link


def test_the_picture_of_the_readme_is_what_its_command_draws(tmp_path):
    (command,) = re.findall(r"`soloc (figure .*?\.png)`", README)
    kept = imread(ROOT / command.split()[-1])
    words = [*command.split()[:-1], str(tmp_path / "again.png"), "--out", str(tmp_path)]
    assert main(words) == 0
    again = imread(tmp_path / "again.png")
    assert again.shape == kept.shape and np.mean(np.abs(again - kept)) < 0.01


@pytest.mark.slow
def test_the_table_of_the_readme_is_what_its_command_measures(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    from compare_pooling import table

    for line in table():
        assert line.rpartition(" | ")[0] in README, line  # seconds are those of a machine


def test_what_the_readme_says_about_the_package_is_so():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    pythons = [c.split()[-1] for c in project["classifiers"] if re.search(r":: 3\.\d+$", c)]
    said = f"Python {', '.join(pythons)} · {project['license']} · typed"
    assert said in README and (ROOT / "src/soloc/py.typed").exists()


def test_there_is_one_version():
    assert f"\nversion: {__version__}\n" in (ROOT / "CITATION.cff").read_text()
    assert f"\n## {__version__}" in (ROOT / "CHANGELOG.md").read_text()
