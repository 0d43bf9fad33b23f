"""Programs that compile for seconds: built behind the page's back, one after the other, when somebody first needs them."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import lru_cache
from typing import Any

from soloc.risk.population import bayes_risk
from soloc.tasks.single_location import SingleLocation

_PAUSE = 2.0  # seconds before a compilation begins, so that what was just answered is drawn first
_builder = ThreadPoolExecutor(1, thread_name_prefix="build")


class Program:
    """Something to compile by calling `build`; `ready()` says whether that is done, and sees to it that it will be."""

    def __init__(self, name: str, build: Callable[[], Any]) -> None:
        self.name, self._build = name, build
        self._lock = threading.Lock()
        self._future: Future[Any] | None = None

    def prepare(self) -> "Future[Any]":
        """Begin to build, once."""
        with self._lock:
            if self._future is None:
                self._future = _builder.submit(self._build_politely)
            return self._future

    def _build_politely(self) -> None:
        time.sleep(_PAUSE)
        self._build()

    def ready(self) -> bool:
        """True once it is built; asking begins it."""
        return self.prepare().done()


BAYES = Program("the Bayes risk", lambda: bayes_risk(SingleLocation()).block_until_ready())
BAYES_IS_SOFTMAX = Program("the Bayes risk at γ = 1", lambda: bayes_risk(SingleLocation(gamma=1.0)).block_until_ready())


def bayes_or_none(task: SingleLocation) -> float | None:
    """The Bayes risk; None while its program is being prepared."""
    program = BAYES_IS_SOFTMAX if task.gamma == 1.0 else BAYES
    return _bayes(task) if program.ready() else None


@lru_cache(4096)
def _bayes(task: SingleLocation) -> float:
    return float(bayes_risk(task))
