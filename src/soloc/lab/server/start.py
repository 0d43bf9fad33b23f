"""Start the lab: say what is prepared, listen, open the browser when the page can answer."""

import os
import socket
import sys
import threading
import time
import webbrowser
from typing import Any

from soloc.lab.server.guard import LOOPBACK, Guard
from soloc.runs.processes import QUICK_COMPILER

# seconds: a quick answer asks for the interpreter often, and must not wait 5 ms each time for a
# slow one
_SWITCH = 2e-4
_HEAD_START = 3.0  # seconds that belong to the browser and its first plots
#: Of the server: connections that are silent are few seconds old, so many may be open.
OPTIONS: dict[str, Any] = {
    "log_level": "warning",
    "timeout_keep_alive": 5,
    "limit_concurrency": 500,
    "server_header": False,
}
_EVERYWHERE = {"0.0.0.0", "::"}


def start(host: str, port: int, browser: bool) -> None:
    """Serve the lab until Ctrl-C; the socket is bound first: a taken port is told at once."""
    sys.setswitchinterval(_SWITCH)
    os.environ.setdefault("XLA_FLAGS", QUICK_COMPILER)
    listener = _listener(host, port)
    port = listener.getsockname()[1]
    everywhere = host in _EVERYWHERE
    names = {*LOOPBACK, host, *([socket.gethostname()] if everywhere else [])}
    shown = "127.0.0.1" if everywhere else f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{port}/"
    try:
        _say("preparing the landscape and the descent ...")
        if browser:  # it starts while the server is imported, and waits for the answers
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
        _serve(listener, address, names, everywhere)
    except KeyboardInterrupt:
        _say("ended.")
    _leave()


def _serve(listener: socket.socket, address: str, names: set[str], everywhere: bool) -> None:
    import uvicorn
    from starlette.applications import Starlette

    from soloc.lab.server.assets import ROUTES
    from soloc.lab.server.front import Front
    from soloc.lab.server.patience import PatientProtocol

    def build() -> Any:
        from soloc.lab.server.app import create_app

        app = create_app(names, any_address=everywhere)
        threading.Thread(
            target=_prepare, args=(address, app.state), daemon=True, name="prepare"
        ).start()
        return app

    front = Front(Guard(Starlette(routes=ROUTES), names, any_address=everywhere), build)
    uvicorn.Server(uvicorn.Config(front, http=PatientProtocol, **OPTIONS)).run(sockets=[listener])


def _leave() -> None:
    """End at once: a thread may be in the middle of a compilation, which cannot be interrupted, and
    nothing is left to save.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def _prepare(address: str, state: Any) -> None:
    from soloc.lab.server.prepare import prepare_first, prepare_next, prepare_offices

    prepare_first()
    _say(f"ready: {address}  (Ctrl-C ends it)")
    prepare_next()
    time.sleep(_HEAD_START)
    prepare_offices(state, _say)


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
