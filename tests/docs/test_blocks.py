"""What README and docs show runs: every block, every command, and all that they print."""

import contextlib
import io
import re
import shlex

import matplotlib
import pytest

from soloc.cli import COMMANDS, main, parser_of
from tests.pages import ROOT, pages, steps

PAGES = [page for page in pages() if [*steps(page.read_text())]]
NEEDS = {"networks": "equinox", "text": "wordllama", "lab": "plotly"}


def _name(page):
    return str(page.relative_to(ROOT))


DECIMAL = re.compile(r"-?\d+\.\d+")


def assert_said(said, shown, code, *, to_rounding):
    """The same text. A long fit ends where rounding lets it: its decimals may differ by a percent,
    or by one and a half of what is shown last.
    """
    if to_rounding:
        assert DECIMAL.sub("#", said) == DECIMAL.sub("#", shown), code
        for ours, theirs in zip(DECIMAL.findall(said), DECIMAL.findall(shown), strict=True):
            last = 1.5 * 10.0 ** -len(theirs.split(".")[1])
            assert float(ours) == pytest.approx(float(theirs), rel=1e-2, abs=last), code
    else:
        assert said == shown, code


def test_decimals_of_long_fits_may_differ_by_a_percent_and_nothing_else():
    shown = "* terrible  weight 0.991  contribution -3.19 of 3\n"
    assert_said(
        shown.replace("0.991", "0.990").replace("3.19", "3.20"), shown, "", to_rounding=True
    )
    for other in (
        shown.replace("0.991", "0.970"),
        shown.replace("of 3", "of 4"),
        shown.replace("-", ""),
        shown + "more\n",
    ):
        with pytest.raises(AssertionError):
            assert_said(other, shown, "", to_rounding=True)
    with pytest.raises(AssertionError):
        assert_said(shown.replace("0.991", "0.990"), shown, "", to_rounding=False)


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
        assert_said(said, step.shown, step.code, to_rounding=step.slow)


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
