"""The page stands alone: no request, no console message, every link resolves, words are escaped."""

import pytest
from browser import broken_links, open_page
from tests.chromium import CHROMIUM

from soloc.experiments.certificates import Certificate
from soloc.figures.export import figure_bytes
from soloc.figures.style import BLUE, INK, panels, styled
from soloc.report.inline import inline_svg
from soloc.report.page import Origin, Section, page


@styled
def drawing():
    figure, (left, right) = panels(1, 2)
    left.plot([0, 1, 2], [1, 0, 1], color=BLUE, label="$|\\kappa|$")
    right.contourf([[0, 1], [1, 2]], cmap="cividis")
    left.legend()
    return figure


def write_page(folder, claims):
    links = {}
    sections = []
    for name in ("first", "second"):
        for kind in ("svg", "pdf", "png"):
            (folder / f"{name}.{kind}").write_bytes(figure_bytes(drawing(), kind, name))
            links[kind] = f"{name}.{kind}"
        svg = inline_svg((folder / f"{name}.svg").read_text(), name, 'a "quoted" <label>')
        config = {"lam": 0.1, "lengths": list(range(20)), "inner": {"d": 4}}
        sections.append(
            Section(
                name,
                f"Is {name} & foremost?",
                "One. Two.",
                svg,
                config,
                claims,
                3,
                1.0,
                dict(links),
                "In practice",
            )
        )
    origin = Origin("abc", {"jax": "1"}, 2.0, 2, True, "soloc reproduce --quick")
    (folder / "index.html").write_text(page(sections, origin))
    return folder / "index.html"


GOOD, BAD = (
    Certificate("Up", "look", "1", "1", True, "not at night"),
    Certificate("Down", "look", "<1", "2", False),
)


def test_every_link_resolves_and_no_identifier_is_used_twice(tmp_path):
    assert broken_links(write_page(tmp_path, [GOOD])) == []


def test_a_chapter_is_named_once_where_it_begins(tmp_path):
    text = write_page(tmp_path, [GOOD]).read_text()
    for tag in ("li", "p"):
        assert text.count(f'<{tag} class="chapter">In practice</{tag}>') == 1


def test_failed_claims_are_shown_as_failed(tmp_path):
    text = write_page(tmp_path, [GOOD, BAD]).read_text()
    assert (
        "2 of 4 claims fail" in text and text.count("✗ fails") == 2 and text.count("✓ holds") == 2
    )
    assert "&lt;1" in text and "not at night" in text


def test_figures_follow_the_theme(tmp_path):
    text = write_page(tmp_path, [GOOD]).read_text()
    svg = text[text.index("<svg") : text.index("</svg>")]
    assert "var(--ink)" in svg and "var(--blue)" in svg and INK not in svg


def test_equal_figures_give_equal_bytes():
    for kind in ("svg", "pdf", "png"):
        assert figure_bytes(drawing(), kind, "x") == figure_bytes(drawing(), kind, "x")


@pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")
def test_in_a_browser_nothing_is_logged_and_nothing_is_fetched(tmp_path):
    path = write_page(tmp_path, [GOOD, BAD])
    console, requests = open_page(
        path, tmp_path, f"--screenshot={tmp_path / 'shot.png'}", "--window-size=390,900"
    )
    assert (console, requests) == ([], [])
    assert (tmp_path / "shot.png").stat().st_size > 10_000


@pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")
def test_the_witness_notices_a_request_and_a_console_error(tmp_path):
    page_with_fault = tmp_path / "fault.html"
    page_with_fault.write_text(
        '<img src="http://elsewhere.example/x.png"><script>console.error("oh")</script>'
    )
    console, requests = open_page(page_with_fault, tmp_path, "--dump-dom")
    assert any("oh" in line for line in console) and requests == ["http://elsewhere.example/x.png"]
