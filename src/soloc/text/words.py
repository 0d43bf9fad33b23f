"""Words of a text with their character spans; a row that is no text is refused by its number."""

import re
import warnings
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

_PICTURE = "[\u2600-\u27bf\u2b00-\u2bff\U0001f300-\U0001faff][\ufe0f\U0001f3fb-\U0001f3ff]?"
#: letters and digits with apostrophes and hyphens inside; a flag; an emoji, joined ones as one
WORD = re.compile(
    rf"\w+(?:['’\-]\w+)*|[\U0001f1e6-\U0001f1ff]{{2}}|{_PICTURE}(?:\u200d{_PICTURE})*", re.UNICODE
)
LONGEST_WORD = 100  # characters of a word that are read


class TextWarning(UserWarning):
    """A text was not read whole."""


class Words(NamedTuple):
    """The words of one text, as written, and where each begins and ends in it."""

    text: str
    words: list[str]
    spans: np.ndarray  #: (words, 2), characters


def texts_of(X: Any) -> list[str]:
    """`X` as a list of strings; anything else is refused with the row it stands in."""
    if isinstance(X, (str, bytes)):
        raise TypeError(f"`X` must be a list of strings, got one {type(X).__name__}; write [text].")
    if not isinstance(X, Iterable) or isinstance(X, dict):
        raise TypeError(f"`X` must be a list of strings, got {type(X).__name__}.")
    dimensions = getattr(X, "ndim", 1)
    if dimensions != 1:
        raise ValueError(
            f"`X` must be one column of strings, got {dimensions} dimensions; pass the column"
            " alone."
        )
    texts = list(X)
    if not texts:
        raise ValueError("`X` must hold at least one text (minimum of 1 is required), got none.")
    for row, text in enumerate(texts):
        if isinstance(text, bytes):
            raise TypeError(
                f"row {row} of `X` must be a string, got bytes; decode it first:"
                " text.decode('utf-8')."
            )
        if not isinstance(text, str):
            shown = "None" if text is None else f"{type(text).__name__} {text!r:.40}"
            raise TypeError(
                f"row {row} of `X` must be a string, got {shown}; drop or fill such rows first."
            )
    return [str(text) for text in texts]


def split_words(text: str, row: int, most: int) -> tuple[Words, str]:
    """The first `most` words of a text, and the sentence that says where it was cut ("" when it was
    not).
    """
    words: list[str] = []
    spans: list[tuple[int, int]] = []
    cut = ""
    for match in WORD.finditer(text):
        if len(words) == most:
            cut = f"row {row} after word {most} (character {spans[-1][1]} of {len(text)})"
            break
        words.append(match.group())
        spans.append(match.span())
    if not words:
        shown = "is empty" if not text.strip() else f"({text.strip()!r:.40}) holds no word"
        raise ValueError(
            f"row {row} of `X` {shown}; every text needs at least one word, drop such rows."
        )
    return Words(text, words, np.array(spans, dtype=np.intp)), cut


def warn_about_cuts(cuts: list[str], remedy: str) -> None:
    """One warning for all texts that were cut, with where."""
    if cuts:
        more = f" and {len(cuts) - 3} more" if len(cuts) > 3 else ""
        count = "1 text was" if len(cuts) == 1 else f"{len(cuts)} texts were"
        warnings.warn(
            f"{count} cut: {'; '.join(cuts[:3])}{more}; {remedy}.", TextWarning, stacklevel=4
        )
