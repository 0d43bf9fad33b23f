"""`{program-says} soloc fit --help`: what the program prints, asked while the page is built."""

import contextlib
import io
import os

from docutils import nodes
from docutils.parsers.rst import Directive
from sphinx.application import Sphinx


class ProgramSays(Directive):
    """A command of soloc and its answer."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        from soloc.cli import main

        command = self.arguments[0]
        os.environ["COLUMNS"] = "88"
        with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.suppress(SystemExit):
            main(command.split()[1:])
        if not out.getvalue():
            raise self.error(f"`{command}` printed nothing.")
        text = f"$ {command}\n{out.getvalue()}"
        return [nodes.literal_block(text, text, language="text")]


def setup(app: Sphinx) -> dict:
    app.add_directive("program-says", ProgramSays)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
