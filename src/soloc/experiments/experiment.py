"""What an experiment is: a question, a frozen config and a pure function from config to table."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any, NamedTuple

import pandas as pd


class Certificate(NamedTuple):
    """One claim with the number that decides it."""

    claim: str  #: the statement in plain words
    check: str  #: how it is checked
    expected: str  #: what the claim predicts, with its tolerance
    measured: str  #: the number found
    passed: bool
    caveat: str = ""  #: where a published claim holds only in part, the part


@dataclass(frozen=True)
class Experiment:
    """A question with everything needed to answer it; caching, resuming and progress live in
    `runs`.

    `run` is pure: equal configs give equal tables. Fields of the config named in `axes` are tuples
    along which the plumbing may cut the work: `run` on the whole config must give the rows of its
    cells, in order, so every random draw derives its seed from the config and the value on the
    axis, never from a position.
    """

    name: str
    question: str
    config: Any
    quick: Any
    run: Callable[[Any], pd.DataFrame]
    findings: Callable[[pd.DataFrame], str]  #: two sentences, computed from the table
    certificates: Callable[[pd.DataFrame], list[Certificate]]
    axes: tuple[str, ...] = ()
    #: about how long one cell takes: only the time left that is shown depends on it
    seconds: float = 1.0
    #: module of `figures` that draws the table, when not named like the experiment
    figure: str = ""
    #: modules that soloc itself does not require; without them it is left out
    needs: tuple[str, ...] = ()
    extra: str = ""  #: the extra of soloc that brings them

    def lacking(self) -> str:
        """The sentence that says why it cannot run here, with the pip line; "" when it can."""
        absent = [module for module in self.needs if find_spec(module) is None]
        if not absent:
            return ""
        return (
            f"{self.name} is left out: it needs {', '.join(absent)} (pip install"
            f" 'soloc[{self.extra}]')."
        )


def cells(config: Any, axes: tuple[str, ...]) -> list[Any]:
    """Configs that each hold one value of every axis, in the order in which `run` emits their rows."""
    out = [config]
    for axis in axes:
        out = [replace(c, **{axis: (value,)}) for c in out for value in getattr(c, axis)]
    return out
