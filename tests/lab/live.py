"""A lab of its own in another process: as `soloc lab` starts it, or bare, nothing prepared."""

import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tests.lab.reaper import descendants, reaped

_COMMAND = (
    "import sys; from soloc.cli import main; sys.argv[1:] = ['lab', '--no-browser', '--port', '0'];"
    " main()"
)
_BARE = """
import socket, sys, uvicorn
from soloc.lab.server.app import create_app
from soloc.lab.server.patience import PatientProtocol
from soloc.lab.server.options import OPTIONS
listener = socket.create_server(("127.0.0.1", 0))
print(f"ready: http://127.0.0.1:{listener.getsockname()[1]}/", file=sys.stderr, flush=True)
config = uvicorn.Config(create_app(), http=PatientProtocol, **OPTIONS)
uvicorn.Server(config).run(sockets=[listener])
"""


class LiveLab:
    """The server, its address, what it says on standard error, and its memory."""

    def __init__(self, bare: bool = False) -> None:
        command = [sys.executable, "-c", _BARE if bare else _COMMAND]
        self.process = subprocess.Popen(
            reaped(command), stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self.said: list[str] = []
        self._ready = threading.Event()
        self._reader = threading.Thread(target=self._listen, daemon=True)
        self._reader.start()
        if not self._ready.wait(120):
            self.end()
            raise TimeoutError("the lab did not start: " + "".join(self.said))
        line = next(line for line in self.said if "ready: " in line)
        self.address = line.split("ready: ")[1].split()[0].rstrip("/")
        self.port = int(urlsplit(self.address).port or 0)

    def _listen(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.said.append(line)
            if "ready: " in line:
                self._ready.set()

    def wait_until_prepared(self, seconds: float = 300.0) -> None:
        """Until everything is compiled."""
        until = time.monotonic() + seconds
        while not any("all prepared" in line for line in self.said) and time.monotonic() < until:
            time.sleep(0.1)

    def memory(self) -> int:
        """Resident bytes of the server itself."""
        return _resident(descendants(self.process.pid)[0])

    def memory_of_all(self) -> int:
        """Resident bytes of the server and its processes."""
        return sum(_resident(pid) for pid in descendants(self.process.pid))

    def end(self) -> None:
        """Stop it."""
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._reader.join(5)
        for pipe in (self.process.stdin, self.process.stderr):
            if pipe is not None:
                pipe.close()

    def __enter__(self) -> "LiveLab":
        return self

    def __exit__(self, *_: Any) -> None:
        self.end()


def _resident(pid: int) -> int:
    try:
        status = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((1024 * int(line.split()[1]) for line in status if line.startswith("VmRSS")), 0)


def proportional(pid: int) -> int:
    """Bytes of a process, of which those that it shares count in parts; 0 when it has ended."""
    try:
        rows = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return next((1024 * int(row.split()[1]) for row in rows if row.startswith("Pss:")), 0)
