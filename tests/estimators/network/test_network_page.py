"""docs/network.md: every block runs, and prints what stands below it."""

import contextlib
import io
import re
from pathlib import Path

PAGE = (Path(__file__).parents[3] / "docs" / "network.md").read_text()
BLOCK = re.compile(r"```python\n(.*?)```\n\n((?: {4}[^\n]*\n)*)", re.DOTALL)


def test_blocks_print_what_the_page_shows():
    names: dict = {}
    blocks = BLOCK.findall(PAGE)
    assert len(blocks) == 2
    for code, below in blocks:
        with contextlib.redirect_stdout(io.StringIO()) as out:
            exec(code, names)
        assert out.getvalue() == "".join(line[4:] + "\n" for line in below.splitlines()), code
