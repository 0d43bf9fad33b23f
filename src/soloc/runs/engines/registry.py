"""The engines by name: what `--engine` understands."""

from collections.abc import Callable
from typing import Any

from soloc.closest import did_you_mean
from soloc.runs.cores import cores
from soloc.runs.engines.calls import Engine
from soloc.runs.engines.dask import Dask
from soloc.runs.engines.local import Local

#: Makes an engine of a number of jobs and the address of a scheduler, if one was given.
Maker = Callable[[int, str | None], Engine]


def _local(jobs: int, scheduler: str | None) -> Engine:
    if scheduler is not None:
        raise ValueError(
            f"`scheduler` must not be given with the local engine, got {scheduler!r}; take"
            " `--engine dask`."
        )
    return Local(jobs)


def _dask(jobs: int, scheduler: str | None) -> Engine:
    return Dask(scheduler, jobs)


ENGINES: dict[str, Maker] = {"local": _local, "dask": _dask}


def register(name: str, maker: Maker) -> None:
    """Let `name` be an engine everywhere."""
    ENGINES[name] = maker


def engine_of(engine: Any = None, jobs: int | None = None, scheduler: str | None = None) -> Engine:
    """The engine of that name; something that is an engine already is returned as it is.

    Without a name it is the local one, or, where a scheduler is given, Dask. Its processes on this
    machine are `jobs`, or one for each core.
    """
    if engine is None:
        engine = "local" if scheduler is None else "dask"
    if not isinstance(engine, str):
        if not hasattr(engine, "run"):
            raise TypeError(
                "`engine` must be the name of an engine or have a method `run`, got"
                f" {type(engine).__name__}."
            )
        found: Engine = engine
        return found
    if engine not in ENGINES:
        hint = did_you_mean(engine, ENGINES)
        raise ValueError(f"`engine` must be one of {', '.join(ENGINES)}; got {engine!r}.{hint}")
    return ENGINES[engine](cores() if jobs is None else jobs, scheduler)
