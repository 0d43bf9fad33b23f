"""What an experiment is: a question, a frozen config and a pure function from config to table."""

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from importlib.util import find_spec
from typing import Any

import pandas as pd

from soloc.experiments.certificates import Certificate


@dataclass(frozen=True)
class Experiment:
    """A question with everything needed to answer it; storing and progress live in `runs`.

    `run` is pure: equal configs give equal tables. Fields of the config named in `axes` are tuples
    along which the plumbing may cut the work: `run` on the whole config must give the rows of its
    cells, in order, so every random draw derives its seed from the config and the value on the
    axis, never from a position.
    """

    name: str
    question: str
    config: Any  #: a frozen dataclass, or what makes one of all that is registered by then
    quick: Any
    run: Callable[[Any], pd.DataFrame]
    findings: Callable[[pd.DataFrame], str]  #: two sentences, computed from the table
    certificates: Callable[[pd.DataFrame], list[Certificate]]
    axes: tuple[str, ...] = ()
    #: about how long one cell takes: only the time left that is shown depends on it
    seconds: float = 1.0
    figure: str = ""  #: what draws the table, as module:function; see `drawn_by`
    #: modules that soloc itself does not require; without them it is left out
    needs: tuple[str, ...] = ()
    extra: str = ""  #: the extra of soloc that brings them

    def settings(self, quick: bool = False, seed: int | None = None, **changes: Any) -> Any:
        """The config (of few runs and coarse grids when `quick`), with some of its fields changed.

        An experiment that draws nothing has no seed to change.
        """
        wanted = self.quick if quick else self.config
        config = wanted() if callable(wanted) else wanted
        known = [field.name for field in fields(config)]
        unknown = [key for key in changes if key not in known]
        if unknown:
            raise ValueError(
                f"`{unknown[0]}` is no setting of {self.name}, which has {', '.join(known)}."
            )
        if seed is not None and "seed" in known:
            changes = {"seed": seed, **changes}
        return replace(config, **changes)

    @property
    def chapter(self) -> str:
        """The folder that its file lies in."""
        return self.run.__module__.split(".")[-2] if "." in self.run.__module__ else "elsewhere"

    @property
    def drawn_by(self) -> str:
        """`figure`, or the function of that name in the file of `figures` named as its own.

        An experiment from elsewhere has its figure beside it, in its own file.
        """
        home = self.run.__module__.replace("soloc.experiments.", "soloc.figures.")
        return self.figure or f"{home}:figure"

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
    """Configs with one value of every axis each, in the order in which `run` emits their rows."""
    out = [config]
    for axis in axes:
        out = [replace(c, **{axis: (value,)}) for c in out for value in getattr(c, axis)]
    return out
