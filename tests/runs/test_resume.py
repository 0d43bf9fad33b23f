"""Killed at any moment and started again, a run continues and ends in the same bytes."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest

HERE = Path(__file__).resolve().parent
PAUSE = 0.2  # seconds that each of the twelve cells takes


def start(directory):
    command = [sys.executable, str(HERE / "resume_target.py"), str(directory), "2", str(PAUSE)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    return subprocess.Popen(
        command, env=environment, stderr=subprocess.PIPE, start_new_session=True
    )


def finish(directory):
    process = start(directory)
    errors = process.communicate(timeout=120)[1].decode()
    assert process.returncode == 0, errors
    return errors


def stored(directory):
    """The keys of the cells on disk, as often as they are there."""
    return [
        key
        for path in (directory / "cache" / "toy").glob("*.parquet")
        for key in pq.read_table(path).column("(key)").to_pylist()
    ]


def kill_then_resume(tmp_path, kills):
    """Kill a run once some cells are on disk and a moment has passed; then let it continue."""
    whole = tmp_path / "whole"
    finish(whole)
    assert len(stored(whole)) == 12
    interrupted = 0
    for i, (cells, moment) in enumerate(kills):
        directory = tmp_path / f"killed{i}"
        process = start(directory)
        while len(stored(directory)) < cells and process.poll() is None:
            time.sleep(0.01)
        time.sleep(moment)
        process.kill()
        process.communicate(timeout=60)
        interrupted += 0 < len(stored(directory)) < 12
        assert "checksum" not in finish(directory)
        assert (directory / "toy.parquet").read_bytes() == (whole / "toy.parquet").read_bytes()
        assert sorted(stored(directory)) == sorted(stored(whole)), "a stored cell came twice"
    return interrupted


def test_a_run_killed_ends_in_the_same_bytes(tmp_path):
    assert kill_then_resume(tmp_path, [(3, 0.5 * PAUSE)]) == 1


@pytest.mark.slow
def test_a_run_killed_at_twenty_random_moments_ends_in_the_same_bytes(tmp_path):
    draw = random.Random(20)
    interrupted = kill_then_resume(
        tmp_path, [(draw.randrange(10), draw.uniform(0.0, PAUSE)) for _ in range(20)]
    )
    assert interrupted >= 10, "most kills must hit a run with some cells finished and others not"


def test_workers_end_when_their_parent_is_killed(tmp_path):
    process = start(tmp_path)
    time.sleep(1.5)
    children = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(process.pid)],
        capture_output=True,
        text=True,
        check=False,
    ).stdout.split()
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=60)
    deadline = time.monotonic() + 20
    while any(Path(f"/proc/{child}").exists() for child in children):
        assert time.monotonic() < deadline, "a worker outlived its parent"
        time.sleep(0.05)
