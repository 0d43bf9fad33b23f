"""Start the lab: say what is prepared, listen, open the browser when the page can answer."""

import gc
import os
import socket
import sys
import threading
import time
import webbrowser
from typing import Any

from soloc.lab.server.greeter import Greeter
from soloc.lab.server.guard import LOOPBACK, Guard
from soloc.lab.server.options import OPTIONS
from soloc.lab.work.helpers import PRELOADED
from soloc.runs.processes import QUICK_COMPILER, forks, start_server

# seconds: a quick answer asks for the interpreter often, and must not wait 5 ms each time for a
# slow one
_SWITCH = 2e-4
_WATCH = 1.0  # seconds between looks
_FIRST = 0.4  # seconds that belong to the first picture
_HEAD_START = 3.0  # seconds that belong to the browser and its first plots
_EVERYWHERE = {"0.0.0.0", "::"}


def start(host: str, port: int, browser: bool) -> None:
    """Serve the lab until Ctrl-C; the socket is bound first: a taken port is told at once."""
    sys.setswitchinterval(_SWITCH)
    os.environ.setdefault("XLA_FLAGS", QUICK_COMPILER)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the cores belong to the helpers
    listener = _listener(host, port)
    port = listener.getsockname()[1]
    everywhere = host in _EVERYWHERE
    names = {*LOOPBACK, host, *([socket.gethostname()] if everywhere else [])}
    shown = "127.0.0.1" if everywhere else f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{port}/"
    try:
        _say("preparing the landscape and the descent ...")
        serve = _serve_after_greeting if forks() else _serve_at_once
        serve(listener, address, names, browser)
    except KeyboardInterrupt:
        _say("ended.")
    _leave()


def _serve_after_greeting(
    listener: socket.socket, address: str, names: set[str], browser: bool
) -> None:
    """Import while another process serves the files; helpers are forked from what was imported."""
    greeter = Greeter(listener, _files(names), address if browser else None)
    app = _application(names)
    start_server(PRELOADED, here=True, later=_HEAD_START)
    threading.Thread(
        target=_prepare, args=(address, app.state, greeter), daemon=True, name="prepare"
    ).start()
    greeter.leave()
    _run(app, listener)


def _serve_at_once(listener: socket.socket, address: str, names: set[str], browser: bool) -> None:
    """Import in a thread beside the server, where a process cannot be forked."""
    from soloc.lab.server.front import Front

    if browser:  # it starts while the views are imported, and waits for the answers
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()

    def build() -> Any:
        app = _application(names)
        threading.Thread(
            target=_prepare, args=(address, app.state), daemon=True, name="prepare"
        ).start()
        return app

    _run(Front(_files(names), build), listener)


def _files(names: set[str]) -> Any:
    from starlette.applications import Starlette

    from soloc.lab.server.assets import ROUTES

    return Guard(Starlette(routes=ROUTES), names, any_address=_any_address(names))


def _application(names: set[str]) -> Any:
    """Everything imported, without looking for garbage among what stays: a tenth of the time."""
    gc.disable()
    try:
        from soloc.lab.server.app import create_app

        return create_app(names, any_address=_any_address(names))
    finally:
        gc.freeze()
        gc.enable()


def _any_address(names: set[str]) -> bool:
    return not _EVERYWHERE.isdisjoint(names)


def _run(app: Any, listener: socket.socket) -> None:
    import uvicorn

    from soloc.lab.server.patience import PatientProtocol

    uvicorn.Server(uvicorn.Config(app, http=PatientProtocol, **OPTIONS)).run(sockets=[listener])


def _leave() -> None:
    """End at once: a thread may be in the middle of a compilation, which cannot be interrupted, and
    nothing is left to save.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def _prepare(address: str, state: Any, greeter: Greeter | None = None) -> None:
    from soloc.lab.server.prepare import prepare_first, prepare_next, prepare_offices

    prepare_first(state)
    _say(f"ready: {address}  (Ctrl-C ends it)")
    time.sleep(_FIRST)
    prepare_next()
    time.sleep(_HEAD_START)
    if greeter is not None:
        greeter.wait()
    prepare_offices(state, _say)
    while True:  # whom helpers are forked from is replaced before one is needed, not then
        time.sleep(_WATCH)
        start_server(PRELOADED)


def _listener(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise OSError(
            f"`port` {port} on `host` {host} cannot be used ({error.strerror}); choose another one."
        ) from None
    listener.listen(128)
    return listener


def _say(text: str) -> None:
    print(f"soloc lab: {text}", file=sys.stderr, flush=True)
