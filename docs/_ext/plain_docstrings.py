"""Docstrings of soloc are plain text with `code` in single backticks: quoted here for Sphinx."""

import re
from collections.abc import Iterator
from typing import Any

from sphinx.application import Sphinx

_CODE = re.compile(r"(?<!`)`([^`]+)`(?!`)")
_MARKS = re.compile(r"([*|\\]|_(?=\W|$))")
_RULE = re.compile(r"-+$")


def quoted(line: str) -> str:
    """A line whose only markup is code."""
    if _RULE.match(line):
        return line
    parts = _CODE.split(line)
    plain = [_MARKS.sub(r"\\\1", part) for part in parts[::2]]
    code = [f"``{part}``" for part in parts[1::2]] + [""]
    return "".join(text + word for text, word in zip(plain, code, strict=True))


def markup(lines: list[str]) -> Iterator[str]:
    """The docstring as reStructuredText: formulas before the first section, and examples, are
    shown as they are.
    """
    section, formula, after_blank = "", False, False
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        if line and _RULE.match(below):
            section = line
        if line.strip() and not section:
            indented = line.startswith("    ")
            if indented and after_blank and not formula:
                yield from ("::", "")
            formula = indented and (formula or after_blank)
        after_blank = not line.strip()
        yield line if section == "Examples" or (formula and not section) else quoted(line)


def quote(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    lines[:] = markup(list(lines))


def setup(app: Sphinx) -> dict:
    app.connect("autodoc-process-docstring", quote, priority=100)  # before numpydoc
    return {"parallel_read_safe": True, "parallel_write_safe": True}
