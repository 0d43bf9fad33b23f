"""Runs a command, and ends it with everything below it when whoever started it is gone.

    python reaper.py command arguments...

The starter holds the other end of standard input, which closes however the starter ends, kill -9
included. What the command has started and left behind becomes a child of this process (Linux calls
it a subreaper), wherever it has put itself, and is ended with it.
"""

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import threading
import time

_PR_SET_CHILD_SUBREAPER = 36


def reaped(command: list[str]) -> list[str]:
    """The command under a reaper; give it a pipe as standard input."""
    return [sys.executable, __file__, *command]


def descendants(pid: int) -> list[int]:
    """All processes below one."""
    found = []
    with contextlib.suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/children") as children:
                for child in map(int, children.read().split()):
                    found += [child, *descendants(child)]
    return found


def end_everything() -> None:
    """Kill all below, until nothing is left."""
    while below := descendants(os.getpid()):
        for pid in below:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        time.sleep(0.01)


def main() -> int:
    """The command's own exit code, after everything below has ended."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    command = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL)

    def watch() -> None:
        while sys.stdin.buffer.read(1024):
            pass
        end_everything()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
    signal.signal(signal.SIGTERM, lambda *_: command.terminate())
    code = command.wait()
    end_everything()
    return code


if __name__ == "__main__":
    sys.exit(main())
