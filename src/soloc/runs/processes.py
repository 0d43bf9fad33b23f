"""Child processes that start in a moment: forked from a server that has already imported what they
need.

The server is a process of its own that imports and does nothing else, so it has no thread of JAX or
BLAS that a fork could cut off. Where forking is not safe (other systems than Linux) children start
anew and import for themselves.
"""

import gc
import multiprocessing
import os
import signal
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from importlib import import_module, metadata
from types import ModuleType
from typing import Any

from threadpoolctl import threadpool_limits

#: Half the time of compiling. XLA aborts on a flag that it does not know, so these go to releases
#: of jaxlib that do.
_COMPILER_OF = {
    "0.10": "--xla_cpu_use_fusion_emitters=false --xla_cpu_parallel_codegen_split_count=1"
}
_JAXLIB = ".".join(metadata.version("jaxlib").split(".")[:2])
#: For XLA_FLAGS: one thread, and a compiler in a hurry whose programs are as quick as ever.
QUICK_COMPILER = f"--xla_cpu_multi_thread_eigen=false {_COMPILER_OF.get(_JAXLIB, '')}".strip()
_ONE_THREAD = {
    # and one that gives up sooner still: cells run for seconds, so its last per cent never pays
    "XLA_FLAGS": f"{QUICK_COMPILER} --xla_backend_optimization_level=1",
    "NPROC": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "JAX_PLATFORMS": "cpu",
}
_LONGEST_ADDRESS = 107  # bytes that Linux allows for the address of a socket
_NAME_OF_SOCKET = len("/pymp-12345678/listener-12345678")
_STARTING = threading.RLock()
_NEW_OBJECTS = 50_000  # between two looks for garbage in a child


def forks() -> bool:
    """Whether a server can fork children here: it listens at an address in the temporary folder."""
    length = len(os.fsencode(tempfile.gettempdir())) + _NAME_OF_SOCKET
    return sys.platform == "linux" and length <= _LONGEST_ADDRESS


def start_server(modules: Sequence[str], *, here: bool = False, later: float = 0.0) -> None:
    """Start the server, if there is none yet; it imports `modules` while the caller goes on.

    `here` forks it from this process, which has no thread yet: what both have imported is in memory
    once, and what is left of `modules` follows so many seconds `later`, after the first children.
    Should it die, another one starts anew.
    """
    if forks():
        multiprocessing.set_forkserver_preload([*modules])
        from multiprocessing.forkserver import ensure_running  # not on every system

        with starting(), _forked_here(modules, later) if here else nullcontext():
            ensure_running()


@contextmanager
def _forked_here(modules: Sequence[str], later: float) -> Iterator[None]:
    """A server that starts inside is a fork of this process instead of a new interpreter."""
    util: Any = import_module("multiprocessing.util")
    server: Any = import_module("multiprocessing.forkserver")
    spawn = util.spawnv_passfds

    def fork(path: bytes, arguments: Sequence[str], descriptors: Sequence[int]) -> int:
        if len(descriptors) != 2:  # a Python whose server is told more than where to listen
            return int(spawn(path, arguments, descriptors))
        pid = os.fork()
        if pid:
            return pid
        try:
            _close_all_but(descriptors)
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            _unlock()
            if later:  # a signal interrupts its waiting, and a child has no timer
                signal.signal(signal.SIGALRM, lambda *_: _import_all(modules))
                signal.setitimer(signal.ITIMER_REAL, later)
            server.main(*descriptors, () if later else modules)
        finally:  # nothing of the caller's is cleared up here
            os._exit(0)

    util.spawnv_passfds = fork
    try:
        yield
    finally:
        util.spawnv_passfds = spawn


def _import_all(modules: Sequence[str]) -> None:
    for module in modules:
        with suppress(ImportError):  # of an extra that is not installed
            import_module(module)


def _unlock() -> None:
    """In a fork: the locks that are held while a server starts are nobody's."""
    global _STARTING
    _STARTING = threading.RLock()
    server: Any = import_module("multiprocessing.forkserver")
    server._forkserver.__init__()


def _close_all_but(kept: Sequence[int]) -> None:
    """Close what was inherited, such as sockets that somebody waits for the end of."""
    first = 3
    for descriptor in [*sorted(kept), os.sysconf("SC_OPEN_MAX")]:
        os.closerange(first, descriptor)
        first = descriptor + 1


def children() -> Any:
    """How to start child processes here; start them inside `starting`."""
    return multiprocessing.get_context("forkserver" if forks() else "spawn")


@contextmanager
def starting() -> Iterator[None]:
    """Children started inside have one thread, do not run the caller's script, and miss Ctrl-C.

    One after the other: what is changed for them belongs to the whole process.
    """
    with _STARTING, one_thread(), without_main(), without_interrupts():
        yield


@contextmanager
def without_interrupts() -> Iterator[None]:
    """Children started inside leave Ctrl-C to the caller from their first moment, imports included.

    They inherit that it is blocked; the caller is told as soon as this ends.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    from multiprocessing import resource_tracker  # not on every system

    resource_tracker.ensure_running()  # which would unblock it
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def without_main() -> Iterator[None]:
    """Children started inside do not run the caller's script again, guarded or not.

    What they need of it travels by value.
    """
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


def begin_child() -> None:
    """First thing in a child: one thread for every library, and no life without the parent."""
    os.environ.update(
        {name: value for name, value in _ONE_THREAD.items() if name not in os.environ}
    )
    threadpool_limits(1)  # for a BLAS that was imported before it could read its variable
    gc.freeze()  # what was imported stays: looking through it for garbage only costs time
    gc.set_threshold(_NEW_OBJECTS)  # tracing and drawing make many, few of them in circles
    end_with_parent()


def begin_patient_child() -> None:
    """First thing in a child that leaves the cores to others first."""
    begin_child()
    if hasattr(os, "nice"):
        os.nice(10)


def begin_guest() -> None:
    """First thing in a process that others began: one thread, if JAX has not started yet."""
    if "jax" not in sys.modules:
        os.environ.update(
            {name: value for name, value in _ONE_THREAD.items() if name not in os.environ}
        )


def end_with_parent() -> None:
    """Make this child process leave Ctrl-C to its parent, and end at once when the parent is gone,
    even killed.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()

    def wait_and_end() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=wait_and_end, daemon=True).start()


@contextmanager
def one_thread() -> Iterator[None]:
    """Environment variables that children started inside inherit; the caller's are put back."""
    before = {name: os.environ.get(name) for name in _ONE_THREAD}
    os.environ.update(
        {name: value for name, value in _ONE_THREAD.items() if name not in os.environ}
    )
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
