"""Ctrl-C ends the lab at any moment, with all its processes and without a traceback."""

import os
import signal
import subprocess
import sys

import pytest

_IMPORT = """
import sys
import soloc.lab.server.app
later = ("sklearn", "plotly", "matplotlib", "scipy.optimize")
print([name for name in later if name in sys.modules])
"""

# tests that run in the background of a shell inherit that interrupts are ignored
_COMMAND = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from soloc.cli import main
sys.exit(main(["lab", "--no-browser", "--port", "0"]))
"""


@pytest.mark.skipif(os.name != "posix", reason="a terminal's Ctrl-C goes to a process group")
@pytest.mark.parametrize("moment", ["preparing the landscape", "preparing in the background"])
def test_an_interrupt_ends_everything_quietly(moment):
    with subprocess.Popen(
        [sys.executable, "-c", _COMMAND], stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as server:
        assert server.stderr is not None
        next(line for line in server.stderr if moment in line)
        os.killpg(server.pid, signal.SIGINT)
        rest = server.stderr.read()  # ends when no process holds it any more
        assert server.wait(20) == 0 and rest.endswith("ended.\n") and "Traceback" not in rest


def test_the_server_starts_without_what_only_its_helpers_need():
    said = subprocess.run([sys.executable, "-c", _IMPORT], capture_output=True, text=True)
    assert said.stdout.strip() == "[]", said.stderr
