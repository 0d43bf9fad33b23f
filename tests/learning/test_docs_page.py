"""docs/learning.md: every block runs, and prints what stands below it."""

import contextlib
import io
import re
from pathlib import Path

from soloc.cli import main

PAGE = (Path(__file__).parents[2] / "docs" / "learning.md").read_text()
BLOCK = re.compile(r"```python\n(.*?)```\n\n((?: {4}[^\n]*\n)*)", re.DOTALL)
COMMAND = re.compile(r" {4}\$ soloc (.*)\n((?: {4}.*\n)*)")


def printed(work):
    with contextlib.redirect_stdout(io.StringIO()) as out:
        work()
    return out.getvalue()


def shown(text):
    return "".join(line[4:] + "\n" for line in text.splitlines())


def test_blocks_print_what_the_page_shows():
    names: dict = {}
    blocks = BLOCK.findall(PAGE)
    assert len(blocks) == 5
    for code, below in blocks:
        assert printed(lambda code=code: exec(code, names)) == shown(below), code


def test_the_command_answers_what_the_page_shows():
    [(words, below)] = COMMAND.findall(PAGE)
    assert printed(lambda: main(words.split())) == shown(below)
