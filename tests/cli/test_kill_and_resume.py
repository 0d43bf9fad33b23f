"""The real experiments, killed again and again, end in the bytes of one quiet run."""

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

COMMAND = [
    sys.executable,
    "-c",
    "import sys; from soloc.cli import main; sys.exit(main(sys.argv[1:]))",
    "reproduce",
    "--quick",
]


def start(out: Path, *more: str) -> subprocess.Popen:
    return subprocess.Popen(
        [*COMMAND, "--out", str(out), *more], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


def tables(out: Path) -> dict[str, bytes]:
    """All but the hidden partial file of a process that was killed while it wrote."""
    return {path.name: path.read_bytes() for path in (out / "report/data").glob("[!.]*")}


@pytest.mark.slow
def test_twenty_kills_change_no_byte_and_neither_does_the_number_of_jobs(tmp_path):
    assert start(tmp_path / "quiet", "--jobs", "1").wait() == 0
    draw, killed = random.Random(4), 0
    for _ in range(20):
        process = start(tmp_path / "killed", "--jobs", "2")
        time.sleep(draw.uniform(3.0, 7.0))
        killed += process.poll() is None
        process.kill()
        process.wait()
    assert start(tmp_path / "killed", "--jobs", "2").wait() == 0
    assert killed >= 10, "most kills must hit a run that is still at work"
    assert tables(tmp_path / "killed") == tables(tmp_path / "quiet")
