"""What a mistyped name may have meant; for the catalogues of every room."""

from collections.abc import Iterable
from difflib import get_close_matches


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The question after a refusal, with the closest of `known`; empty when none is close."""
    close = get_close_matches(name, [*known], n=1)
    return f" Did you mean {close[0]}?" if close else ""
