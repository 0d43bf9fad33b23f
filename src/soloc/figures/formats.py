"""Kinds of file that a figure is written as; without matplotlib, for those who only name them."""

from pathlib import Path

FORMATS = ("svg", "pdf", "png")


def kind_of(path: Path) -> str:
    """The format that a file name asks for."""
    kind = path.suffix.lstrip(".").lower()
    if kind not in FORMATS:
        raise ValueError(f"`{path}` must end in one of {', '.join('.' + f for f in FORMATS)}.")
    return kind
