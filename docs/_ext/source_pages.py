"""`{source}` and `{test}`: links from a formula to the code that computes it and to what checks it.

The text is a path, or path:name for a function, class or method in it; one that does not exist
is an error. The pages with the code are part of the site, which needs no other machine.
"""

import ast
from pathlib import Path
from typing import Any

from docutils import nodes
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxRole

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = {"source": "src/soloc/", "test": "tests/"}


def line_of(path: Path, name: str) -> int:
    """Where `name`, perhaps Class.method, is defined."""
    body: Any = ast.parse(path.read_text())
    for part in name.split("."):
        found = [node for node in body.body if _name(node) == part]
        if not found:
            raise ValueError(f"{path.relative_to(ROOT)} defines no {name}")
        body = found[0]
    return int(body.lineno)


def _name(node: ast.AST) -> str:
    if isinstance(node, ast.Assign):
        return getattr(node.targets[0], "id", "")
    return getattr(node, "name", "")


class CodeLink(SphinxRole):
    """A link to a file of this checkout, at a line of it."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        file, _, name = self.text.partition(":")
        path = FOLDERS[self.name] + file
        try:
            line = line_of(ROOT / path, name) if name else 0
            assert (ROOT / path).is_file(), f"there is no {path}"
        except (OSError, ValueError, AssertionError) as error:
            return [], [self.inliner.reporter.error(str(error), line=self.lineno)]
        page = f"_code/{path.removesuffix('.py')}"
        env = self.env
        if not hasattr(env, "shown_code"):
            env.shown_code = {}
        env.shown_code[page] = path
        uri = env.app.builder.get_relative_uri(env.docname, page)
        anchor = f"#line-{line}" if line else ""
        text = name or file
        reference = nodes.reference("", "", nodes.literal(text, text), refuri=uri + anchor)
        return [reference], []


def pages(app: Sphinx):
    """One page for every file that was linked to."""
    formatter = HtmlFormatter(linenos="inline", anchorlinenos=False, lineanchors="line")
    for page, path in sorted(getattr(app.env, "shown_code", {}).items()):
        code = highlight((ROOT / path).read_text(), PythonLexer(), formatter)
        yield page, {"title": path, "body": f"<h1>{path}</h1>{code}", "sidebars": []}, "page.html"


def setup(app: Sphinx) -> dict:
    for role in FOLDERS:
        app.add_role(role, CodeLink())
    app.connect("html-collect-pages", pages)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
