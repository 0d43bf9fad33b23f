"""The site before it is built: every public name is on its API page, and links lead somewhere."""

import doctest
import importlib
import re
import sys

import pytest

from tests.pages import ROOT, links, pages, steps

API = {page: page.read_text() for page in (ROOT / "docs" / "api").glob("*.md")}
ROOMS = [
    "soloc",
    "soloc.estimators",
    "soloc.learning",
    "soloc.networks",
    "soloc.datasets",
    "soloc.text",
    "soloc.weights",
]
MODULES = [
    "soloc.dynamics.starts",
    "soloc.dynamics.head_starts",
    "soloc.dynamics.schedules",
    "soloc.dynamics.rules",
]
INNER = {"Tabulated", "Rule"}  # what `population_path` and `descend` use, not what people call


def public(room):
    """Names that a room offers: its `__all__`, all that it imports, or what it defines."""
    module = importlib.import_module(room)
    if room in MODULES:
        own = [n for n, thing in vars(module).items() if getattr(thing, "__module__", "") == room]
        return {name for name in own if not name.startswith("_")} - INNER
    if hasattr(module, "__all__"):
        return {*module.__all__}
    listed = {*dir(module)} if "__getattr__" in vars(module) else {*vars(module)}
    return {
        name
        for name in listed
        if not name.startswith("_")
        and getattr(getattr(module, name), "__module__", "").startswith("soloc.")
    }


def _described():
    """What the API pages describe, by its full name."""
    found = re.findall(r"\.\. auto(?:class|function):: (\S+)", "".join(API.values()))
    parts = {full: full.rpartition(".") for full in found}
    return {
        full: getattr(importlib.import_module(room), name)
        for full, (room, _, name) in parts.items()
    }


def _examples(thing, full):
    module = sys.modules[thing.__module__]
    found = doctest.DocTestFinder(recurse=False).find(thing, full, globs=dict(vars(module)))
    run = [each for each in found[0].examples if doctest.SKIP not in each.options] if found else []
    return found[0] if run else None


DESCRIBED = _described()
EXAMPLES = {full: test for full, thing in DESCRIBED.items() if (test := _examples(thing, full))}


@pytest.mark.parametrize("room", ROOMS + MODULES)
def test_every_public_name_is_on_an_api_page(room):
    names = public(room)
    assert len(names) > 0
    module, shown = importlib.import_module(room), [*DESCRIBED.values()]
    missing = {name for name in names if not any(getattr(module, name) is s for s in shown)}
    assert not missing


def test_every_public_name_has_an_example_that_runs():
    code = " ".join(
        step.code for text in API.values() for step in steps(text) if not step.is_command
    )
    shown = "".join(step.shown for text in API.values() for step in steps(text))
    for full in DESCRIBED:
        name = full.rpartition(".")[2]
        in_block = re.search(rf"\b{name}\b", code + shown)
        assert in_block or full in EXAMPLES, full


def _marked(full):
    slow = "Network" in full or "Auto" in full or full.startswith("soloc.text")
    return pytest.param(full, marks=[pytest.mark.slow] if slow else [])


@pytest.mark.parametrize("full", [*map(_marked, EXAMPLES)])
def test_examples_in_docstrings_print_what_they_show(full, tmp_path, monkeypatch):
    if full.startswith("soloc.text"):
        pytest.importorskip("wordllama")
    monkeypatch.chdir(tmp_path)
    result = doctest.DocTestRunner().run(EXAMPLES[full])
    assert result.attempted > 0 and result.failed == 0


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    made = ("tutorials/", "gallery/", "_made/")  # by `make docs`, whose warnings are errors
    for link in links(page.read_text()):
        if not link.removeprefix("../").startswith(made):
            assert (page.parent / link).exists(), link


@pytest.mark.parametrize(
    "page", sorted((ROOT / "docs" / "theory").glob("*.md")), ids=lambda p: p.stem
)
def test_every_formula_of_the_theory_leads_to_its_code_and_its_test(page):
    for section in re.split(r"(?m)^## ", page.read_text())[1:]:
        if "$$" in section:
            assert "{source}" in section and "{test}" in section, section.splitlines()[0]


def test_install_lines_are_those_of_a_checkout():
    """Nothing is on PyPI: whoever follows `pip install 'soloc[lab]'` finds nothing there."""
    shown = [*pages(), *(ROOT / "examples").rglob("*.py"), ROOT / "CONTRIBUTING.md"]
    wrong = re.compile(r"pip install '?soloc\b|'soloc\[")
    assert [str(path) for path in shown if wrong.search(path.read_text())] == []
    assert "pip install ." in (ROOT / "docs" / "conf.py").read_text()  # first cell of notebooks


def test_every_page_is_reached_from_the_first():
    reached, waiting = set(), [ROOT / "docs" / "index.md"]
    while waiting:
        page = waiting.pop().resolve()
        if page in reached or not page.is_file():
            continue
        reached.add(page)
        for tree in re.findall(r"```\{toctree\}\n(.*?)```", page.read_text(), re.S):
            entries = [line for line in tree.splitlines() if line and not line.startswith(":")]
            waiting += [page.parent / f"{entry}.md" for entry in entries]
    written = {page for page in pages() if page.parts[-2:] != (ROOT.name, "README.md")}
    assert written - reached == set()
