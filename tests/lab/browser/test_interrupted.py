"""A test run that is killed leaves no browser behind."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
_ROOT = Path(__file__).resolve().parents[3]
_TEST = """
import time
from tests.lab.browser.chromium import open_browser

def test_that_never_ends(tmp_path):
    browser = open_browser(tmp_path)
    browser.get("about:blank")
    print("open", flush=True)
    time.sleep(600)
"""


def processes_that_mention(text: str) -> list[int]:
    found = []
    for process in Path("/proc").iterdir():
        if process.name.isdigit() and int(process.name) != os.getpid():
            try:
                if text in (process / "cmdline").read_bytes().decode(errors="replace"):
                    found.append(int(process.name))
            except OSError:  # it has just ended
                continue
    return found


def test_a_killed_pytest_leaves_no_browser_behind(tmp_path):
    (tmp_path / "test_it.py").write_text(_TEST)
    profiles = tmp_path / "profiles"
    command = [sys.executable, "-m", "pytest", "-s", "-p", "no:cacheprovider", "test_it.py"]
    run = subprocess.Popen(
        [*command, f"--basetemp={profiles}"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": f"{_ROOT}:{os.environ.get('PYTHONPATH', '')}"},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert run.stdout is not None
    assert any("open" in line for line in run.stdout)
    of_browser = f"--user-data-dir={profiles}"
    until = time.monotonic() + 60
    while not (began := processes_that_mention(of_browser)) and time.monotonic() < until:
        time.sleep(0.05)
    os.kill(run.pid, signal.SIGKILL)
    run.wait()
    run.stdout.close()
    assert began
    until = time.monotonic() + 20
    while left := processes_that_mention(str(profiles)):
        assert time.monotonic() < until, left
        time.sleep(0.05)
