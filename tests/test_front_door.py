"""The README: every block runs and prints what stands below it; one version everywhere."""

import re
from pathlib import Path

import pytest

from soloc import __version__
from soloc.cli import main
from tests.pages import BLOCK, printed, shown

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text()
COMMAND = re.compile(r" {4}\$ soloc (.*)\n((?: {4}.*\n)+)")


def _blocks():
    """The numbers of the blocks; one that fits to thousands of sentences is slow."""
    for number, (code, _) in enumerate(BLOCK.findall(README)):
        marks = [pytest.mark.slow] if "soloc.text" in code else []
        yield pytest.param(number, marks=marks)


@pytest.mark.parametrize("number", [*_blocks()])
def test_every_block_of_the_readme_prints_what_stands_below_it(number):
    code, below = BLOCK.findall(README)[number]
    if "soloc.text" in code:
        pytest.importorskip("wordllama")
    said = printed(lambda: exec(code, {}))
    if below:
        assert [line.rstrip() for line in said.splitlines()] == shown(below).splitlines(), code


@pytest.mark.parametrize(("words", "below"), COMMAND.findall(README))
def test_every_command_of_the_readme_answers_what_stands_below_it(words, below):
    assert printed(lambda: main(words.split())) == shown(below)


def test_links_of_the_readme_lead_somewhere():
    links = re.findall(r"\]\(([^)#]+)\)", README)
    assert len(links) > 8
    for link in links:
        assert (ROOT / link).exists(), link


def test_there_is_one_version():
    assert f"\nversion: {__version__}\n" in (ROOT / "CITATION.cff").read_text()
    assert f"\n## {__version__}" in (ROOT / "CHANGELOG.md").read_text()
