"""Kills change nothing: not of workers, not of drivers, not two drivers on one directory."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest
from sweep_functions import slow_draw

from soloc import sweep
from soloc.runs.engines.local import Local

GRID = {"a": range(40), "b": range(10)}
SCRIPT = """
import sys
from sweep_functions import slow_draw
from soloc import sweep
sweep(slow_draw, {"a": range(40), "b": range(10)}, out=sys.argv[1], jobs=2)
"""


class Killing:
    """An engine that kills one of its own workers now and then."""

    def __init__(self, engine, pids, kills, seed):
        self.engine, self.pids, self.kills = engine, pids, kills
        self.draw, self.killed, self.workers = random.Random(seed), 0, engine.workers

    def run(self, calls):
        moments = sorted(self.draw.sample(range(10, len(calls) - 10), self.kills))
        done = 0
        for outcome in self.engine.run(calls):
            yield outcome
            done += outcome is not None
            if moments and done >= moments[0]:
                victims = self.pids()
                if victims:
                    os.kill(self.draw.choice(victims), signal.SIGKILL)
                    moments.pop(0)
                    self.killed += 1


def children_of(pid):
    """Processes below this one, whose names say that they are workers."""
    return [
        int(found)
        for found in subprocess.run(
            ["pgrep", "-P", str(pid)], capture_output=True, text=True, check=False
        ).stdout.split()
    ]


def local_workers():
    """Children of the server of workers, which is a child of this process."""
    return [worker for child in children_of(os.getpid()) for worker in children_of(child)]


def quiet_bytes(folder):
    sweep(slow_draw, GRID, out=folder / "quiet", jobs=2)
    return (folder / "quiet" / "slow_draw.parquet").read_bytes()


def start(directory):
    paths = [str(Path(__file__).parent), *(path for path in sys.path if path)]
    return subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(directory)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        stderr=subprocess.DEVNULL,
    )


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes")
def test_ten_killed_workers_change_no_byte(tmp_path):
    engine = Killing(Local(2), local_workers, kills=10, seed=3)
    sweep(slow_draw, GRID, out=tmp_path / "killed", engine=engine)
    assert engine.killed == 10
    assert (tmp_path / "killed" / "slow_draw.parquet").read_bytes() == quiet_bytes(tmp_path)


@pytest.mark.slow
def test_two_drivers_killed_twenty_times_on_one_directory_lose_nothing(tmp_path):
    draw, killed, rounds = random.Random(7), 0, 1
    out = tmp_path / "round1"
    drivers = [start(out), start(out)]
    while killed < 20:
        before = written(out)
        while written(out) == before and all(driver.poll() is None for driver in drivers):
            time.sleep(0.05)
        time.sleep(draw.uniform(0.0, 1.0))
        if all(driver.poll() is None for driver in drivers):
            i = draw.randrange(2)
            drivers[i].kill()
            drivers[i].wait()
            drivers[i] = start(out)
            killed += 1
        else:  # one has finished: both begin anew elsewhere
            for driver in drivers:
                assert driver.wait(timeout=300) == 0
            rounds += 1
            out = tmp_path / f"round{rounds}"
            drivers = [start(out), start(out)]
    for driver in drivers:
        assert driver.wait(timeout=300) == 0
    expected = quiet_bytes(tmp_path)
    found = [*tmp_path.glob("round*/slow_draw.parquet")]
    assert len(found) == rounds and all(path.read_bytes() == expected for path in found)


def written(out):
    return {path.name for path in out.glob("cache/slow_draw/*.parquet")}


@pytest.mark.slow
def test_two_drivers_at_once_give_equal_tables(tmp_path):
    small = SCRIPT.replace("range(40)", "range(6)")
    paths = [str(Path(__file__).parent), *(path for path in sys.path if path)]
    drivers = [
        subprocess.Popen(
            [sys.executable, "-c", small, str(tmp_path)],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
            stderr=subprocess.PIPE,
        )
        for _ in range(2)
    ]
    for driver in drivers:
        errors = driver.communicate(timeout=120)[1].decode()
        assert driver.returncode == 0, errors
    table = pd.read_parquet(tmp_path / "slow_draw.parquet")
    again = sweep(slow_draw, {"a": range(6), "b": range(10)}, out=tmp_path / "alone", jobs=1)
    pd.testing.assert_frame_equal(table, again, check_exact=True)
