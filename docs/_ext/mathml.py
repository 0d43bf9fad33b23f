"""Formulas as MathML, which browsers set themselves: no script, no fonts, no request."""

import re

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging

logger = logging.getLogger(__name__)
_DOTS = re.compile(r"\\dots\b")  # docutils knows \ldots alone


def typeset(node: nodes.Element, as_block: bool) -> str:
    """The formula; one that cannot be set is a warning at its line, which `make docs` refuses."""
    try:
        return tex2mathml(_DOTS.sub(r"\\ldots", node.astext()), as_block=as_block)
    except MathError as error:
        logger.warning("%s in %s", error, node.astext(), location=node)
        return ""


def inline(self, node: nodes.math) -> None:
    """A formula inside a sentence."""
    self.body.append(typeset(node, as_block=False))
    raise nodes.SkipNode


def display(self, node: nodes.math_block) -> None:
    """A formula on a line of its own, scrolled where the screen is narrow."""
    self.body.append(f'<div class="formula">{typeset(node, as_block=True)}</div>')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict:
    app.add_html_math_renderer("mathml", (inline, None), (display, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
