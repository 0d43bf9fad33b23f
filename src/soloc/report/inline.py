"""A figure inside the page: own identifiers, colours that follow the reader's theme."""

import re
from html import escape

from soloc.figures.palette import BLUE, GREEN, GRID, INK, MUTED, ORANGE, PAPER, PINK, RED, SKY

#: Variables of the page, with the colour of light theme and of dark theme.
THEME = {
    "ink": (INK, "#e6e9ee"),
    "paper": (PAPER, "#14171c"),
    "grid": (GRID, "#2c323b"),
    "muted": (MUTED, "#9aa4b0"),
    "blue": (BLUE, "#4aa8e0"),
    "orange": (ORANGE, "#f0b429"),
    "green": (GREEN, "#2fc49a"),
    "red": (RED, "#ff8a45"),
    "sky": (SKY, "#8fd0f5"),
    "pink": (PINK, "#e6a3c6"),
}


def inline_svg(text: str, name: str, label: str) -> str:
    """The SVG as an element of the page, described by `label` to those who cannot see."""
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r'\bid="([^"]+)"', rf'id="{name}-\1"', text)
    text = re.sub(r'href="#([^"]+)"', rf'href="#{name}-\1"', text)
    text = re.sub(r"url\(#([^)]+)\)", rf"url(#{name}-\1)", text)
    for variable, (light, _) in THEME.items():
        text = re.sub(light, f"var(--{variable})", text, flags=re.IGNORECASE)
    opening = text[: text.index(">")]
    opening = re.sub(r'\s(width|height)="[^"]*"', "", opening)
    opening = opening.replace(
        "<svg", f'<svg role="img" aria-label="{escape(label, quote=True)}"', 1
    )
    return opening + text[text.index(">") :]
