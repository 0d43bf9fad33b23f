"""What README and docs show runs: every block, every command, and all that they print."""

import contextlib
import io
import shlex

import matplotlib
import pytest

from soloc.cli import COMMANDS, main, parser_of
from tests.pages import ROOT, pages, steps

PAGES = [page for page in pages() if [*steps(page.read_text())]]
NEEDS = {"networks": "equinox", "text": "wordllama", "lab": "plotly"}


def _name(page):
    return str(page.relative_to(ROOT))


def run(page, folder, monkeypatch, *, slow_too):
    """Run a page from top to bottom, in a folder of its own."""
    matplotlib.use("agg")
    monkeypatch.chdir(folder)
    names: dict = {"__name__": "page"}
    for step in steps(page.read_text()):
        if step.slow and not slow_too:
            continue
        with contextlib.redirect_stdout(io.StringIO()) as out:
            if step.is_command:
                assert main(shlex.split(step.code)) == 0, step.code
            else:
                exec(step.code, names)
        said = "".join(line.rstrip() + "\n" for line in out.getvalue().splitlines())
        assert said == step.shown, step.code


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_what_a_page_shows_is_what_it_prints(page, tmp_path, monkeypatch):
    run(page, tmp_path, monkeypatch, slow_too=False)


@pytest.mark.slow
@pytest.mark.parametrize(
    "page", [p for p in PAGES if any(step.slow for step in steps(p.read_text()))], ids=_name
)
def test_slow_blocks_print_what_is_shown(page, tmp_path, monkeypatch):
    for room, package in NEEDS.items():
        if f"soloc.{room}" in page.read_text():
            pytest.importorskip(package)
    run(page, tmp_path, monkeypatch, slow_too=True)


def test_every_command_on_a_page_is_one_that_the_program_understands():
    commands = [
        line.strip().removeprefix("$ ").split("#")[0]
        for page in pages()
        for line in page.read_text().splitlines()
        if line.startswith(("    soloc ", "    $ soloc "))
    ]
    assert len(commands) > 20
    parser = parser_of(COMMANDS)
    for command in commands:
        parser.parse(shlex.split(command)[1:])
