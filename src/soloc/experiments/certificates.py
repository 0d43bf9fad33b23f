"""Certificates: one claim with the number that decides it, and the two usual ways to decide."""

from typing import Any, NamedTuple

import numpy as np


class Certificate(NamedTuple):
    """One claim with the number that decides it."""

    claim: str  #: the statement in plain words
    check: str  #: how it is checked
    expected: str  #: what the claim predicts, with its tolerance
    measured: str  #: the number found
    passed: bool
    caveat: str = ""  #: where a published claim holds only in part, the part


def band(
    claim: str, check: str, value: float, low: float, high: float, caveat: str = ""
) -> Certificate:
    """The certificate of a number that must fall in [low, high]."""
    return Certificate(
        claim, check, f"in [{low:g}, {high:g}]", f"{value:.4g}", bool(low <= value <= high), caveat
    )


def at_most(claim: str, check: str, value: float, high: float, caveat: str = "") -> Certificate:
    """The certificate of a number that must not exceed a bound."""
    return Certificate(claim, check, f"<= {high:g}", f"{value:.3g}", bool(value <= high), caveat)


def log_slope(x: Any, y: Any) -> float:
    """Least-squares slope of log y against log x: the exponent of a power law."""
    return float(np.polyfit(np.log(np.asarray(x, float)), np.log(np.asarray(y, float)), 1)[0])
