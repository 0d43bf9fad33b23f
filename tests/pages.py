"""Pages of README and docs as steps: what is run, and what is shown below it."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
MADE = {"_build", "_made", "gallery", "tutorials"}  # by `make docs`
SLOW = "<!-- slow -->"
PROMPT = "    $ soloc "


class Step(NamedTuple):
    """A block of Python or a command, and the lines that a page shows as its output."""

    code: str
    is_command: bool
    shown: str
    slow: bool  #: run by make check-slow only


def pages() -> list[Path]:
    """README and every page of the docs that people write."""
    docs = ROOT / "docs"
    written = [p for p in docs.rglob("*.md") if not MADE & {*p.relative_to(docs).parts}]
    return [ROOT / "README.md", *sorted(written)]


def steps(text: str) -> Iterator[Step]:
    """Python blocks and commands from top to bottom; output is indented by four."""
    lines = [*text.splitlines(), ""]
    at = 0
    while at < len(lines):
        line = lines[at]
        if line.startswith(PROMPT):
            end = _end_of_output(lines, at + 1)
            yield Step(line[len(PROMPT) :], True, _said(lines[at + 1 : end]), False)
            at = end
        elif line == "```python":
            closed = lines.index("```", at)
            begin = closed + 2 if lines[closed + 1] == "" else closed + 1
            end = _end_of_output(lines, begin)
            code = "\n".join(lines[at + 1 : closed]) + "\n"
            slow = at > 0 and lines[at - 1] == SLOW
            yield Step(code, False, _said(lines[begin:end]), slow)
            at = max(end, closed + 1)
        else:
            at += 1


def _end_of_output(lines: list[str], at: int) -> int:
    while lines[at].startswith("    ") and not lines[at].startswith("    $ "):
        at += 1
    return at


def _said(lines: list[str]) -> str:
    return "".join(line[4:].rstrip() + "\n" for line in lines)


def links(text: str) -> list[str]:
    """Addresses of links and pictures, without their anchors; none of the web."""
    found = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", re.sub(r"```.*?```", "", text, flags=re.S))
    found += re.findall(r'(?:src|href|srcset)="([^"#]+)"', text)
    return [link for link in found if not re.match(r"[a-z]+:", link)]
