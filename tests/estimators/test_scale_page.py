"""docs/scale.md: the block about bags on disk runs, and prints what stands below it."""

import contextlib
import io
import re
from pathlib import Path

PAGE = (Path(__file__).parents[2] / "docs" / "scale.md").read_text()
BLOCK = re.compile(r"```python\n([^`]*from_parquet.*?)```\n\n((?: {4}[^\n]*\n)*)", re.DOTALL)


def test_the_block_about_bags_on_disk_prints_what_the_page_shows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    [(code, below)] = BLOCK.findall(PAGE)
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(code, {})
    assert out.getvalue() == "".join(line[4:] + "\n" for line in below.splitlines())
