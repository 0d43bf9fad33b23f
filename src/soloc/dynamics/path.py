"""A path: what a training run left behind, one row per run and recorded step."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd


@dataclass(frozen=True)
class Path:
    """The record of a training run, or of many runs together.

    `steps` are the recorded steps; every column is an array (records, runs). `final` is the last
    iterate, from which a run can be continued. `interrupted` says that Ctrl-C ended the run early:
    what is here was computed before it.
    """

    steps: np.ndarray
    columns: dict[str, np.ndarray]
    final: Any
    shape: tuple[int, ...] = ()  #: of the runs, before they were flattened
    interrupted: bool = False
    clock: str = "step"  #: what `steps` counts: "step", or "time" for a flow
    #: Bayes risk of every run, when asked
    bayes: Callable[[], np.ndarray | None] | None = field(default=None, repr=False)
    about: dict[str, Any] = field(default_factory=dict)  #: what was run, in words and numbers

    def __getattr__(self, name: str) -> np.ndarray:
        columns: dict[str, np.ndarray] = self.__dict__.get("columns", {})
        if name in columns:
            return columns[name]
        raise AttributeError(f"this path has no `{name}`; it has {', '.join(columns)}.")

    @property
    def runs(self) -> int:
        """Number of runs."""
        return int(np.prod(self.shape, dtype=int))

    def table(self) -> pd.DataFrame:
        """One row per run and recorded step, run by run; `excess` is the risk minus the Bayes risk,
        where that is exact.
        """
        records, columns = len(self.steps), dict(self.columns)
        bayes = self.bayes() if self.bayes is not None and "risk" in columns else None
        if bayes is not None:
            columns["excess"] = columns["risk"] - bayes
        index = {
            "run": np.repeat(np.arange(self.runs), records),
            self.clock: np.tile(self.steps, self.runs),
        }
        return pd.DataFrame(index | {name: values.T.ravel() for name, values in columns.items()})

    def thinned(self, records: int) -> "Path":
        """The same path with at most so many records, even in the logarithm of time; start and end
        stay.
        """
        places = np.geomspace(1, len(self.steps), records).round().astype(int) - 1
        places = np.unique(places)
        columns = {name: values[places] for name, values in self.columns.items()}
        return replace(self, steps=self.steps[places], columns=columns)

    def last(self) -> pd.DataFrame:
        """The last recorded row of every run."""
        last = {name: values[-1] for name, values in self.columns.items()}
        return pd.DataFrame({"run": np.arange(self.runs), self.clock: self.steps[-1]} | last)

    def figure(self) -> Any:
        """Risk and alignments along training: a matplotlib figure, which notebooks show."""
        from soloc.figures import path as drawing  # here: no one waits for matplotlib who computes

        return drawing.figure(self.table(), self.clock)

    def _sentence(self) -> str:
        ended = "interrupted at" if self.interrupted else "ended at"
        runs = f"{self.runs} run{'s' if self.runs != 1 else ''}"
        said = f"Path of {runs}, {len(self.steps)} records, {ended} {self.clock} {self.steps[-1]:g}"
        halved = self.columns["halved"][-1] if "halved" in self.columns else np.zeros(1)
        if not halved.any():
            return said
        count, most = int(np.count_nonzero(halved)), int(halved.max())
        return (
            f"{said}; steps that would have raised the risk were halved in {count} (up to {most})"
        )

    def __repr__(self) -> str:
        return f"<{self._sentence()}: {', '.join(self.columns)}>"

    def _repr_html_(self) -> str:
        summary = (
            self.last()
            .drop(columns=["run", self.clock])
            .describe()
            .loc[["mean", "min", "50%", "max"]]
        )
        return (
            f"<p>{self._sentence()}. Over the runs at the last"
            f" record:</p>{summary.to_html(float_format='%.4g')}"
        )
