"""Pages of the docs: every block runs, and prints what stands below it."""

import contextlib
import io
import re
from collections.abc import Callable
from pathlib import Path

BLOCK = re.compile(r"```python\n(.*?)```\n\n((?: {4}[^\n]*\n)*)", re.DOTALL)


def page(name: str) -> str:
    """The text of docs/<name>."""
    return (Path(__file__).parents[1] / "docs" / name).read_text()


def printed(work: Callable[[], object]) -> str:
    """What is written to standard output."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        work()
    return out.getvalue()


def shown(text: str) -> str:
    """Indented lines as a program prints them."""
    return "".join(line[4:] + "\n" for line in text.splitlines())


def assert_blocks_print(text: str, blocks: int) -> None:
    """So many Python blocks run one after the other, and print what the page shows."""
    names: dict = {}
    found = BLOCK.findall(text)
    assert len(found) == blocks
    for code, below in found:
        assert printed(lambda code=code: exec(code, names)) == shown(below), code
