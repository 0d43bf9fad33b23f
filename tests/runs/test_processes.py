"""The server of workers imports and does nothing else, so that forking it is safe; children are
alone on one thread.
"""

import os
import subprocess
import sys

import pytest

from soloc.report.workers import PRELOADED
from soloc.runs.processes import begin_child, children, forks, one_thread, start_server

LOOK = """
import importlib, sys, threading
for module in sys.argv[1:]:
    importlib.import_module(module)
from jax._src import xla_bridge
assert not xla_bridge.backends_are_initialized(), "JAX has started"
assert threading.active_count() == 1, threading.enumerate()
"""


def test_what_the_server_imports_starts_neither_jax_nor_a_thread():
    subprocess.run([sys.executable, "-c", LOOK, *PRELOADED], check=True, timeout=120)


def report(pipe):
    begin_child()
    import numpy  # noqa: F401 (whose BLAS is looked at)
    from threadpoolctl import threadpool_info

    pipe.send(
        ({name: os.environ.get(name) for name in ("NPROC", "JAX_PLATFORMS")}, threadpool_info())
    )


def test_a_child_has_one_thread_and_the_caller_keeps_its_environment(monkeypatch):
    for name in ("NPROC", "JAX_PLATFORMS"):
        monkeypatch.delenv(name, raising=False)
    before = dict(os.environ)
    start_server(())
    near, far = children().Pipe()
    with one_thread():
        process = children().Process(target=report, args=(far,), daemon=True)
        process.start()
    assert near.poll(60), "the child must answer"
    environment, pools = near.recv()
    process.join()
    assert environment == {"NPROC": "1", "JAX_PLATFORMS": "cpu"}
    assert all(pool["num_threads"] == 1 for pool in pools)
    assert dict(os.environ) == before


def test_a_user_s_own_setting_is_not_overruled(monkeypatch):
    monkeypatch.setenv("NPROC", "2")
    with one_thread():
        assert os.environ["NPROC"] == "2"


HERE = """
import socket, sys, time
from soloc.runs import processes
from soloc.runs.worker import Worker, pack

def look():
    import sys
    return sys.told, "fractions" in sys.modules

if __name__ == "__main__":
    sys.told = "by the caller"
    listener = socket.create_server(("127.0.0.1", 0))
    processes.start_server(("fractions", "no_such_module"), here=True, later=0.5)
    for seconds in (0.0, 1.0):
        time.sleep(seconds)
        worker = Worker()
        worker.send(pack(look), [()])
        while (reply := worker.receive()) is None:
            pass
        print(*reply.value)
        worker.close()
    port = listener.getsockname()[1]
    listener.close()
    try:
        socket.create_connection(("127.0.0.1", port), 1)
    except OSError:
        print("nobody listens")
"""


@pytest.mark.skipif(not forks(), reason="servers are forked on Linux only")
def test_a_server_can_be_forked_from_what_the_caller_has_imported():
    found = subprocess.run(
        [sys.executable, "-c", HERE], capture_output=True, text=True, timeout=120
    )
    assert found.stdout.splitlines() == [
        "by the caller False",
        "by the caller True",  # a child that started later shares what the server imported later
        "nobody listens",
    ], found.stderr
