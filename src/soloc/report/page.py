"""The page: what every experiment asks and shows, and the verdict on every claim."""

from collections.abc import Mapping, Sequence
from html import escape
from importlib import resources
from typing import Any, NamedTuple

from soloc.experiments.certificates import Certificate
from soloc.report.cite import PAPER, software
from soloc.report.inline import THEME
from soloc.report.typeset import typeset

TITLE = "One token decides the answer, and attention finds it"
OPENING = "problem"  # the experiment whose picture and words the page opens with
#: experiments whose first sentence stands at the top
MAIN = ("bayes_optimality", "attentions", "initialisation", "samples", "heads_share")


class Section(NamedTuple):
    """What the page says about one experiment."""

    name: str
    question: str
    findings: str
    svg: str  #: the figure, ready to stand in the page
    config: Mapping[str, Any]
    claims: Sequence[Certificate]
    rows: int
    seconds: float  #: time of computation, whenever that was
    links: Mapping[str, str]  #: label -> address relative to the page
    chapter: str = ""


class Origin(NamedTuple):
    """Where the numbers come from."""

    revision: str
    versions: Mapping[str, str]
    wall_seconds: float
    jobs: int
    quick: bool
    command: str
    skipped: Sequence[str] = ()  #: what was left out, one sentence each


def page(sections: Sequence[Section], origin: Origin) -> str:
    """The whole document, with nothing to fetch."""
    claims = [claim for section in sections for claim in section.claims]
    held = sum(claim.passed for claim in claims)
    verdict = (
        f'<strong class="pass">All {len(claims)} claims hold</strong>'
        if held == len(claims)
        else f'<strong class="fail">{len(claims) - held} of {len(claims)} claims fail</strong>'
    )
    opening = [section for section in sections if section.name == OPENING]
    rest = [section for section in sections if section.name != OPENING]
    contents = "".join(
        f'{_chapter(rest, i)}<li><a href="#{s.name}">{typeset(s.question)}</a></li>'
        for i, s in enumerate(rest)
    )
    body = "".join(f"{_chapter(rest, i, 'p')}{_section(s)}" for i, s in enumerate(rest))
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<meta name="description"
 content="Single-location regression reproduced: experiments, certificates, data.">
<link rel="icon" href="data:,">
<title>{TITLE} - soloc</title>
<style>
{_theme()}
{resources.files("soloc.report").joinpath("style.css").read_text()}
</style>
</head>
<body>
<header>
<h1>{TITLE}</h1>
<p class="lead">Single-location regression (Marion, Berthier, Biau and Boyer, 2025) computed again
from exact population risks and training dynamics, with what follows from them. {verdict}, each with
its measured number below.</p>
{"".join(_section(section) for section in opening)}
{_main(rest)}
<nav aria-label="Contents"><ol>{contents}
<li><a href="#certificates">Certificates: every claim and its number</a></li>
<li><a href="#origin">Run times and versions</a></li>
<li><a href="#cite">How to cite</a></li></ol></nav>
</header>
<main>
{body}
{_certificates(sections)}
{_origin(sections, origin)}
<section id="cite"><h2>How to cite</h2>
<p>The paper whose problem this is, and the software that made this page:</p>
<pre>{escape(PAPER)}

{escape(software())}</pre></section>
</main>
<footer>Made by <code>{escape(origin.command)}</code> at revision
<code>{escape(origin.revision[:12])}</code>. The page needs no network; keep it beside its folders
<code>data</code> and <code>figures</code> for the links to work.</footer>
</body>
</html>
"""


def _theme() -> str:
    light = " ".join(f"--{name}: {colours[0]};" for name, colours in THEME.items())
    dark = " ".join(f"--{name}: {colours[1]};" for name, colours in THEME.items())
    return (
        f":root {{ {light} }}\n@media (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n"
        f"@media print {{ :root {{ {light} }} }}"
    )


def _main(sections: Sequence[Section]) -> str:
    """The first sentence of each main finding that was computed, with the way to its figure."""
    there = {section.name: section.findings for section in sections}
    found = [
        f'<li>{typeset(there[name].split(". ")[0].rstrip("."))}. <a href="#{name}">{name}</a></li>'
        for name in MAIN
        if name in there
    ]
    return f'<h2>Main findings</h2><ul class="main">{"".join(found)}</ul>' if found else ""


def _left_out(origin: Origin) -> str:
    """What this page does not show and why, in one line."""
    quick = (
        ["Quick settings: fewer runs and coarser grids than those of record."]
        if origin.quick
        else []
    )
    reasons = " ".join([*quick, *origin.skipped])
    return f'<p class="muted">{escape(reasons)}</p>' if reasons else ""


def _chapter(sections: Sequence[Section], place: int, tag: str = "li") -> str:
    """The name of a chapter, where one begins."""
    name = sections[place].chapter
    if not name or (place and sections[place - 1].chapter == name):
        return ""
    return f'<{tag} class="chapter">{escape(name)}</{tag}>'


def _section(section: Section) -> str:
    links = "".join(
        f'<li><a href="{escape(address)}">{escape(label)}</a></li>'
        for label, address in section.links.items()
    )
    config = " ".join(
        f"<span>{escape(key)} = <b>{_short(value)}</b></span>"
        for key, value in section.config.items()
    )
    return f"""<section id="{section.name}">
<p class="name">{section.name}</p>
<h2>{typeset(section.question)}</h2>
<figure>{section.svg}</figure>
<p class="findings">{typeset(section.findings)}</p>
<ul class="links">{links}</ul>
<p class="config">{config}</p>
</section>
"""


def _short(value: Any) -> str:
    """A value of a config as a reader wants it: long lists by their ends."""
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, list):
        shown = value if len(value) <= 8 else [*value[:3], ..., value[-1]]
        return escape(", ".join("…" if item is ... else _short(item) for item in shown))
    if isinstance(value, Mapping):
        return escape(
            "{" + ", ".join(f"{key}: {_short(item)}" for key, item in value.items()) + "}"
        )
    return escape(str(value))


def _certificates(sections: Sequence[Section]) -> str:
    rows = "".join(
        f"""<tr><td><span class="claim">{typeset(c.claim)}</span>{_caveat(c)}</td>
<td data-label="Checked by">{typeset(c.check)} <a href="#{section.name}">({section.name})</a></td>
<td data-label="Expected">{typeset(c.expected)}</td>
<td data-label="Measured">{typeset(c.measured)}</td>{_verdict(c)}</tr>"""
        for section in sections
        for c in section.claims
    )
    return f"""<section id="certificates" class="long"><h2>Certificates</h2>
<p>Each claim of the paper and each finding of this report, how it is checked, what it predicts and
what was found.</p>
<table class="cards"><thead><tr><th>Claim</th><th>How it is checked</th><th>Expected</th>
<th>Measured</th><th>Verdict</th></tr></thead><tbody>{rows}</tbody></table></section>"""


def _verdict(claim: Certificate) -> str:
    if claim.passed:
        return '<td class="verdict pass">✓ holds</td>'
    return '<td class="verdict fail">✗ fails</td>'


def _caveat(claim: Certificate) -> str:
    return f'<span class="caveat">Caveat: {typeset(claim.caveat)}</span>' if claim.caveat else ""


def _origin(sections: Sequence[Section], origin: Origin) -> str:
    rows = "".join(
        f'<tr><td><a href="#{s.name}">{s.name}</a></td><td class="number">{s.rows:,}</td>'
        f'<td class="number">{s.seconds:.1f} s</td></tr>'
        for s in sections
    )
    versions = ", ".join(
        f"{escape(name)} {escape(number)}" for name, number in origin.versions.items()
    )
    return f"""<section id="origin"><h2>Run times and versions</h2>
<p>This run took {origin.wall_seconds:.1f} s with {origin.jobs} worker
process{"es" if origin.jobs != 1 else ""}; results that were already stored and intact
were not computed again.</p>
<table><thead><tr><th>Experiment</th><th>Rows</th><th>Time of computation</th></tr></thead>
<tbody>{rows}</tbody></table>
<p class="muted">Revision {escape(origin.revision)}. {versions}.</p>
{_left_out(origin)}</section>"""
