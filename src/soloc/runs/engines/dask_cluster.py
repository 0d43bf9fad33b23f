"""A Dask cluster of our own on this machine, all of it under one child process."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from multiprocessing.connection import Connection
from typing import Any

from soloc.runs.engines.calls import DEATHS
from soloc.runs.processes import children, end_with_parent, start_server, starting


@contextmanager
def own_cluster(jobs: int) -> Iterator[str]:
    """The address of a cluster of `jobs` processes; it ends with the block or this process."""
    start_server(("soloc.runs.cells",))
    context = children()
    near, far = context.Pipe()
    process = context.Process(target=_serve, args=(far, jobs))
    with starting():
        process.start()
    far.close()
    try:
        yield str(near.recv())
    except EOFError:
        raise OSError("the Dask cluster of this machine did not start.") from None
    finally:
        near.close()
        process.join(10)
        process.kill()
        process.join()


def _serve(pipe: Connection, jobs: int) -> None:
    """Run a cluster until the other side is gone; its workers end with it, even killed."""
    end_with_parent()
    distributed: Any = import_module("distributed")
    import_module("dask").config.set({"distributed.scheduler.allowed-failures": DEATHS - 1})
    with distributed.LocalCluster(
        n_workers=jobs,
        threads_per_worker=1,
        processes=True,
        dashboard_address=":0",
        silence_logs=logging.CRITICAL,
    ) as cluster:
        pipe.send(cluster.scheduler_address)
        try:
            pipe.recv()
        except (EOFError, OSError):
            return
