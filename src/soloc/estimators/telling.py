"""What is told: the stages of `fit(verbose=True)` and the iterations of the last one; warnings."""

import contextlib
import os
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from soloc.estimators.solver import History

EVERY = 1.0  # seconds between two lines about iterations
INSIDE = (f"{Path(__file__).parents[1]}{os.sep}", contextlib.__file__)  # this package, decorators


def warn(text: str, category: type[Warning]) -> None:
    """A warning at the line that called into this package, however deep inside it arises."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_code.co_filename.startswith(INSIDE):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, category, stacklevel=level)


class Telling:
    """Lines on standard error with the time since the beginning; silent unless `loud`."""

    def __init__(self, loud: bool) -> None:
        self.loud, self.begin, self.last = loud, time.monotonic(), 0.0

    def say(self, text: str) -> None:
        """One line."""
        if self.loud:
            seconds = time.monotonic() - self.begin
            print(f"[{seconds:7.1f} s] {text}", file=sys.stderr, flush=True)

    def watched(self, also: Callable[[History], Any] | None) -> Callable[[History], Any] | None:
        """What to call after each iteration: a line now and then, and whoever watches anyway."""
        if not self.loud:
            return also

        def watch(history: History) -> None:
            if history.iterations <= 1 or time.monotonic() - self.last >= EVERY:
                self.last = time.monotonic()
                self.say(f"iteration {history.iterations}: objective {history.objective[-1]:.8g}")
            if also is not None:
                also(history)

        return watch
